#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "debugger/server/dap_message.h"
#include "debugger/server/launch.h"
#include "debugger/server/sources.h"
#include "debugger/session/debug_run.h"

namespace tacet::debugger {

/// One session of the Debug Adapter Protocol: bodies of messages in and out. It never waits: while
/// `is_moving`, the caller calls `advance` when no message is there.
class DapSession {
 public:
  using Send = std::function<void(const std::string& body)>;

  DapSession(Launcher launcher, Send send) : launch_(std::move(launcher)), send_(std::move(send)) {}
  DapSession(const DapSession&) = delete;
  auto operator=(const DapSession&) -> DapSession& = delete;

  void receive(std::string_view body);
  /// Reports a stretch of the input that was no message.
  void report_malformed(const std::string& message);
  void advance();
  [[nodiscard]] auto is_moving() const -> bool { return run_ != nullptr && run_->is_moving(); }
  /// Whether the client said that the session is over.
  [[nodiscard]] auto is_over() const -> bool { return is_over_; }

 private:
  enum class State : uint8_t { New, Initialized, Launched, Running, Ended };

  /// What a `variablesReference` means until the run moves.
  struct Reference {
    enum class Kind : uint8_t { Locals, Secrets, Value, Details };
    Kind kind = Kind::Value;
    ShownFrame frame;
    ValueNode value{};
    std::string expression{};  ///< that gives the value, or empty
    SecretView view{};
  };

  /// Breakpoints as the client wants them.
  struct WantedBreakpoint {
    std::shared_ptr<const Json> given;
    int64_t id = 0;
  };

  using Handler = void (DapSession::*)(const DapRequest&, ArgumentReader&);
  static auto handlers() -> const std::map<std::string, Handler, std::less<>>&;

  // dap_session.cpp
  void answer(const DapRequest& request);
  void answer(const DapRequest& request, Json body);
  void refuse(const DapRequest& request, const std::string& message);
  void event(const char* name);
  void event(const char* name, Json body);
  void output(const char* category, std::string text, std::optional<FileRange> place = {});
  /// The run, if it is paused; else the request is refused.
  auto paused(const DapRequest& request) -> DebugRun*;
  void initialize(const DapRequest& request, ArgumentReader& reader);
  void launch(const DapRequest& request, ArgumentReader& reader);
  void attach(const DapRequest& request, ArgumentReader& reader);
  void configuration_done(const DapRequest& request, ArgumentReader& reader);
  void threads(const DapRequest& request, ArgumentReader& reader);
  void disconnect(const DapRequest& request, ArgumentReader& reader);
  void terminate(const DapRequest& request, ArgumentReader& reader);
  void cancel(const DapRequest& request, ArgumentReader& reader);

  // dap_motion.cpp
  void pause(const DapRequest& request, ArgumentReader& reader);
  void continue_run(const DapRequest& request, ArgumentReader& reader);
  void next(const DapRequest& request, ArgumentReader& reader);
  void step_in(const DapRequest& request, ArgumentReader& reader);
  void step_out(const DapRequest& request, ArgumentReader& reader);
  void step_back(const DapRequest& request, ArgumentReader& reader);
  void reverse_continue(const DapRequest& request, ArgumentReader& reader);
  void move(const DapRequest& request, Motion motion);
  void show_pause(const Pause& pause);
  void stopped(const char* reason, const std::string& description, const Pause& pause);
  void end();
  void end_failed();
  void show_results();
  void print(const Diagnostic& diagnostic);

  // dap_breakpoints.cpp
  void set_breakpoints(const DapRequest& request, ArgumentReader& reader);
  void set_function_breakpoints(const DapRequest& request, ArgumentReader& reader);
  void set_exception_breakpoints(const DapRequest& request, ArgumentReader& reader);
  void breakpoint_locations(const DapRequest& request, ArgumentReader& reader);
  void exception_info(const DapRequest& request, ArgumentReader& reader);
  /// Resolves a breakpoint: what the client hears of it, and where it is.
  auto resolve(const Json& source, const WantedBreakpoint& wanted) -> Json;
  auto resolve_function(const WantedBreakpoint& wanted) -> Json;
  auto add_conditions(const Json& given, Breakpoint& breakpoint) -> std::string;
  void give_breakpoints();
  void resolve_all();

  // dap_inspect.cpp
  void stack_trace(const DapRequest& request, ArgumentReader& reader);
  void scopes(const DapRequest& request, ArgumentReader& reader);
  void variables(const DapRequest& request, ArgumentReader& reader);
  void evaluate(const DapRequest& request, ArgumentReader& reader);
  void source(const DapRequest& request, ArgumentReader& reader);
  void completions(const DapRequest& request, ArgumentReader& reader);
  auto add_reference(Reference reference) -> int64_t;
  auto variable(const std::string& name, const ShownFrame& frame, const ValueNode& value,
                const std::string& expression) -> Json;
  auto locals(const ShownFrame& frame) -> std::vector<Json>;
  auto secrets(const ShownFrame& frame) -> std::vector<Json>;
  auto details(const SecretView& view) -> std::vector<Json>;

  Launcher launch_;
  Send send_;
  State state_ = State::New;
  bool is_over_ = false;
  bool shows_types_ = false;
  ClientPositions positions_;
  LaunchRequest request_;
  std::unique_ptr<DebugRun> run_;
  std::unique_ptr<Sources> sources_;
  int64_t n_sent_ = 0;
  int64_t n_breakpoints_ = 0;
  struct OfSource {
    std::string key;  ///< the source as text
    std::vector<WantedBreakpoint> wanted;
  };
  std::vector<OfSource> wanted_;
  std::vector<WantedBreakpoint> wanted_functions_;
  std::map<int64_t, Breakpoint> breakpoints_;  ///< those that are verified
  PauseFilters filters_;
  std::vector<Reference> references_;
  bool has_started_ = false;  ///< the first statement was reached
  bool pauses_at_start_ = false;  ///< a pause was wanted before the first statement
};

}  // namespace tacet::debugger
