#include "cli/explore/obey_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/explore/candidates.h"
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

/// Whether the program still has what was chosen: empty, or why not.
auto misfit_of(const std::string& path, const project::ExploredChoice& choice) -> std::string {
  program::Frontend frontend;
  SourceSet sources;
  Result<LoadedProgram> program = load_program(path, frontend, sources);
  if (!program) {
    return {};  // reported by the run
  }
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  Result<names::ItemId> item =
      find_target(snapshot, program->file, {.pipeline = {}, .function = choice.target});
  if (!item) {
    return item.error().message;
  }
  Result<Candidates> found =
      find_candidates(snapshot, *item, {.device = choice.chosen.device, .protocol = {}});
  if (!found) {
    return found.error().message;
  }
  const auto fits = [&](const Candidate& candidate) {
    return candidate.implementation == choice.chosen.implementation &&
           candidate.device == choice.chosen.device && candidate.scheme == choice.chosen.scheme;
  };
  if (std::none_of(found->candidates.begin(), found->candidates.end(), fits)) {
    return fmt::format("`{}` cannot be computed by `{}` there any more", choice.target,
                       choice.chosen.implementation);
  }
  return found->signature == choice.parameters
             ? ""
             : fmt::format("the parameters are `{}` now, and were `{}`", found->signature,
                           choice.parameters);
}

auto way_out(const std::string& path, const project::ExploredChoice& choice) -> std::string {
  return fmt::format("run `tacet explore {} --fn {}` again", path, choice.target);
}

}  // namespace

void warn_of_misfits(std::span<const std::string> files, Invocation& invocation) {
  std::set<std::filesystem::path> folders;
  for (const std::string& file : files) {
    folders.insert(std::filesystem::path(file).parent_path());
  }
  for (const std::filesystem::path& folder : folders) {
    Result<project::ExploreFile> explored =
        project::read_explore_file(folder.empty() ? "." : folder.string());
    if (!explored) {
      invocation.warning(explored.error().message);
      continue;
    }
    for (const project::ExploredChoice& choice : explored->choices) {
      const std::string path = (folder / choice.file).string();
      if (std::find(files.begin(), files.end(), path) == files.end()) {
        continue;
      }
      if (const std::string misfit = misfit_of(path, choice); !misfit.empty()) {
        invocation.warning(fmt::format("{}: {}; {}", (folder / project::kExploreFile).string(),
                                       misfit, way_out(path, choice)));
      }
    }
  }
}

auto with_explored_choice(const RunOptions& options, Invocation& invocation) -> Result<RunOptions> {
  if (options.names_device || options.target.function.empty() || options.file == "-") {
    return options;
  }
  const std::filesystem::path path = options.file;
  Result<project::ExploreFile> file =
      project::read_explore_file(path.has_parent_path() ? path.parent_path().string() : ".");
  if (!file) {
    return file.error();
  }
  const project::ExploredChoice* const choice =
      file->find(path.filename().string(), options.target.function);
  if (choice == nullptr) {
    return options;
  }
  if (const std::string misfit = misfit_of(options.file, *choice); !misfit.empty()) {
    invocation.warning(fmt::format("`{}` is ignored: {}; {}", project::kExploreFile, misfit,
                                   way_out(options.file, *choice)));
    return options;
  }
  RunOptions chosen = options;
  chosen.target.function = choice->chosen.implementation;
  chosen.device = choice->chosen.device == "he"    ? RunDevice::He
                  : choice->chosen.device == "mpc" ? RunDevice::Mpc
                                                   : RunDevice::Auto;
  chosen.scheme = scheme_of(choice->chosen.scheme);
  if (!choice->chosen.protocol.empty()) {
    chosen.protocol = choice->chosen.protocol == "aby3" ? RunProtocol::Aby3 : RunProtocol::Semi2k;
    chosen.names_protocol = true;
  }
  const Candidate candidate{choice->chosen.implementation, choice->chosen.device,
                            choice->chosen.scheme, choice->chosen.protocol};
  invocation.err.write(fmt::format("tacet: note: `{}` is computed by {}: `{}`\n", choice->target,
                                   candidate.text(), project::kExploreFile));
  return chosen;
}

}  // namespace tacet::cli
