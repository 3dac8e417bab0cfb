#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "compiler/core/diagnostics/code.h"
#include "compiler/run/interpret/value.h"
#include "debugger/server/dap_session.h"

// How the run moves and pauses.

namespace tacet::debugger {

void DapSession::move(const DapRequest& request, Motion motion) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  answer(request, motion == Motion::Continue ? Json{{"allThreadsContinued", true}} : Json());
  references_.clear();
  const bool is_back = motion == Motion::Back || motion == Motion::BackToBreakpoint;
  if (run->is_failed() && !is_back) {
    end_failed();
    return;
  }
  run->begin(motion);
}

void DapSession::continue_run(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::Continue);
}

void DapSession::next(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::Over);
}

void DapSession::step_in(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::Into);
}

void DapSession::step_out(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::Out);
}

void DapSession::step_back(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::Back);
}

void DapSession::reverse_continue(const DapRequest& request, ArgumentReader& /*reader*/) {
  move(request, Motion::BackToBreakpoint);
}

void DapSession::pause(const DapRequest& request, ArgumentReader& /*reader*/) {
  if (run_ == nullptr || state_ != State::Running) {
    refuse(request, state_ == State::Ended ? "the run has ended" : "nothing is running");
    return;
  }
  answer(request);
  if (run_->is_starting()) {
    pauses_at_start_ = true;
  } else if (run_->is_moving()) {
    run_->interrupt();
    show_pause({PauseReason::Requested});
  }
}

void DapSession::advance() {
  if (!is_moving()) {
    return;
  }
  if (const std::optional<Pause> paused = run_->advance()) {
    show_pause(*paused);
  }
}

void DapSession::stopped(const char* reason, const std::string& description, const Pause& pause) {
  Json body = {{"reason", reason}, {"threadId", 1}, {"allThreadsStopped", true}};
  if (!description.empty()) {
    body["description"] = description;
  }
  if (!pause.breakpoints.empty()) {
    body["hitBreakpointIds"] = pause.breakpoints;
  }
  if (pause.reason == PauseReason::Failed) {
    body["text"] = run_->failure().message;
  }
  event("stopped", std::move(body));
}

void DapSession::show_pause(const Pause& pause) {
  references_.clear();
  switch (pause.reason) {
    case PauseReason::Entry: {
      const bool is_back = std::exchange(has_started_, true);
      if (std::exchange(pauses_at_start_, false)) {
        stopped("pause", "", pause);
        return;
      }
      if (request_.is_debugged && (request_.stops_on_entry || is_back)) {
        stopped("entry", is_back ? "Start of the run" : "", pause);
        return;
      }
      std::vector<int64_t> hit =
          request_.is_debugged ? run_->breakpoints_here() : std::vector<int64_t>();
      if (hit.empty()) {
        run_->begin(Motion::Continue);
      } else {
        stopped("breakpoint", "", {PauseReason::Breakpoint, std::move(hit)});
      }
      return;
    }
    case PauseReason::Step:
      stopped("step", "", pause);
      return;
    case PauseReason::Breakpoint:
      stopped("breakpoint", "", pause);
      return;
    case PauseReason::Requested:
      stopped("pause", "", pause);
      return;
    case PauseReason::SecretBranch:
      stopped("exception", "Secret branch", pause);
      return;
    case PauseReason::LoopCutShort:
      stopped("exception", "Loop stopped at its max", pause);
      return;
    case PauseReason::Failed:
      if (!request_.is_debugged) {
        end_failed();
        return;
      }
      stopped("exception", "Run failed", pause);
      return;
    case PauseReason::Ended:
      end();
      return;
  }
}

void DapSession::print(const Diagnostic& diagnostic) {
  const bool is_error = diagnostic.severity == Severity::Error;
  std::string text = fmt::format("{}[{}]: {}\n", is_error ? "error" : "warning",
                                 code_name(diagnostic.code), diagnostic.message);
  for (const std::string& note : diagnostic.notes) {
    text += fmt::format("note: {}\n", note);
  }
  output("stderr", std::move(text), diagnostic.place);
}

void DapSession::show_results() {
  const std::vector<interpret::Value> values = run_->results();
  const std::vector<bool> hidden = run_->hidden_results();
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{} = {}\n", run_->debuggee().compilation.executable->results[i].name,
                        hidden[i] ? std::string(kHiddenValue) : interpret::value_text(values[i]));
  }
  if (!text.empty()) {
    output("stdout", std::move(text));
  }
}

void DapSession::end() {
  for (const Diagnostic& warning : run_->warnings()) {
    print(warning);
  }
  show_results();
  state_ = State::Ended;
  event("exited", {{"exitCode", 0}});
  event("terminated");
}

void DapSession::end_failed() {
  for (const Diagnostic& warning : run_->warnings()) {
    print(warning);
  }
  print(run_->failure());
  state_ = State::Ended;
  event("exited", {{"exitCode", 1}});
  event("terminated");
}

}  // namespace tacet::debugger
