#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/candidates.h"
#include "cli/explore/trials.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run/run_options.h"
#include "cli/run/run_target.h"
#include "cli/thread_executor.h"
#include "project/explore_file.h"

namespace tacet::cli {

namespace {

struct ExploreOptions {
  std::string file;
  std::string function;
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  std::vector<std::string> ranges;
  std::vector<std::string> externs;
  std::string seed;
  CandidateFilter filter;
  double budget_seconds = 60;
  bool lists = false;
  bool is_dry = false;
  bool explains = false;
  RunFormat format = RunFormat::Human;
};

/// Why a candidate was not measured, for the user who ran it: it may have values.
auto reason_of(const Trial& trial) -> std::string {
  return trial.state == TrialState::Waiting ? "not run: the budget was spent" : trial.why;
}

/// The same in general words, for a file that is committed.
auto public_reason_of(TrialState state) -> std::string {
  switch (state) {
    case TrialState::Waiting:
      return "not run: the budget was spent";
    case TrialState::Measured:
      return {};
    case TrialState::Refused:
      return "refused";
    case TrialState::Wrong:
      return "wrong results";
    case TrialState::OutOfTime:
      return "took longer than the budget";
  }
  return {};
}

auto way_of(const Trial& trial) -> project::ExploredWay {
  project::ExploredWay way{.implementation = trial.candidate.implementation,
                           .device = trial.candidate.device,
                           .scheme = trial.candidate.scheme,
                           .protocol = trial.candidate.protocol};
  if (trial.state == TrialState::Measured) {
    way.milliseconds = trial.median();
  }
  way.why = public_reason_of(trial.state);
  return way;
}

auto time_text(double milliseconds) -> std::string {
  return milliseconds >= 1000 ? fmt::format("{:.2f} s", milliseconds / 1000)
         : milliseconds >= 1  ? fmt::format("{:.1f} ms", milliseconds)
                              : fmt::format("{:.0f} µs", 1000 * milliseconds);
}

auto bytes_text(double bytes) -> std::string {
  return bytes >= 1e6   ? fmt::format("{:.1f} MB", bytes / 1e6)
         : bytes >= 1e3 ? fmt::format("{:.1f} KB", bytes / 1e3)
                        : fmt::format("{:.0f} B", bytes);
}

/// `AMD EPYC, 2 threads`: the processor as it calls itself.
auto machine_text() -> std::string {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      model = line.substr(line.find(": ") + 2);
      break;
    }
  }
  return fmt::format("{}, {}", model, counted(thread_count(0), "thread"));
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
    program::Frontend frontend;
    SourceSet sources;
    Result<LoadedProgram> program = load_program(options_.file, frontend, sources);
    if (!program) {
      return fails(program.error(), ExitCode::Failed);
    }
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const auto show = [&](std::span<const Diagnostic> found) {
      print_diagnostics(found, sources,
                        options_.format == RunFormat::Json ? Format::Json : Format::Human,
                        invocation_.err, invocation_.err_terminal);
    };
    if (!check_program(snapshot, *program, show)) {
      return ExitCode::Failed;
    }
    Result<names::ItemId> item =
        find_target(snapshot, program->file, {.pipeline = {}, .function = options_.function});
    if (!item) {
      return fails(item.error(), ExitCode::Usage);
    }
    Result<Candidates> found = find_candidates(snapshot, *item, options_.filter);
    if (!found) {
      return fails(found.error(), ExitCode::Failed);
    }
    found_ = std::move(*found);
    if (options_.explains) {
      return explain();
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
    return measure();
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
    return true;
  }

  /// All choices, without running any.
  void list() {
    if (options_.format == RunFormat::Json) {
      invocation_.out.write(report({}).dump() + "\n");
      return;
    }
    invocation_.out.write(fmt::format("`{}`({}):\n", found_.target, found_.signature));
    for (const Candidate& candidate : found_.candidates) {
      invocation_.out.write(fmt::format("  {}\n", candidate.text()));
    }
    for (const Exclusion& exclusion : found_.exclusions) {
      invocation_.out.write(
          fmt::format("  not {}: {}\n", exclusion.candidate.text(), exclusion.why));
    }
    invocation_.out.flush();
  }

