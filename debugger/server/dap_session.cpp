#include "debugger/server/dap_session.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "debugger/server/read_launch.h"

namespace tacet::debugger {

auto DapSession::handlers() -> const std::map<std::string, Handler, std::less<>>& {
  static const std::map<std::string, Handler, std::less<>> kHandlers = {
      {"initialize", &DapSession::initialize},
      {"launch", &DapSession::launch},
      {"attach", &DapSession::attach},
      {"configurationDone", &DapSession::configuration_done},
      {"threads", &DapSession::threads},
      {"disconnect", &DapSession::disconnect},
      {"terminate", &DapSession::terminate},
      {"cancel", &DapSession::cancel},
      {"pause", &DapSession::pause},
      {"continue", &DapSession::continue_run},
      {"next", &DapSession::next},
      {"stepIn", &DapSession::step_in},
      {"stepOut", &DapSession::step_out},
      {"stepBack", &DapSession::step_back},
      {"reverseContinue", &DapSession::reverse_continue},
      {"setBreakpoints", &DapSession::set_breakpoints},
      {"setFunctionBreakpoints", &DapSession::set_function_breakpoints},
      {"setExceptionBreakpoints", &DapSession::set_exception_breakpoints},
      {"breakpointLocations", &DapSession::breakpoint_locations},
      {"exceptionInfo", &DapSession::exception_info},
      {"stackTrace", &DapSession::stack_trace},
      {"scopes", &DapSession::scopes},
      {"variables", &DapSession::variables},
      {"evaluate", &DapSession::evaluate},
      {"source", &DapSession::source},
      {"completions", &DapSession::completions},
  };
  return kHandlers;
}

void DapSession::answer(const DapRequest& request) {
  answer(request, nullptr);
}

void DapSession::answer(const DapRequest& request, Json body) {
  Json message = {{"seq", ++n_sent_},
                  {"type", "response"},
                  {"request_seq", request.seq},
                  {"success", true},
                  {"command", request.command}};
  if (!body.is_null()) {
    message["body"] = std::move(body);
  }
  send_(lsp::to_text(message));
}

void DapSession::refuse(const DapRequest& request, const std::string& message) {
  send_(
      lsp::to_text({{"seq", ++n_sent_},
                    {"type", "response"},
                    {"request_seq", request.seq},
                    {"success", false},
                    {"command", request.command},
                    {"message", message},
                    {"body", {{"error", {{"id", 1}, {"format", message}, {"showUser", true}}}}}}));
}

void DapSession::event(const char* name) {
  event(name, nullptr);
}

void DapSession::event(const char* name, Json body) {
  Json message = {{"seq", ++n_sent_}, {"type", "event"}, {"event", name}};
  if (!body.is_null()) {
    message["body"] = std::move(body);
  }
  send_(lsp::to_text(message));
}

void DapSession::output(const char* category, std::string text, std::optional<FileRange> place) {
  Json body = {{"category", category}, {"output", std::move(text)}};
  if (place && sources_ != nullptr && place->file.has_value()) {
    Json range;
    sources_->put_range(*place, range);
    body["source"] = sources_->source(place->file);
    body["line"] = range["line"];
    body["column"] = range["column"];
  }
  event("output", std::move(body));
}

void DapSession::report_malformed(const std::string& message) {
  output("stderr", fmt::format("tacet debug: {}\n", message));
}

void DapSession::receive(std::string_view body) {
  Result<DapRequest> request = parse_request(body);
  if (!request) {
    report_malformed(request.error().message);
    return;
  }
  if (request->arguments == nullptr) {
    refuse(*request, "`arguments` must be an object");
    return;
  }
  const auto handler = handlers().find(request->command);
  if (handler == handlers().end()) {
    refuse(*request, fmt::format("no request `{}`", request->command));
    return;
  }
  if (state_ == State::New && request->command != "initialize" &&
      request->command != "disconnect") {
    refuse(*request, "the session is not initialized");
    return;
  }
  ArgumentReader reader(*request->arguments);
  (this->*handler->second)(*request, reader);
}

auto DapSession::paused(const DapRequest& request) -> DebugRun* {
  if (run_ == nullptr || state_ != State::Running) {
    refuse(request, state_ == State::Ended ? "the run has ended" : "nothing is running");
    return nullptr;
  }
  if (run_->is_moving()) {
    refuse(request, "the run is not paused");
    return nullptr;
  }
  return run_.get();
}

void DapSession::initialize(const DapRequest& request, ArgumentReader& reader) {
  if (state_ != State::New) {
    refuse(request, "the session is already initialized");
    return;
  }
  positions_.first_line = reader.flag("linesStartAt1", true) ? 1 : 0;
  positions_.first_column = reader.flag("columnsStartAt1", true) ? 1 : 0;
  shows_types_ = reader.flag("supportsVariableType", false);
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  state_ = State::Initialized;
  const auto filter = [](const char* id, const char* label, const char* description) {
    return Json{{"filter", id}, {"label", label}, {"description", description}, {"default", false}};
  };
  answer(request,
         {{"supportsConfigurationDoneRequest", true},
          {"supportsFunctionBreakpoints", true},
          {"supportsConditionalBreakpoints", true},
          {"supportsHitConditionalBreakpoints", true},
          {"supportsLogPoints", true},
          {"supportsEvaluateForHovers", true},
          {"supportsClipboardContext", true},
          {"supportsStepBack", true},
          {"supportsTerminateRequest", true},
          {"supportsBreakpointLocationsRequest", true},
          {"supportsExceptionInfoRequest", true},
          {"supportsDelayedStackTraceLoading", true},
          {"supportsCompletionsRequest", true},
          {"supportTerminateDebuggee", true},
          {"exceptionBreakpointFilters",
           {filter("secretBranches", "Secret branches",
                   "Pause in front of a branch or loop whose condition depends on a secret"),
            filter("loopsCutShort", "Loops stopped at their max",
                   "Pause where a loop stops at its `max` but would continue")}}});
}

void DapSession::attach(const DapRequest& request, ArgumentReader& /*reader*/) {
  refuse(request, "a run cannot be attached to; use `launch`");
}

void DapSession::launch(const DapRequest& request, ArgumentReader& /*reader*/) {
  if (state_ != State::Initialized) {
    refuse(request, "the program is already launched");
    return;
  }
  Result<LaunchRequest> wanted = read_launch(*request.arguments);
  if (!wanted) {
    refuse(request, wanted.error().message);
    return;
  }
  request_ = std::move(*wanted);
  Result<Debuggee> debuggee = launch_(request_, [this](LaunchOutput text) {
    output(text.is_error ? "stderr" : "console", std::move(text.text));
  });
  if (!debuggee) {
    refuse(request, debuggee.error().message);
    return;
  }
  sources_ = std::make_unique<Sources>(*debuggee, positions_);
  run_ = std::make_unique<DebugRun>(
      std::move(*debuggee), request_.secrets,
      [this](DebugRun::Log kind, const std::string& text, FileRange place) {
        output(kind == DebugRun::Log::Message ? "stdout" : "stderr", text + "\n", place);
      });
  state_ = State::Launched;
  answer(request);
  resolve_all();
  event("initialized");
}

void DapSession::configuration_done(const DapRequest& request, ArgumentReader& /*reader*/) {
  if (state_ != State::Launched) {
    refuse(request, state_ == State::Initialized ? "nothing is launched"
                                                 : "the configuration is already done");
    return;
  }
  state_ = State::Running;
  answer(request);
  give_breakpoints();
  run_->begin(Motion::Start);
}

void DapSession::threads(const DapRequest& request, ArgumentReader& /*reader*/) {
  Json list = Json::array();
  if (state_ == State::Launched || state_ == State::Running) {
    list.push_back({{"id", 1}, {"name", "ref"}});
  }
  answer(request, {{"threads", std::move(list)}});
}

void DapSession::disconnect(const DapRequest& request, ArgumentReader& /*reader*/) {
  answer(request);
  is_over_ = true;
  if (run_ != nullptr) {
    run_->interrupt();
  }
}

void DapSession::terminate(const DapRequest& request, ArgumentReader& /*reader*/) {
  answer(request);
  if (state_ == State::Running || state_ == State::Launched) {
    run_->interrupt();
    state_ = State::Ended;
    event("terminated");
  }
}

void DapSession::cancel(const DapRequest& request, ArgumentReader& /*reader*/) {
  refuse(request, "requests are answered at once");
}

}  // namespace tacet::debugger
