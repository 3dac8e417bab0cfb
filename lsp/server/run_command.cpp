// `tacet.run`: runs an array program under encryption, or a function on secret shares by parties on
// this machine, as `tacet run` does, in a process of its own, which gives its memory back and can
// be ended.

#include "lsp/server/run_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/child_process.h"
#include "compiler/core/query/revision.h"
#include "lsp/ide/array_programs.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/barrier.h"
#include "lsp/server/run_timeline.h"
#include "lsp/server/scratch_folder.h"
#include "lsp/server/session.h"
#include "project/read_source.h"

namespace tacet::lsp {

static constexpr const char* kRandomInputs = "Run on random values";

/// Random numbers for what nothing bounds are below this one.
static constexpr int kRandomEnd = 256;

/// Longer results go to the log alone.
static constexpr size_t kMostShown = 400;

/// One request to run something, from its parameters to its answer.
struct ProgramRun {
  explicit ProgramRun(EventLoop& loop) : patience(loop) {}

  uint64_t number = 0;
  RequestId id;
  RunParams params;
  std::string path;
  std::string name;  ///< for people
  ide::RunTarget target;
  bool is_saved = true;    ///< the file is what is open
  std::string problem;     ///< why it cannot be run
  bool is_random = false;  ///< for inputs that were not given
  CancellationToken token;
  Timer patience;  ///< until it is reported to the user
  std::shared_ptr<Progress> progress;
  std::unique_ptr<ScratchFolder> input_files;  ///< those that are written out

  [[nodiscard]] auto missing() const -> std::vector<std::string> {
    std::vector<std::string> inputs;
    for (const ide::RunTarget::Input& input : target.inputs) {
      if (!params.inputs.contains(input.name)) {
        inputs.push_back(fmt::format("`{}` ({})", input.name, input.type));
      }
    }
    return inputs;
  }

  [[nodiscard]] auto device() const -> std::string { return target.is_shared() ? "mpc" : "he"; }

  /// The file in which the parties write what they did when.
  [[nodiscard]] auto trace_name() const -> std::string { return fmt::format("{}.json", number); }

  [[nodiscard]] auto input_name(size_t input) const -> std::string {
    return fmt::format("input-{}.json", input);
  }

  /// A value as the command line has it: other users of the machine see it, so that what is written
  /// out goes by a file.
  [[nodiscard]] auto handed_over(const std::string& value, size_t input) const -> std::string {
    return value.starts_with('@') ? value
                                  : "@" + (input_files->path() / input_name(input)).string();
  }