  /// What was chosen before, and from what.
  auto explain() -> ExitCode {
    Result<project::ExploreFile> file = project::read_explore_file(folder().string());
    if (!file) {
      return fails(file.error(), ExitCode::Failed);
    }
    const project::ExploredChoice* const choice =
        file->find(std::filesystem::path(options_.file).filename().string(), found_.target);
    if (choice == nullptr) {
      return fails({fmt::format("nothing was chosen for `{}` yet; run `tacet explore {} --fn {}` "
                                "with values",
                                found_.target, options_.file, options_.function)},
                   ExitCode::Failed);
    }
    const auto line = [&](const project::ExploredWay& way) {
      const Candidate candidate{way.implementation, way.device, way.scheme, way.protocol};
      invocation_.out.write(fmt::format("  {}: {}\n", candidate.text(),
                                        way.milliseconds ? time_text(*way.milliseconds) : way.why));
    };
    invocation_.out.write(fmt::format("`{}`({}), measured on {}:\n", choice->target,
                                      choice->parameters, choice->machine));
    line(choice->chosen);
    std::for_each(choice->others.begin(), choice->others.end(), line);
    invocation_.out.flush();
    return ExitCode::Done;
  }

  /// Where the file is, and `tacet.explore`.
  [[nodiscard]] auto folder() const -> std::filesystem::path {
    const std::filesystem::path folder = std::filesystem::path(options_.file).parent_path();
    return folder.empty() ? "." : folder;
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
    add("--range", options_.ranges);
    add("--extern", options_.externs);
    // All runs draw the same.
    add("--seed", {options_.seed.empty() ? "0" : options_.seed});
    return plan;
  }

  auto measure() -> ExitCode {
    Result<TrialPlan> how = plan();
    if (!how) {
      return fails(how.error(), ExitCode::Failed);
    }
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
      invocation_.out.write(report(*trials).dump() + "\n");
    } else {
      print(*trials);
    }
    invocation_.out.flush();
    if (best == nullptr) {
      return fails({fmt::format("none of the {} of `{}` could be measured",
                                counted(trials->size(), "candidate"), found_.target)},
                   ExitCode::Failed);
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

  void print(const std::vector<Trial>& trials) {
    std::vector<const Trial*> sorted;
    for (const Trial& trial : trials) {
      sorted.push_back(&trial);
    }
    const auto rank = [](const Trial* trial) {
      return std::pair(trial->state != TrialState::Measured, trial->median());
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Trial* a, const Trial* b) { return rank(a) < rank(b); });
    size_t width = 0;
    for (const Trial& trial : trials) {
      width = std::max(width, trial.candidate.text().size());
    }
    invocation_.out.write(fmt::format("`{}`({}):\n", found_.target, found_.signature));
    for (const Trial* const trial : sorted) {
      const std::string name = fmt::format("  {:<{}}  ", trial->candidate.text(), width);
      if (trial->state != TrialState::Measured) {
        invocation_.out.write(fmt::format("{}{}\n", name, reason_of(*trial)));
        continue;
      }
      const std::string spread = trial->milliseconds.size() < 2
                                     ? ""
                                     : fmt::format(" ± {}", time_text(trial->uncertainty()));
      invocation_.out.write(fmt::format(
          "{}{}{} in {}, {} sent, {} of keys, {} of memory{}\n", name, time_text(trial->median()),
          spread, counted(trial->milliseconds.size(), "run"), bytes_text(trial->bytes_sent),
          bytes_text(trial->key_bytes), bytes_text(trial->peak_memory_bytes),
          is_on_front(*trial, trials) ? "  *" : ""));
    }
    for (const Exclusion& exclusion : found_.exclusions) {
      invocation_.out.write(
          fmt::format("  not {}: {}\n", exclusion.candidate.text(), exclusion.why));
    }
    if (trials.size() > 1) {
      invocation_.out.write(
          "* nothing else takes less time, bytes, keys or memory without taking "
          "more of another\n");
    }
  }

