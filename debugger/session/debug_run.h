#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "debugger/session/breakpoint.h"
#include "debugger/session/code_map.h"
#include "debugger/session/debuggee.h"
#include "debugger/session/evaluator.h"
#include "debugger/session/history.h"
#include "debugger/session/secrets.h"
#include "debugger/session/values.h"

namespace tacet::debugger {

/// What a user asks a paused run to do.
enum class Motion : uint8_t {
  Start,  ///< to the first statement
  Continue,
  Over,  ///< to the next statement of this function or of its callers
  Into,
  Out,   ///< behind the call of this function; out of a `for` expression
  Back,  ///< to the previous statement of this function or of its callers
  BackToBreakpoint,
};

enum class PauseReason : uint8_t {
  Entry,  ///< at the first statement
  Step,
  Breakpoint,
  Requested,
  Failed,
  SecretBranch,
  LoopCutShort,
  Ended,
};

struct Pause {
  PauseReason reason{};
  std::vector<int64_t> breakpoints{};  ///< that paused it
};

/// What pauses a run besides breakpoints.
struct PauseFilters {
  bool secret_branches = false;
  bool loops_cut_short = false;
};

/// A frame as it is shown.
struct ShownFrame {
  interpret::TracedFrame frame;
  std::string name;
  FileRange place;
};

/// A variable in scope.
struct ShownVariable {
  std::string name;
  ValueNode value;
  bool is_available = true;
  bool is_parameter = false;
  std::string missing{};  ///< why it is not available
};

/// A run that can be paused, examined, and moved forwards and backwards. Plain data in and out; the
/// caller gives it time by `advance`. One thread at a time.
class DebugRun {
 public:
  /// `log` hears what log points print, and what is wrong with conditions of breakpoints.
  enum class Log : uint8_t { Message, Problem };
  using Logger = std::function<void(Log kind, std::string text, FileRange place)>;

  DebugRun(Debuggee debuggee, SecretValues secrets, Logger log, HistoryLimits limits = {});
  DebugRun(const DebugRun&) = delete;
  auto operator=(const DebugRun&) -> DebugRun& = delete;

  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void set_filters(PauseFilters filters) { filters_ = filters; }

  /// Begins to move. The run must not be moving.
  void begin(Motion motion);
  /// Moves for a millisecond or so. The pause at its end, if it ended.
  auto advance() -> std::optional<Pause>;
  /// The breakpoints that would pause it where it is.
  auto breakpoints_here() -> std::vector<int64_t>;
  /// Stops moving.
  void interrupt();
  [[nodiscard]] auto is_moving() const -> bool { return motion_.has_value(); }
  /// Whether it is on its way to the first statement, in front of which there is nothing to show.
  [[nodiscard]] auto is_starting() const -> bool { return motion_ == Motion::Start; }

  [[nodiscard]] auto is_ended() const -> bool { return machine_.is_ended(); }
  [[nodiscard]] auto is_failed() const -> bool { return machine_.is_failed(); }
  [[nodiscard]] auto clock() const -> uint64_t { return machine_.clock(); }
  [[nodiscard]] auto is_at_start() const -> bool { return machine_.clock() <= start_; }
  /// The results, once ended.
  [[nodiscard]] auto results() const -> std::vector<interpret::Value>;
  /// By result: whether its value is hidden.
  [[nodiscard]] auto hidden_results() const -> std::vector<bool>;
  /// Why it failed; without values that are hidden.
  [[nodiscard]] auto failure() const -> Diagnostic;
  /// Loops that were stopped at their `max`.
  [[nodiscard]] auto warnings() const -> std::vector<Diagnostic>;

  [[nodiscard]] auto frames(uint64_t skipped, uint64_t most, uint64_t& n_frames) const
      -> std::vector<ShownFrame>;
  /// Frame number `index` from the innermost, or nothing.
  [[nodiscard]] auto frame(uint64_t index) const -> std::optional<ShownFrame>;
  [[nodiscard]] auto variables(const interpret::TracedFrame& frame) const
      -> std::vector<ShownVariable>;
  [[nodiscard]] auto secrets_of(const interpret::TracedFrame& frame, const ValueNode& value) const
      -> SecretView;
  auto evaluate(const std::string& expression, const interpret::TracedFrame& frame)
      -> Result<ValueNode>;

  [[nodiscard]] auto values() const -> const Values& { return values_; }
  [[nodiscard]] auto code() const -> const CodeMap& { return code_; }
  [[nodiscard]] auto debuggee() const -> const Debuggee& { return debuggee_; }
  [[nodiscard]] auto machine() const -> const interpret::TracedMachine& { return machine_; }
  [[nodiscard]] auto history() const -> const History& { return history_; }

 private:
  /// A search for the last time before `limit` that fits.
  struct Search {
    uint64_t limit = 0;
    uint64_t begin = 0;  ///< the image that it runs from
    std::optional<uint64_t> found{};
    std::vector<int64_t> breakpoints{};
  };

  [[nodiscard]] auto debug() const -> const interpret::DebugInfo& {
    return debuggee_.compilation.debug;
  }
  [[nodiscard]] auto level() const -> uint32_t;
  auto advance_forward() -> std::optional<Pause>;
  auto advance_backward() -> std::optional<Pause>;
  void consider_mark();
  auto pause(PauseReason reason, std::vector<int64_t> breakpoints = {}) -> Pause;
  /// The breakpoints that pause at the mark in front of which the machine is.
  auto hits(bool prints) -> std::vector<int64_t>;
  auto holds(const Breakpoint& breakpoint) -> bool;
  void print(const Breakpoint& breakpoint);
  auto is_step(uint32_t mark) const -> bool;
  [[nodiscard]] auto is_declared_secret(uint32_t function, uint32_t variable) const -> bool;
  void find_secrets();

  Debuggee debuggee_;
  std::vector<Input> inputs_;
  interpret::OriginSet secret_inputs_ = 0;
  Arguments arguments_;
  interpret::TracedMachine machine_;
  History history_;
  CodeMap code_;
  Values values_;
  Evaluator evaluator_;
  Logger log_;
  PauseFilters filters_;
  std::vector<Breakpoint> breakpoints_;
  std::vector<uint8_t> stops_;                       ///< by mark
  std::vector<std::vector<bool>> secret_variables_;  ///< by function and variable
  std::vector<names::Device> devices_;               ///< by function
  std::optional<Motion> motion_;
  interpret::TracedUntil until_;
  Search search_;
  uint64_t start_ = 0;  ///< the time of the first statement
};

}  // namespace tacet::debugger
