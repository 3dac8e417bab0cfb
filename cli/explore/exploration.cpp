#include "cli/explore/exploration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>

#include "cli/atomic_write.h"
#include "cli/explore/drawn_values.h"
#include "cli/explore/layouts.h"
#include "cli/explore/predictions.h"
#include "cli/explore/report.h"
#include "cli/explore/stored_choice.h"
#include "cli/explore/trials.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/link_times_file.h"
#include "cli/version_info.h"
#include "compiler/views/he/written_schedule.h"

namespace tacet::cli {

namespace {

/// Candidates at most, over all implementations together.
constexpr size_t kMostCandidates = 1024;

/// Compiling for a device takes longer than measuring most programs.
constexpr size_t kMostPredictions = 128;

/// Of the budget: what is not predicted by then is run without.
constexpr double kPredictingShare = 0.25;

/// Of an argument of a process, with room to spare.
constexpr size_t kLongestWord = size_t{64} << 10;

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
  Exploration(ExploreOptions options, Invocation& invocation)
      : options_(std::move(options)), invocation_(invocation) {}
  Exploration(const Exploration&) = delete;
  auto operator=(const Exploration&) -> Exploration& = delete;
  ~Exploration() { remove_values(); }

  auto run() -> ExitCode {
    if (!check_options()) {
      return ExitCode::Usage;
    }
    Result<LoadedProgram> program = load_program(options_.file, frontend_, sources_);
    if (!program) {
      return fails(program.error(), ExitCode::Failed);
    }
    use_workspace();
    const auto show = [&](std::span<const Diagnostic> found) {
      print_diagnostics(found, sources_,
                        options_.format == RunFormat::Json ? Format::Json : Format::Human,
                        invocation_.err, invocation_.err_terminal);
    };
    if (!check_program(frontend_.snapshot(), *program, show)) {
      return ExitCode::Failed;
    }
    files_ = program->files;
    if (std::optional<ExitCode> failed = find(*program)) {
      return *failed;
    }
    if (options_.explains) {
      return explain_stored(options_, found_, invocation_);
    }
    if (options_.pins) {
      return pin_stored(options_, found_, frontend_, program->file, invocation_);
    }
    if (Status added = add_calls(*program); !added) {
      return fails(added.error(), ExitCode::Usage);
    }
    add_layouts(*program);
    cli::add_threads(found_, options_.threads);
    if (options_.lists) {
      list();
      return ExitCode::Done;
    }
    if (found_.candidates.empty()) {
      list();
      return fails({fmt::format("nothing is left to compute `{}`", found_.target)},
                   ExitCode::Failed);
    }
    if (has_random_values(options_)) {
      if (Status drawn = draw_values(*program); !drawn) {
        return fails(drawn.error(), ExitCode::Usage);
      }
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
    predict(*program);
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

  /// What the search finds for functions on `he`.
  void add_layouts(const LoadedProgram& program) {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    const auto item_of = [&](const Candidate& candidate) {
      return snapshot.find(program.file, names::Namespace::Callable, candidate.implementation);
    };
    Progress progress(invocation_, "searching for layouts");
    cli::add_layouts(
        found_,
        [&](const Candidate& candidate, size_t n) {
          progress.show(candidate.text());
          return best_layouts(snapshot, item_of(candidate), candidate, n, options_, invocation_);
        },
        [&](const Candidate& candidate) {
          const names::ItemTree tree = snapshot.tree(item_of(candidate));
          const syntax::Node clause = he_views::schedule_clause(names::item_node(*tree));
          return clause && clause.is(syntax::NodeKind::OpenSchedule);
        },
        options_.n_layouts);
  }

  /// Random values once for all candidates.
  auto draw_values(const LoadedProgram& program) -> Status {
    Result<std::vector<std::string>> words =
        drawn_values(frontend_.snapshot(), program, found_, options_, invocation_);
    if (!words) {
      return words.error();
    }
    options_.values.clear();
    options_.inputs.clear();
    for (std::string& word : *words) {
      if (word.size() <= kLongestWord) {
        options_.inputs.push_back(std::move(word));
        continue;
      }
      Result<std::string> input = as_file(word);
      if (!input) {
        return input.error();
      }
      options_.inputs.push_back(std::move(*input));
    }
    return std::monostate{};
  }

  /// `NAME=@FILE` for `NAME=VALUE`.
  auto as_file(const std::string& word) -> Result<std::string> {
    if (values_folder_.empty()) {
      std::string pattern =
          (std::filesystem::temp_directory_path() / "tacet-explore-XXXXXX").string();
      if (::mkdtemp(pattern.data()) == nullptr) {
        return Error{fmt::format("cannot create a folder for values: {}", std::strerror(errno))};
      }
      values_folder_ = pattern;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string path = fmt::format("{}/{}.json", values_folder_, name);
    if (Status written = write_private(path, word.substr(equals + 1)); !written) {
      return written.error();
    }
    return fmt::format("{}=@{}", name, path);
  }

  /// How long the candidates on devices will take.
  /// The protocol and the links of the parties of tacet.toml.
  void use_workspace() {
    std::vector<std::string> warnings;  // which loading the program printed
    const std::string path = std::filesystem::absolute(options_.file).lexically_normal().string();
    Result<std::optional<project::Workspace>> workspace =
        project::find_workspace(path.substr(0, path.rfind('/')), warnings);
    if (!workspace || !*workspace) {
      return;
    }
    options_.protocol_here = (*workspace)->manifest.mpc.protocol;
    options_.filter.n_parties = (*workspace)->manifest.mpc.parties.size();
    const project::MpcSettings& mpc = (*workspace)->manifest.mpc;
    const bool is_stated = mpc.latency.has_value() || mpc.bandwidth.has_value();
    if (!options_.gives_links && is_stated) {
      options_.links = {mpc.latency.value_or(0), mpc.bandwidth.value_or(0)};
    }
    const std::optional<SlowestLinks> measured =
        options_.gives_links || is_stated ? std::nullopt : measured_links(**workspace);
    if (measured) {
      options_.links = {measured->latency_milliseconds, measured->megabits};
      invocation_.err.write(
          fmt::format("tacet: note: `tacet party measure` found{}; `--latency` states others\n",
                      options_.links.text().substr(1)));
    }
  }

  void predict(const LoadedProgram& program) {
    Predictions predictions(frontend_, program, options_, invocation_);
    Progress progress(invocation_, "predicting");
    size_t n_predicted = 0;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(kPredictingShare * options_.budget_seconds);
    for (Candidate& candidate : found_.candidates) {
      if (candidate.device != "local" && n_predicted < kMostPredictions &&
          std::chrono::steady_clock::now() < end) {
        progress.show(candidate.text());
        candidate.predicted_milliseconds = predictions.of(candidate);
        ++n_predicted;
      }
    }
    // Those in plaintext are in front, by their steps.
    const auto rank = [](const Candidate& candidate) {
      return candidate.device == "local"
                 ? -1.0
                 : candidate.predicted_milliseconds.value_or(std::numeric_limits<double>::max());
    };
    std::stable_sort(found_.candidates.begin(), found_.candidates.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  }

  /// All choices, without running any.
  void list() {
    invocation_.out.write(options_.format == RunFormat::Json ? report_json(found_, {})
                                                             : list_text(found_));
    invocation_.out.flush();
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
    plan.is_exhaustive = options_.is_exhaustive;
    plan.links = options_.links;
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

  /// Which exploration this is.
  [[nodiscard]] auto target_text(const TrialPlan& plan) const -> std::string {
    const std::filesystem::path file = std::filesystem::path(plan.folder) / options_.file;
    return fmt::format("{}\n{}", file.lexically_normal().string(), target_words(found_));
  }

  /// What measurements depend on, but for the results.
  auto identity(const TrialPlan& plan) -> std::string {
    std::string text = fmt::format("{} {}\n{}\n", kVersion, kCommit, found_.signature);
    for (const std::string& argument : plan.arguments) {
      text += argument + "\n";
    }
    text += plan.links.text();
    for (const FileId file : files_) {
      text += *frontend_.text(file);
    }
    return text;
  }

  auto measure(LocalRuns& here) -> ExitCode {
    Result<TrialPlan> how = plan();
    if (!how) {
      return fails(how.error(), ExitCode::Failed);
    }
    // A function of the host may end the process that runs it.
    how->here = hosts_.empty() ? &here : nullptr;
    UnfinishedTrials unfinished(target_text(*how), identity(*how));
    if (options_.restarts) {
      unfinished.remove();
    }
    how->unfinished = &unfinished;
    Result<std::vector<Trial>> trials = [&] {
      const CancelOnInterruption interruption(how->interruption);
      Progress progress(invocation_, "exploring");
      return run_trials(found_.candidates, *how, [&](size_t n_runs, const std::string& state) {
        progress.show(fmt::format("run {}: {}", n_runs + 1, state));
      });
    }();
    if (!trials) {
      if (how->interruption.is_cancelled()) {
        end();
      }
      return fails(trials.error(), ExitCode::Failed);
    }
    if (const size_t n = unfinished.n_loaded(); n > 0) {
      invocation_.err.write(
          fmt::format("tacet: note: {} before; `--restart` measures everything again\n",
                      n == 1 ? "1 run was measured" : fmt::format("{} runs were measured", n)));
    }
    const bool is_right = report_wrong(*trials);
    print(*trials);
    if (how->interruption.is_cancelled()) {
      end();
    }
    return finish(*trials) == ExitCode::Done && is_right ? ExitCode::Done : ExitCode::Failed;
  }

  void remove_values() const {
    std::error_code ignored;
    if (!values_folder_.empty()) {
      std::filesystem::remove_all(values_folder_, ignored);
    }
  }

  [[noreturn]] void end() {
    remove_values();  // nothing is destroyed
    invocation_.err.write("interrupted: the same command resumes measuring\n");
    invocation_.err.flush();
    end_interrupted();
  }

  void print(const std::vector<Trial>& trials) {
    if (options_.format == RunFormat::Json) {
      invocation_.out.write(report_json(found_, trials));
    } else {
      invocation_.out.write(trials_text(found_, trials));
    }
    invocation_.out.flush();
  }

  /// Draws and stores what was measured.
  auto finish(const std::vector<Trial>& trials) -> ExitCode {
    const Trial* const best = best_of(trials);
    if (best == nullptr) {
      return fails({fmt::format("none of the {} of `{}` could be measured",
                                counted(trials.size(), "candidate"), found_.target)},
                   ExitCode::Failed);
    }
    if (!options_.picture.empty()) {
      const std::string picture = front_picture_of(found_, trials);
      if (Status drawn = write_or_create(options_.picture, picture); !drawn) {
        return fails(drawn.error(), ExitCode::Failed);
      }
    }
    return options_.is_dry ? ExitCode::Done
                           : store_choice(options_, found_, trials, *best, invocation_);
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

  ExploreOptions options_;
  Invocation& invocation_;
  program::Frontend frontend_;
  SourceSet sources_;
  ExternLibraries libraries_;
  HostFunctions hosts_;        ///< of those libraries
  std::vector<FileId> files_;  ///< of the program
  Candidates found_;
  std::string values_folder_;  ///< of values that are too long for a command line, or empty
};

}  // namespace

auto explore(const ExploreOptions& options, Invocation& invocation) -> ExitCode {
  return Exploration(options, invocation).run();
}

}  // namespace tacet::cli