  [[nodiscard]] auto report(const std::vector<Trial>& trials) const -> nlohmann::json {
    const auto json_of = [](const Candidate& candidate) {
      nlohmann::json result = {{"implementation", candidate.implementation},
                               {"device", candidate.device}};
      if (!candidate.scheme.empty()) {
        result["scheme"] = candidate.scheme;
      }
      if (!candidate.protocol.empty()) {
        result["protocol"] = candidate.protocol;
      }
      return result;
    };
    nlohmann::json candidates = nlohmann::json::array();
    for (const Candidate& candidate : found_.candidates) {
      nlohmann::json entry = json_of(candidate);
      const auto trial = std::find_if(trials.begin(), trials.end(),
                                      [&](const Trial& of) { return of.candidate == candidate; });
      if (trial != trials.end() && trial->state == TrialState::Measured) {
        entry["milliseconds"] = trial->median();
        entry["uncertainty"] = trial->uncertainty();
        entry["runs"] = trial->milliseconds.size();
        entry["bytes_sent"] = trial->bytes_sent;
        entry["key_bytes"] = trial->key_bytes;
        entry["peak_memory_bytes"] = trial->peak_memory_bytes;
        entry["is_on_front"] = is_on_front(*trial, trials);
      } else if (trial != trials.end()) {
        entry["why"] = reason_of(*trial);
      }
      candidates.push_back(std::move(entry));
    }
    nlohmann::json excluded = nlohmann::json::array();
    for (const Exclusion& exclusion : found_.exclusions) {
      nlohmann::json entry = json_of(exclusion.candidate);
      entry["why"] = exclusion.why;
      excluded.push_back(std::move(entry));
    }
    nlohmann::json result = {{"target", found_.target},
                             {"parameters", found_.signature},
                             {"candidates", std::move(candidates)},
                             {"excluded", std::move(excluded)}};
    if (const Trial* const best = best_of(trials)) {
      result["best"] = json_of(best->candidate);
    }
    return result;
  }

  auto write(const std::vector<Trial>& trials, const Trial& best) -> ExitCode {
    Result<project::ExploreFile> file = project::read_explore_file(folder().string());
    if (!file) {
      return fails(file.error(), ExitCode::Failed);
    }
    project::ExploredChoice choice{.file = std::filesystem::path(options_.file).filename().string(),
                                   .target = found_.target,
                                   .parameters = found_.signature,
                                   .machine = machine_text(),
                                   .chosen = way_of(best),
                                   .others = {}};
    for (const Trial& trial : trials) {
      if (&trial != &best) {
        choice.others.push_back(way_of(trial));
      }
    }
    file->set(std::move(choice));
    const std::string out = (folder() / project::kExploreFile).lexically_normal().string();
    if (Status written = write_or_create(out, project::to_text(*file)); !written) {
      return fails(written.error(), ExitCode::Failed);
    }
    invocation_.err.write(fmt::format("`{}` will be computed by {}: written to {}\n", found_.target,
                                      best.candidate.text(), out));
    return ExitCode::Done;
  }

  const ExploreOptions& options_;
  Invocation& invocation_;
  Candidates found_;
};

auto declare_explore(CLI::App& app) -> Action {
  auto options = std::make_shared<ExploreOptions>();
  app.add_option("file", options->file, "The program")->required()->type_name("FILE");
  app.add_option("values", options->values, "The parameters in order, as for `tacet run`")
      ->type_name("VALUE");
  app.add_option("--fn", options->function, "The specification or function to explore")
      ->type_name("NAME")
      ->required();
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
  app.add_flag("--dry-run", options->is_dry, "Do not write `tacet.explore`");
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
      "tacet explore sums.tacet --fn total --device he --budget 20 '[1, 2, 3, 4]'";
  command.details =
      "Candidates are the functions that implement the specification, device functions once for "
      "each scheme. Each is run on the values given; results are compared with those in plaintext, "
      "and the faster half is run again until one is left or the budget is spent. The choice is "
      "written to `tacet.explore` beside the file, and `tacet run --fn NAME` obeys it. Candidates "
      "that would show what the signature keeps secret are never considered.";
  command.declare = declare_explore;
  return command;
}

}  // namespace tacet::cli
