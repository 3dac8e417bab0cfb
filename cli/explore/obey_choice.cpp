#include "cli/explore/obey_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/explore/candidates.h"
#include "cli/run/protocol_choice.h"
#include "compiler/views/he/written_schedule.h"
#include "problems/explored.h"
#include "problems/problems.h"
#include "project/explore_file.h"

namespace tacet::cli {

namespace {

auto scheme_of(std::string_view word) -> RunScheme {
  return word == "bfv"    ? RunScheme::Bfv
         : word == "bgv"  ? RunScheme::Bgv
         : word == "ckks" ? RunScheme::Ckks
         : word == "cggi" ? RunScheme::Cggi
                          : RunScheme::Auto;
}

/// A function `f`, or a pipeline `p`.
auto chosen_name(const program::ExploredChoice& choice) -> std::string {
  return choice.pipeline.empty() ? choice.target : choice.pipeline;
}

/// Whether the program still has what was chosen: empty, or why not. With `device` given by the
/// user, a function may run there, though its own device is another.
auto misfit_of(const RunOptions& options, const program::ExploredChoice& choice,
               const std::string& device) -> std::string {
  program::Frontend frontend;
  SourceSet sources;
  Result<LoadedProgram> program = load_program(options.file, frontend, sources);
  if (!program) {
    return {};  // reported by the run
  }
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  Result<names::ItemId> item = find_target(snapshot, program->file,
                                           {.pipeline = choice.pipeline,
                                            .function = choice.target,
                                            .sizes = options.target.sizes,
                                            .values = options.values,
                                            .inputs = options.inputs});
  if (!item) {
    return item.error().message;
  }
  Result<Candidates> found =
      find_candidates(snapshot, *item, {.device = device, .protocol = choice.chosen.protocol});
  if (!found) {
    return found.error().message;
  }
  Result<Candidate> chosen = candidate_of(choice.chosen);
  if (!chosen) {
    return chosen.error().message;
  }
  const Candidate alone = chosen->outline();
  const auto& all = found->candidates;
  if (std::find(all.begin(), all.end(), alone) == all.end()) {
    for (const Exclusion& exclusion : found->exclusions) {
      if (exclusion.candidate.implementation == alone.implementation &&
          exclusion.candidate.device != alone.device) {
        return fmt::format("`{}` cannot be computed by `{}`: {}", chosen_name(choice),
                           alone.implementation, exclusion.why);
      }
    }
    return fmt::format("`{}` cannot be computed by `{}` there any more", chosen_name(choice),
                       alone.implementation);
  }
  if (found->signature != choice.parameters) {
    return fmt::format("the parameters are `{}` now, and were `{}`", found->signature,
                       choice.parameters);
  }
  Result<std::vector<program::FileEdits>> calls =
      program::call_edits(snapshot, program->file, chosen->calls);
  if (!calls || chosen->layout.empty()) {
    return calls ? "" : calls.error().message;
  }
  const names::ItemId function =
      snapshot.find(program->file, names::Namespace::Callable, chosen->implementation);
  Result<std::string> clause = he_views::checked_clause(snapshot, function, chosen->layout);
  return clause ? "" : clause.error().message;
}

auto way_out(const std::string& path, const program::ExploredChoice& choice) -> std::string {
  return fmt::format("run `tacet explore {} {} {}` again", path,
                     choice.pipeline.empty() ? "--fn" : "--pipeline", chosen_name(choice));
}

/// What was chosen for what is to be run; null if nothing was.
auto choice_for(const project::ExploreFile& file, const RunOptions& options)
    -> const program::ExploredChoice* {
  const std::string name = std::filesystem::path(options.file).filename().string();
  if (!options.target.function.empty() || !options.target.pipeline.empty()) {
    return file.find(name, options.target.function, options.target.pipeline);
  }
  // A file with a pipeline that needs no name.
  const program::ExploredChoice* only = nullptr;
  for (const program::ExploredChoice& choice : file.choices) {
    if (choice.file == name && !choice.pipeline.empty()) {
      if (only != nullptr) {
        return nullptr;
      }
      only = &choice;
    }
  }
  return only;
}

auto device_word(RunDevice device) -> std::string {
  return device == RunDevice::He ? "he" : device == RunDevice::Mpc ? "mpc" : "";
}

/// Whether the parties would be trusted otherwise than the run says: empty, or how. What was
/// explored under a protocol runs under it, unless that would replace one that finds liars by one
/// that does not, or what the command line names.
auto other_trust(const RunOptions& options, const program::ExploredWay& way)
    -> Result<std::string> {
  if (way.protocol.empty()) {
    return std::string();
  }
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return setting.error();
  }
  const std::string here(mpc::protocol_name(protocol_of(setting->choice.protocol)));
  if (options.names_protocol && here != way.protocol) {
    return fmt::format("it was explored with `{}`, and `--protocol` is `{}`", way.protocol, here);
  }
  if (tolerates_a_liar(here) && !tolerates_a_liar(way.protocol)) {
    return fmt::format(
        "it was explored with `{}`, which does not find a party that lies, and tacet.toml says "
        "`{}`",
        way.protocol, here);
  }
  return std::string();
}

/// The options with what was chosen.
auto chosen_options(const RunOptions& options, const program::ExploredWay& way) -> RunOptions {
  RunOptions chosen = options;
  chosen.target.pipeline.clear();
  chosen.target.function = way.implementation;
  chosen.device = way.device == "he"    ? RunDevice::He
                  : way.device == "mpc" ? RunDevice::Mpc
                                        : RunDevice::Auto;
  chosen.scheme = scheme_of(way.scheme);
  chosen.calls = way.calls;
  chosen.layout = way.layout;
  chosen.n_threads = options.n_threads != 0 ? options.n_threads : way.threads;
  const auto protocol = find_protocol(way.protocol);
  if (protocol && !options.names_protocol) {
    chosen.protocol = *protocol;
    chosen.names_protocol = true;
  }
  return chosen;
}

}  // namespace

