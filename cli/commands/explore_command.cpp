#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/candidates.h"
#include "cli/explore/pin.h"
#include "cli/explore/report.h"
#include "cli/explore/trials.h"
#include "cli/line_edits.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_options.h"
#include "cli/run/run_target.h"
#include "cli/unified_diff.h"
#include "project/explore_file.h"

namespace tacet::cli {

namespace {

/// Candidates at most, over all implementations together.
constexpr size_t kMostCandidates = 1024;

struct ExploreOptions {
  std::string file;
  RunTarget target;
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  std::vector<std::string> ranges;
  std::vector<std::string> externs;
  std::string seed;
  std::string picture;  ///< a file
  CandidateFilter filter;
  double budget_seconds = 60;
  bool lists = false;
  bool is_dry = false;
  bool explains = false;
  bool pins = false;
  RunFormat format = RunFormat::Human;
};

/// The pipeline that runs if nothing is named, or empty.
auto only_pipeline(const program::FrontendSnapshot& snapshot, FileId file) -> std::string {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Pipeline && item.name.has_value()) {
      return std::string(snapshot.interner().text(item.name));
    }
  }
  return {};
}

/// One `tacet explore`, from the options to the exit code.
class Exploration {
 public:
  Exploration(const ExploreOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  auto run() -> ExitCode {
    if (!check_options()) {
      return ExitCode::Usage;
    }
    Result<LoadedProgram> program = load_program(options_.file, frontend_, sources_);
    if (!program) {
      return fails(program.error(), ExitCode::Failed);
    }
    const auto show = [&](std::span<const Diagnostic> found) {
      print_diagnostics(found, sources_,
                        options_.format == RunFormat::Json ? Format::Json : Format::Human,
                        invocation_.err, invocation_.err_terminal);
    };
    if (!check_program(frontend_.snapshot(), *program, show)) {
      return ExitCode::Failed;
    }
    if (std::optional<ExitCode> failed = find(*program)) {
      return *failed;
    }
    if (options_.explains) {
      return explain();
    }
    if (options_.pins) {
      return pin(*program);
    }
    if (Status added = add_calls(*program); !added) {
      return fails(added.error(), ExitCode::Usage);
    }
    if (options_.lists) {
      list();
      return ExitCode::Done;
    }
    if (found_.candidates.empty()) {
      list();
      return fails({fmt::format("nothing is left to compute `{}`", found_.target)},
                   ExitCode::Failed);
    }
    LocalRuns here(frontend_, *program,
                   {.values = options_.values,
                    .inputs = options_.inputs,
                    .ranges = options_.ranges,
                    .seed = options_.seed,
                    .externs = hosts_},
                   invocation_);
    if (Status ranked = here.rank(found_); !ranked) {
      return fails(ranked.error(), ExitCode::Usage);
    }
    return measure(here);
  }

 private:
  auto fails(const Error& error, ExitCode code) -> ExitCode {
    invocation_.error(error.message);
    return code;
  }

  auto check_options() -> bool {
    const auto is_stdin = [](const std::string& text) {
      return text == "-" || text == "@-" || text.ends_with("=@-");
    };
    if (is_stdin(options_.file) ||
        std::any_of(options_.values.begin(), options_.values.end(), is_stdin) ||
        std::any_of(options_.inputs.begin(), options_.inputs.end(), is_stdin)) {
      invocation_.error(
          "exploring runs a program many times, so that neither it nor its values can "
          "come from standard input");
      return false;
    }
    if (!options_.target.pipeline.empty() && !options_.target.function.empty()) {
      invocation_.error("`--pipeline` cannot be combined with `--fn`");
      return false;
    }
    return true;
  }

  /// The implementations; an exit code if there is nothing to explore.
  auto find(const LoadedProgram& program) -> std::optional<ExitCode> {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    RunTarget target = options_.target;
    target.values = options_.values;
    target.inputs = options_.inputs;
    Result<names::ItemId> item = find_target(snapshot, program.file, target);
    if (!item) {
      return fails(item.error(), ExitCode::Usage);
    }
    Result<Candidates> found = find_candidates(snapshot, *item, options_.filter);
    if (!found) {
      return fails(found.error(), ExitCode::Failed);
    }
    found_ = std::move(*found);
    found_.pipeline = options_.target.pipeline;
    if (options_.target.function.empty() && options_.target.pipeline.empty()) {
      found_.pipeline = only_pipeline(snapshot, program.file);
    }
    return std::nullopt;
  }

  /// What each implementation could call instead of what it calls.
  auto add_calls(const LoadedProgram& program) -> Status {
    for (const std::string& path : options_.externs) {
      if (Status loaded = libraries_.load(path); !loaded) {
        return loaded.error();
      }
    }
    Result<HostFunctions> hosts =
        libraries_.functions(extern_names(frontend_.snapshot(), program.files));
    if (!hosts) {
      return hosts.error();
    }
    hosts_ = std::move(*hosts);
    std::set<std::string> names;
    for (const auto& [name, function] : hosts_) {
      names.insert(name);
    }
    std::vector<std::string> functions;
    for (const Candidate& candidate : found_.candidates) {
      functions.push_back(candidate.implementation);
    }
    const CallSpace space = CallSpace::find(frontend_, program, functions, names);
    cli::add_calls(found_, space, kMostCandidates);
    return std::monostate{};
  }

  /// All choices, without running any.
  void list() {
    invocation_.out.write(options_.format == RunFormat::Json ? report_json(found_, {})
                                                             : list_text(found_));
    invocation_.out.flush();
  }

  [[nodiscard]] auto file_name() const -> std::string {
    return std::filesystem::path(options_.file).filename().string();
  }

  /// How this exploration is named on a command line.
  [[nodiscard]] auto target_words() const -> std::string {
    return found_.pipeline.empty() ? fmt::format("--fn {}", found_.target)
                                   : fmt::format("--pipeline {}", found_.pipeline);
  }

  /// Reads `tacet.explore` to `file`: what was chosen before. An error if nothing was.
  auto chosen_before(project::ExploreFile& file) -> Result<program::ExploredChoice> {
    Result<project::ExploreFile> read = project::read_explore_file(folder().string());
    if (!read) {
      return read.error();
    }
    file = std::move(*read);
    const program::ExploredChoice* const choice =
        file.find(file_name(), found_.pipeline.empty() ? found_.target : "", found_.pipeline);
    if (choice == nullptr) {
      return Error{
          fmt::format("nothing was chosen for `{}` yet; run `tacet explore {} {}` with "
                      "values",
                      found_.pipeline.empty() ? found_.target : found_.pipeline, options_.file,
                      target_words())};
    }
    return *choice;
  }

  auto explain() -> ExitCode {
    project::ExploreFile file;
    Result<program::ExploredChoice> choice = chosen_before(file);
    if (!choice) {
      return fails(choice.error(), ExitCode::Failed);
    }
    Result<std::string> text = explanation_text(*choice);
    if (!text) {
      return fails(text.error(), ExitCode::Failed);
    }
    invocation_.out.write(*text);
    invocation_.out.flush();
    return ExitCode::Done;
  }

  /// Writes what was chosen into the program.
  auto pin(const LoadedProgram& program) -> ExitCode {
    project::ExploreFile file;
    Result<program::ExploredChoice> choice = chosen_before(file);
    if (!choice) {
      return fails(choice.error(), ExitCode::Failed);
    }
    Result<Candidate> candidate = candidate_of(choice->chosen);
    if (!candidate) {
      return fails(candidate.error(), ExitCode::Failed);
    }
    Candidate alone = *candidate;
    alone.calls.clear();
    if (std::find(found_.candidates.begin(), found_.candidates.end(), alone) ==
        found_.candidates.end()) {
      return fails({fmt::format("`{}` cannot be computed by {} any more; run `tacet explore {} {}` "
                                "again with values",
                                found_.pipeline.empty() ? found_.target : found_.pipeline,
                                alone.text(), options_.file, target_words())},
                   ExitCode::Failed);
    }
    const std::string before = *frontend_.text(program.file);
    Result<Pinned> pinned =
        pin_choice(frontend_.snapshot(), program.file, before, *candidate, found_.pipeline);
    if (!pinned) {
      return fails(pinned.error(), ExitCode::Failed);
    }
    if (!pinned->remark.empty()) {
      invocation_.err.write(fmt::format("tacet: note: {}\n", pinned->remark));
    }
    if (pinned->text == before) {
      invocation_.err.write("the program has nothing to change\n");
      return ExitCode::Done;
    }
    if (options_.is_dry) {
      invocation_.out.write(unified_diff(options_.file, before, line_edits(before, pinned->text),
                                         invocation_.out_terminal.colour));
      invocation_.out.flush();
      return ExitCode::Done;
    }
    return write_pinned(file, *choice, pinned->text);
  }

  /// The program, and the choice without what is in its text now.
  auto write_pinned(project::ExploreFile& file, program::ExploredChoice choice,
                    const std::string& text) -> ExitCode {
    choice.chosen.calls.clear();
    std::erase_if(choice.others,
                  [](const program::ExploredWay& way) { return !way.calls.empty(); });
    file.set(std::move(choice));
    if (Status written = write_atomically(options_.file, text); !written) {
      return fails(written.error(), ExitCode::Failed);
    }
    if (Status written = write_or_create(explore_path(), project::to_text(file)); !written) {
      return fails(written.error(), ExitCode::Failed);
    }
    invocation_.err.write(fmt::format("{} was changed\n", options_.file));
    return ExitCode::Done;
  }

  /// Where the file is, and `tacet.explore`.
  [[nodiscard]] auto folder() const -> std::filesystem::path {
    const std::filesystem::path folder = std::filesystem::path(options_.file).parent_path();
    return folder.empty() ? "." : folder;
  }

  [[nodiscard]] auto explore_path() const -> std::string {
    return (folder() / project::kExploreFile).lexically_normal().string();
  }

  auto plan() -> Result<TrialPlan> {
    std::error_code failed;
    TrialPlan plan;
    plan.program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    if (failed) {
      return Error{fmt::format("cannot find this program itself: {}", failed.message())};
    }
    plan.folder = std::filesystem::current_path(failed).string();
    plan.reference = found_.reference;
    plan.budget = std::chrono::milliseconds(static_cast<int64_t>(1000 * options_.budget_seconds));
    plan.arguments = {options_.file};
    plan.arguments.insert(plan.arguments.end(), options_.values.begin(), options_.values.end());
    const auto add = [&](const char* option, const std::vector<std::string>& words) {
      for (const std::string& word : words) {
        plan.arguments.insert(plan.arguments.end(), {option, word});
      }
    };
    add("--input", options_.inputs);
    add("--size", options_.target.sizes);
    add("--range", options_.ranges);
    add("--extern", options_.externs);
    // All runs draw the same.
    add("--seed", {options_.seed.empty() ? "0" : options_.seed});
    return plan;
  }

  auto measure(LocalRuns& here) -> ExitCode {
    Result<TrialPlan> how = plan();
    if (!how) {
      return fails(how.error(), ExitCode::Failed);
    }
    // A function of the host may end the process that runs it.
    how->here = hosts_.empty() ? &here : nullptr;
    Result<std::vector<Trial>> trials = [&] {
      Progress progress(invocation_, "exploring");
      return run_trials(found_.candidates, *how, [&](size_t n_runs, const std::string& state) {
        progress.show(fmt::format("run {}: {}", n_runs + 1, state));
      });
    }();
    if (!trials) {
      return fails(trials.error(), ExitCode::Failed);
    }
    const bool is_right = report_wrong(*trials);
    const Trial* const best = best_of(*trials);
    if (options_.format == RunFormat::Json) {
      invocation_.out.write(report_json(found_, *trials));
    } else {
      invocation_.out.write(trials_text(found_, *trials));
    }
    invocation_.out.flush();
    if (best == nullptr) {
      return fails({fmt::format("none of the {} of `{}` could be measured",
                                counted(trials->size(), "candidate"), found_.target)},
                   ExitCode::Failed);
    }
    if (!options_.picture.empty()) {
      const std::string picture = front_picture_of(found_, *trials);
      if (Status drawn = write_or_create(options_.picture, picture); !drawn) {
        return fails(drawn.error(), ExitCode::Failed);
      }
    }
    const ExitCode written = options_.is_dry ? ExitCode::Done : write(*trials, *best);
    return is_right ? written : ExitCode::Failed;
  }

  /// One that computes something else is a bug of the program, or of Tacet: it is said aloud.
  auto report_wrong(const std::vector<Trial>& trials) -> bool {
    bool is_right = true;
    for (const Trial& trial : trials) {
      if (trial.state == TrialState::Wrong) {
        invocation_.error(
            fmt::format("{} is wrong and was discarded: {}", trial.candidate.text(), trial.why));
        is_right = false;
      }
    }
    return is_right;
  }

  auto write(const std::vector<Trial>& trials, const Trial& best) -> ExitCode {
    Result<project::ExploreFile> file = project::read_explore_file(folder().string());
    if (!file) {
      return fails(file.error(), ExitCode::Failed);
    }
    file->set(choice_of(found_, trials, best, file_name()));
    if (Status written = write_or_create(explore_path(), project::to_text(*file)); !written) {
      return fails(written.error(), ExitCode::Failed);
    }
    invocation_.err.write(fmt::format("`{}` will be computed by {}: written to {}\n",
                                      found_.pipeline.empty() ? found_.target : found_.pipeline,
                                      best.candidate.text(), explore_path()));
    return ExitCode::Done;
  }

  const ExploreOptions& options_;
  Invocation& invocation_;
  program::Frontend frontend_;
  SourceSet sources_;
  ExternLibraries libraries_;
  HostFunctions hosts_;  ///< of those libraries
  Candidates found_;
};

auto declare_explore(CLI::App& app) -> Action {
  auto options = std::make_shared<ExploreOptions>();
  app.add_option("file", options->file, "The program")->required()->type_name("FILE");
  app.add_option("values", options->values, "The parameters in order, as for `tacet run`")
      ->type_name("VALUE");
  app.add_option("--fn", options->target.function, "The specification or function to explore")
      ->type_name("NAME");
  app.add_option("--pipeline", options->target.pipeline, "The pipeline to explore")
      ->type_name("NAME");
  add_sizes(app, options->target);
  app.add_option("--input", options->inputs, "A parameter by name")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--range", options->ranges, "The range of a parameter, HI excluded")
      ->type_name("NAME=LO..HI")
      ->allow_extra_args(false);
  app.add_option("--budget", options->budget_seconds,
                 "Seconds that measuring may take (default: 60)")
      ->type_name("SECONDS")
      ->check([](const std::string& seconds) {
        const double number = std::strtod(seconds.c_str(), nullptr);
        return number >= 0.1 && number <= 1e6 ? std::string()
                                              : std::string("expected 0.1 to 1000000 seconds");
      });
  app.add_flag("--list", options->lists, "List the candidates without running any");
  app.add_flag("--explain", options->explains,
               "Print what `tacet.explore` has chosen, and from what, without running any");
  app.add_flag("--pin", options->pins,
               "Write what `tacet.explore` has chosen into the program: the functions that are "
               "called, and that of a pipeline");
  app.add_flag("--dry-run", options->is_dry,
               "Do not write `tacet.explore`; with --pin, print the changes of the program");
  app.add_option("--picture", options->picture,
                 "Draw time against bytes of what was measured, as SVG")
      ->type_name("OUT.svg");
  add_choice(app, "--device", {"local", "he", "mpc"}, "Only candidates on this device",
             [options](size_t device) {
               constexpr const char* kDevices[] = {"local", "he", "mpc"};
               options->filter.device = kDevices[device];
             });
  add_choice(app, "--protocol", {"semi2k", "aby3"},
             "The protocol of the parties; they trust each other differently, so it is not chosen",
             [options](size_t protocol) {
               constexpr const char* kProtocols[] = {"semi2k", "aby3"};
               options->filter.protocol = kProtocols[protocol];
             });
  app.add_option("--extern", options->externs, "A shared object with extern functions")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--seed", options->seed, "The key of the random draws (default: 0)")
      ->type_name("HEX");
  add_choice(app, "--format", {"human", "json"}, "How to print results and diagnostics",
             &options->format);
  return [options](Invocation& invocation) { return Exploration(*options, invocation).run(); };
}

}  // namespace

auto explore_command() -> Command {
  Command command;
  command.name = "explore";
  command.summary = "measure all implementations of a specification and choose the fastest";
  command.examples =
      "tacet explore sums.tacet --fn total '[1, 2, 3, 4]'\n"
      "tacet explore sums.tacet --fn total --list\n"
      "tacet explore sums.tacet --fn total --explain\n"
      "tacet explore sums.tacet --fn total --pin\n"
      "tacet explore sums.tacet --fn total --device he --budget 20 '[1, 2, 3, 4]'";
  command.details =
      "Candidates are the functions that implement the specification, with each combination of "
      "functions that they could call, and device functions once for each scheme. Each is run on "
      "the values given; results are compared with those in plaintext, and the faster half is run "
      "again until one is left or the budget is spent. The choice is written to `tacet.explore` "
      "beside the file, and `tacet run` obeys it. Candidates that would show what the signature "
      "keeps secret are never considered.";
  command.declare = declare_explore;
  return command;
}

}  // namespace tacet::cli