  /// Writes the files of `handed_over`. False if there is no room.
  [[nodiscard]] auto write_inputs() -> bool {
    for (size_t i = 0; i < target.inputs.size(); ++i) {
      const auto given = params.inputs.find(target.inputs[i].name);
      if (given == params.inputs.end() || given->second.starts_with('@')) {
        continue;
      }
      if (input_files == nullptr) {
        input_files = std::make_unique<ScratchFolder>("tacet-inputs");
      }
      if (!input_files->write(input_name(i), given->second)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] auto arguments(const std::string& program,
                               const std::filesystem::path& traces) const
      -> std::vector<std::string> {
    std::vector<std::string> all = {program, "run", path, "--device", device(), "--stats"};
    if (params.is_traced) {
      all.insert(all.end(), {"--format", "json"});
    }
    if (target.is_shared()) {
      all.insert(all.end(), {"--protocol", target.protocol});
    }
    if (target.is_shared() && params.is_traced && !traces.empty()) {
      all.insert(all.end(), {"--trace", (traces / trace_name()).string()});
    }
    if (!target.function.empty()) {
      all.insert(all.end(), {"--fn", target.function});
    }
    for (size_t i = 0; i < target.inputs.size(); ++i) {
      const ide::RunTarget::Input& input = target.inputs[i];
      auto given = params.inputs.find(input.name);
      const bool is_given = given != params.inputs.end();
      all.insert(all.end(),
                 {"--input", fmt::format("{}={}", input.name,
                                         is_given ? handed_over(given->second, i) : "@random")});
      if (!is_given && !input.is_bounded) {
        all.insert(all.end(), {"--range", fmt::format("{}=0..{}", input.name, kRandomEnd)});
      }
    }
    if (!target.is_shared() && !params.inputs.empty()) {
      // The editor has all numbers; what is printed warns of what their ranges show.
      all.emplace_back("--range-from-data");
    }
    return all;
  }
};

auto is_run(const Request& request) -> bool {
  const Json& params = *request.params;
  return request.method == "workspace/executeCommand" && params.is_object() &&
         params.contains("command") && params["command"] == std::string(kRun);
}

/// Finds out what is to be run, on a worker.
static void find_program(const RequestContext& context, const RunParams& params, auto& run) {
  auto view = context.view_of(params.uri);
  const std::optional<std::string> path = path_of_uri(params.uri);
  if (!view || !path) {
    run.problem = view ? "only files can be run" : view.error().message;
    return;
  }
  run.path = *path;
  run.name =
      params.function.empty() ? std::filesystem::path(*path).filename().string() : params.function;
  auto target = ide::find_run_target(context.analysis->snapshot(), view->file(), params.function,
                                     context.analysis->parties(view->file()));
  if (!target) {
    run.problem = fmt::format(
        "`{}` is not an array program or function on secret shares, or it has errors", run.name);
    return;
  }
  run.target = std::move(*target);
  for (const auto& [name, value] : params.inputs) {
    const bool is_known = std::any_of(
        run.target.inputs.begin(), run.target.inputs.end(),
        [&, &input_name = name](const auto& input) { return input.name == input_name; });
    if (!is_known) {
      run.problem = fmt::format("`{}` has no input `{}`", run.name, name);
    }
  }
  Result<std::string> saved = project::read_source(*path);
  run.is_saved = saved && *saved == view->text();
}

/// The results of a run, without the table behind them.
static auto shown_results(const std::string& output) -> std::string {
  std::string shown = output.substr(0, output.find("\n\n"));
  while (shown.ends_with('\n')) {
    shown.pop_back();
  }
  return shown.size() <= kMostShown ? shown : shown.substr(0, kMostShown) + "…";
}

/// The run is over; false if it was before.
static auto end_run(Session& session, const ProgramRun& run) -> bool {
  auto found = session.runs.extract(run.number);
  if (found.empty()) {
    return false;
  }
  found.mapped()->patience.stop();
  if (found.mapped()->progress != nullptr) {
    found.mapped()->progress->end("");
  }
  return true;
}

static void fail_run(Session& session, const ProgramRun& run, const ResponseError& error) {
  if (end_run(session, run)) {
    session.outbox.error(run.id, error);
  }
}

static void stop_run(Session& session, const std::shared_ptr<const ProgramRun>& run) {
  run->token.cancel();
  fail_run(session, *run, {ErrorCode::RequestCancelled, "the run was stopped", {}});
}

void cancel_run(Session& session, const RequestId& id) {
  auto found = std::find_if(session.runs.begin(), session.runs.end(),
                            [&](const auto& entry) { return entry.second->id == id; });
  if (found != session.runs.end()) {
    stop_run(session, found->second);
  }
}

void cancel_runs(Session& session) {
  for (const auto& [number, run] : session.runs) {
    run->token.cancel();
  }
}

void cancel_progress(Session& session, const Json& params) {
  auto token = read_params(session, "window/workDoneProgress/cancel", params, decode_progress_token,
                           MessageType::Warning);
  if (!token) {
    return;
  }
  auto found = std::find_if(session.runs.begin(), session.runs.end(), [&](const auto& entry) {
    return entry.second->progress != nullptr && entry.second->progress->token() == *token;
  });
  if (found != session.runs.end()) {
    stop_run(session, found->second);
  }
}

/// `name = value` for each result of a traced run, or what it printed if that is something else.
static auto results_of(const std::string& output) -> std::string {
  const Json printed = Json::parse(output, nullptr, false);
  if (!printed.is_object() || !printed.contains("results")) {
    return output;
  }
  std::string text;
  for (const Json& result : printed["results"]) {
    text +=
        fmt::format("{} = {}\n", result.value("name", ""), result.value("value", Json()).dump());
  }
  return text;
}

static auto timeline_of(const std::string& output, const std::string& trace) -> std::string {
  const Json printed = Json::parse(output, nullptr, false);
  const bool has_stats = printed.is_object() && printed.contains("stats");
  return run_timeline(has_stats ? printed["stats"].dump() : "", trace);
}

/// Shows a picture that the client does not show itself: as a file, in what the user has for such.
static void show_timeline(Session& session, const ProgramRun& run, const std::string& timeline) {
  const std::string name = fmt::format("{}-{}.svg", run.name, run.number);
  if (!session.traces->write(name, timeline)) {
    return;
  }
  const std::string path = (session.traces->path() / name).string();
  session.outbox.log(MessageType::Info, fmt::format("timeline of the run: {}", path));
  if (session.client->capabilities.shows_documents) {
    session.outbox.request(
        "window/showDocument",
        fmt::format(R"({{"uri":{},"external":true}})", json_string(uri_of_path(path))),
        [](const Response&) {});
  }
}

/// Reports to the user how a run ended, and answers the request.
static void report_run(Session& session, const ProgramRun& run, const ChildOutput& child) {
  const bool is_good = child.exit_code == 0;
  std::string message =
      is_good ? fmt::format("{}{}: {}", run.name, run.is_random ? " on random values" : "",
                            shown_results(results_of(child.output)))
              : fmt::format("{} failed: {}", run.name, shown_results(child.errors));
  session.outbox.log(is_good ? MessageType::Info : MessageType::Error, child.output + child.errors);
  session.outbox.notify("window/showMessage", fmt::format(R"({{"type":{},"message":{}}})",
                                                          is_good ? 3 : 1, json_string(message)));
  Json answer = {{"exitCode", child.exit_code}, {"output", child.output}, {"errors", child.errors}};
  if (is_good && run.params.is_traced) {
    const std::string timeline = timeline_of(child.output, session.traces->read(run.trace_name()));
    answer["timeline"] = timeline;
    if (!timeline.empty() && !run.params.is_shown_by_client) {
      show_timeline(session, run, timeline);
    }
  }
  session.outbox.result(run.id, to_text(answer));
}

static void start_program(Session& session, const std::shared_ptr<ProgramRun>& run) {
  if (!run->is_saved) {
    session.outbox.log(MessageType::Warning,
                       fmt::format("{} has unsaved changes; the saved version is run", run->path));
  }
  if (run->params.is_traced && session.traces == nullptr) {
    session.traces = std::make_shared<ScratchFolder>("tacet-traces");
  }
  if (!run->write_inputs()) {
    fail_run(session, *run, {ErrorCode::RequestFailed, "cannot write the inputs to disk", {}});
    return;
  }
  const std::vector<std::string> arguments =
      run->arguments(session.options.program, run->params.is_traced ? session.traces->path() : "");
  session.outbox.log(MessageType::Info, fmt::format("tacet {}", fmt::join(arguments.begin() + 1,
                                                                          arguments.end(), " ")));
  if (session.client->capabilities.work_done_progress) {
    run->patience.start(kUntoldWork, [&session, number = run->number] {
      ProgramRun& running = *session.runs.at(number);
      running.progress =
          Progress::start(session.outbox, fmt::format("tacet/run/{}", number),
                          fmt::format("Running {}", running.name), Progress::Stop::ByTheUser);
    });
  }
  session.pool.submit(Priority::Search, [&session, run, arguments] {
    const std::string folder = std::filesystem::path(run->path).parent_path().string();
    auto child = run_child(arguments, folder, run->token);
    session.loop.post([&session, run, child = std::move(child)]() mutable {
      if (!end_run(session, *run)) {
        return;
      }
      if (!child) {
        session.outbox.error(run->id, {ErrorCode::RequestFailed, child.error().message, {}});
        return;
      }
      report_run(session, *run, *child);
    });
  });
}

static void ask_for_inputs(Session& session, const std::shared_ptr<ProgramRun>& run) {
  const std::string message = fmt::format(
      "`{}` needs inputs: {}. Provide them with `tacet run {} --device {}{}`.", run->name,
      fmt::join(run->missing(), ", "), std::filesystem::path(run->path).filename().string(),
      run->device(), run->target.function.empty() ? "" : " --fn " + run->target.function);
  const std::string params = fmt::format(R"({{"type":3,"message":{},"actions":[{{"title":{}}}]}})",
                                         json_string(message), json_string(kRandomInputs));
  session.outbox.request("window/showMessageRequest", params,
                         [&session, run, message](const Response& answer) {
                           if (!session.runs.contains(run->number)) {
                             return;
                           }
                           const Json& chosen = *answer.result;
                           if (!answer.error && chosen.is_object() && chosen.contains("title") &&
                               chosen["title"] == kRandomInputs) {
                             run->is_random = true;
                             start_program(session, run);
                           } else {
                             fail_run(session, *run, {ErrorCode::RequestFailed, message, {}});
                           }
                         });
}

void run_program(Session& session, const Request& request) {
  auto decoded = decode_execute_command(*request.params);
  if (!decoded) {
    session.outbox.error(request.id, invalid_params(decoded.error().message));
    return;
  }
  auto run = std::make_shared<ProgramRun>(session.loop);
  run->number = ++session.n_runs;
  run->id = request.id;
  run->params = std::move(decoded->run);
  session.runs.emplace(run->number, run);
  auto context = std::make_shared<const RequestContext>(make_context(session, run->token));
  session.pool.submit(Priority::Interactive,
                      [&session, run, context = std::move(context)]() mutable {
                        try {
                          const std::string failure =
                              behind_barrier([&] { find_program(*context, run->params, *run); });
                          if (!failure.empty()) {
                            run->problem = failure;
                          }
                        } catch (const query::Cancelled&) {
                          run->problem = "the text changed in the meantime";
                        }
                        context.reset();
                        session.loop.post([&session, run] {
                          if (!session.runs.contains(run->number)) {
                            return;
                          }
                          if (run->problem.empty() && session.options.program.empty()) {
                            run->problem = "this server cannot run programs; use `tacet run`";
                          }
                          if (!run->problem.empty()) {
                            fail_run(session, *run, {ErrorCode::RequestFailed, run->problem, {}});
                          } else if (run->missing().empty()) {
                            start_program(session, run);
                          } else {
                            ask_for_inputs(session, run);
                          }
                        });
                      });
}

}  // namespace tacet::lsp