auto explored_diagnostics(program::Frontend& frontend, std::span<const std::string> files,
                          Invocation& invocation) -> std::vector<Diagnostic> {
  std::map<std::string, project::ExploreFile> by_folder;
  std::vector<Diagnostic> all;
  for (const std::string& path : files) {
    const std::string folder = path.substr(0, path.rfind('/'));
    const auto [explored, is_new] = by_folder.try_emplace(folder);
    if (is_new) {
      Result<project::ExploreFile> read = project::read_explore_file(folder);
      if (!read) {
        invocation.warning(read.error().message);
      } else {
        explored->second = std::move(*read);
      }
    }
    const std::optional<FileId> file = frontend.find_file(path);
    if (file && !explored->second.choices.empty()) {
      const auto choices = explored->second.of_file(path.substr(path.rfind('/') + 1));
      problems::merge(problems::explored_findings(frontend.snapshot(), *file, choices), all);
    }
  }
  return all;
}

auto with_explored_choice(const RunOptions& options, Invocation& invocation) -> Result<RunOptions> {
  const bool is_free = !options.names_device || !device_word(options.device).empty();
  if (!is_free || options.file == "-" || !options.calls.empty() || !options.layout.empty() ||
      options.scheme != RunScheme::Auto) {
    return options;
  }
  const std::filesystem::path path = options.file;
  Result<project::ExploreFile> file =
      project::read_explore_file(path.has_parent_path() ? path.parent_path().string() : ".");
  if (!file) {
    return file.error();
  }
  const program::ExploredChoice* const choice = choice_for(*file, options);
  if (choice == nullptr ||
      (options.names_device && device_word(options.device) != choice->chosen.device)) {
    return options;
  }
  Result<std::string> trust = other_trust(options, choice->chosen);
  if (!trust) {
    return trust.error();
  }
  const std::string misfit =
      !trust->empty()
          ? *trust
          : misfit_of(options, *choice, options.names_device ? device_word(options.device) : "");
  if (!misfit.empty()) {
    invocation.warning(fmt::format("`{}` is ignored: {}; {}", project::kExploreFile, misfit,
                                   way_out(options.file, *choice)));
    return options;
  }
  Result<Candidate> candidate = candidate_of(choice->chosen);
  if (!candidate) {
    return candidate.error();
  }
  invocation.err.write(fmt::format("tacet: note: `{}` is computed by {}: `{}`\n",
                                   chosen_name(*choice), candidate->text(), project::kExploreFile));
  return chosen_options(options, choice->chosen);
}

}  // namespace tacet::cli
