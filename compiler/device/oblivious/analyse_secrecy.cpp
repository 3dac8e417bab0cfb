#include <algorithm>
#include <array>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/secrecy_control.h"
#include "compiler/device/oblivious/secrecy_scopes.h"
#include "compiler/device/oblivious/secrecy_state.h"

namespace tacet::oblivious {

using kernel::Block;
using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;
using types::Visibility;

/// Walks the statements in the order in which they run.
class SecrecyAnalysis {
 public:
  SecrecyAnalysis(const kernel::Kernel& kernel, const SecrecyOptions& options)
      : kernel_(kernel),
        options_(options),
        facts_(kernel),
        state_(kernel.variables.size(), facts_.causes_),
        control_(state_),
        scopes_(find_scopes(kernel)),
        levels_(kernel.variables.size(), 0),
        latest_(kernel.statements.size()),
        stamps_(kernel.exprs.size(), 0),
        of_expr_(kernel.exprs.size()) {
    facts_.statements_.resize(kernel.statements.size());
    facts_.results_.resize(kernel.results.size());
  }

  auto run() -> Secrecy {
    for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const VariableId parameter = kernel_.parameters[i];
      const kernel::Variable& variable = kernel_.variables[parameter];
      const bool is_secret = i < options_.parameters.size()
                                 ? options_.parameters[i]
                                 : variable.visibility == Visibility::Secret;
      if (is_secret) {
        state_.set(parameter, begin(Cause::Kind::Parameter, parameter, variable.place));
      }
    }
    block(kernel_.body);
    return std::move(facts_);
  }

 private:
  enum class Tests : uint8_t { First, Last };

  // ---- causes ----

  auto begin(Cause::Kind kind, VariableId variable, FileRange place) -> CauseId {
    return facts_.causes_.add({kind, variable, place, {}, {}, 1});
  }

  /// One step more. Rounds of a loop that find the same step share it.
  auto step(StatementId at, Cause::Kind kind, VariableId variable, FileRange place, CauseId from)
      -> CauseId {
    const uint32_t length = from.has_value() ? facts_.causes_[from].length + 1 : 1;
    const Cause cause{kind, variable, place, from, at, length};
    CauseId& latest = latest_[at.index];
    if (!latest.has_value() || facts_.causes_[latest] != cause) {
      latest = facts_.causes_.add(cause);
    }
    return latest;
  }

  // ---- expressions ----

  void start(StatementId at) {
    Secrecy::AtStatement& facts = facts_.statements_[at.index];
    facts.is_reached = true;
    facts.control = control_.cause();
    facts.secrets.clear();
  }

  void finish(StatementId at) {
    auto& secrets = facts_.statements_[at.index].secrets;
    std::sort(secrets.begin(), secrets.end());
    secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  }

  void note(StatementId at, VariableId variable) {
    if (state_[variable].has_value()) {
      facts_.statements_[at.index].secrets.emplace_back(variable, state_[variable]);
    }
  }

  auto value(StatementId at, ExprId expr) -> CauseId {
    ++stamp_;
    has_secret_draw_ = false;
    return find(at, expr);
  }

  auto find(StatementId at, ExprId id) -> CauseId {
    if (stamps_[id.index] == stamp_) {
      return of_expr_[id.index];
    }
    const kernel::Expr& expr = kernel_.exprs[id];
    CauseId cause;
    if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      note(at, read->variable);
      cause = state_[read->variable];
    } else {
      const auto* draw = std::get_if<kernel::Draw>(&expr.node);
      has_secret_draw_ = has_secret_draw_ || (draw != nullptr && draw->is_secret);
      visit_exprs(expr, [&](ExprId operand) { cause = state_.shorter(cause, find(at, operand)); });
    }
    stamps_[id.index] = stamp_;
    of_expr_[id.index] = cause;
    return cause;
  }

  auto place(ExprId expr) const -> FileRange { return kernel_.exprs[expr].place; }

  // ---- statements ----

  void block(const Block& statements) {
    if (const auto found = scopes_.at_block.find(&statements); found != scopes_.at_block.end()) {
      for (VariableId variable : found->second) {
        levels_[variable.index] = control_.level();
      }
    }
    for (StatementId id : statements) {
      if (!is_reachable_) {
        return;
      }
      for (VariableId variable : scopes_.at_statement[id.index]) {
        levels_[variable.index] = control_.level();
      }
      std::visit([&](const auto& node) { run(id, node); }, kernel_.statements[id].node);
    }
  }

  /// Gives `variable` a value that is as secret as `from`, if that is.
  void assign(StatementId at, VariableId variable, CauseId from, Cause::Kind kind) {
    const FileRange where = kernel_.statements[at].place;
    if (from.has_value()) {
      state_.set(variable, step(at, kind, variable, where, from));
    } else if (control_.level() > levels_[variable.index]) {
      state_.set(variable, step(at, Cause::Kind::Decided, variable, where, control_.cause()));
    } else if (options_.declarations == Declarations::Count &&
               kernel_.variables[variable].visibility == Visibility::Secret) {
      state_.set(variable, step(at, Cause::Kind::Declared, variable, where, {}));
    } else {
      state_.set(variable, {});
    }
  }

  void run(StatementId at, const kernel::Assign& node) {
    start(at);
    const CauseId cause = value(at, node.value);
    const bool is_drawn = has_secret_draw_;
    finish(at);
    if (is_drawn) {
      const FileRange where = kernel_.statements[at].place;
      state_.set(node.variable, step(at, Cause::Kind::Called, node.variable, where, cause));
      return;
    }
    assign(at, node.variable, cause, Cause::Kind::Assigned);
  }

  void run(StatementId at, const kernel::StoreElement& node) {
    start(at);
    CauseId cause = value(at, node.value);
    for (ExprId index : node.indices) {
      cause = state_.shorter(cause, value(at, index));
    }
    note(at, node.array);
    finish(at);
    const CauseId before = state_[node.array];
    if (!before.has_value()) {  // the other elements stay as they are
      assign(at, node.array, cause, Cause::Kind::Stored);
    }
  }

  void run(StatementId at, const kernel::If& node) {
    start(at);
    const CauseId cause = value(at, node.condition);
    finish(at);
    if (cause.has_value()) {
      control_.marks.push_back(step(at, Cause::Kind::Branch, {}, place(node.condition), cause));
    }
    const size_t mark = state_.mark();
    const Exits before = control_.exits;
    block(node.then);
    Changes then = state_.take_back(mark);
    const bool then_continues = std::exchange(is_reachable_, true);
    const Exits after = std::exchange(control_.exits, before);
    block(node.otherwise);
    Changes otherwise = state_.take_back(mark);
    if (cause.has_value()) {
      control_.marks.pop_back();
    }
    control_.exits = control_.joined(after, control_.exits);
    if (then_continues && is_reachable_) {
      state_.apply(state_.join(then, otherwise));
    } else {
      state_.apply(then_continues ? then : otherwise);
    }
    is_reachable_ = then_continues || is_reachable_;
  }

  void run(StatementId at, const kernel::For& node) {
    start(at);
    CauseId start_cause = value(at, node.lower);
    if (node.step) {
      start_cause = state_.shorter(start_cause, value(at, *node.step));
    }
    CauseId bound = state_.shorter(start_cause, value(at, node.upper));
    if (node.max) {
      bound = state_.shorter(bound, value(at, *node.max));
    }
    finish(at);
    CauseId counter;
    if (start_cause.has_value()) {
      const FileRange where = kernel_.variables[node.counter].place;
      const uint32_t length = facts_.causes_[start_cause].length + 1;
      counter =
          facts_.causes_.add({Cause::Kind::Counted, node.counter, where, start_cause, at, length});
    }
    const CauseId mark =
        bound.has_value() ? step(at, Cause::Kind::Loop, {}, place(node.upper), bound) : CauseId();
    loop(mark, Tests::First, [&] {
      state_.set(node.counter, counter);
      block(node.body);
      return mark;
    });
  }

  void run(StatementId at, const kernel::While& node) {
    start(at);
    CauseId mark;
    const auto test = [&] {
      facts_.statements_[at.index].secrets.clear();
      CauseId cause = value(at, node.condition);
      if (node.max) {
        cause = state_.shorter(cause, value(at, *node.max));
      }
      finish(at);
      if (cause.has_value()) {
        mark = step(at, Cause::Kind::Loop, {}, place(node.condition), cause);
      }
    };
    loop({}, node.tests_last ? Tests::Last : Tests::First, [&] {
      if (!node.tests_last) {
        test();
      }
      if (mark.has_value()) {
        control_.marks.push_back(mark);
        control_.frames.back().n_marks = control_.marks.size();
      }
      const bool is_marked = mark.has_value();
      block(node.body);
      if (is_marked) {
        control_.marks.pop_back();
      }
      if (node.tests_last) {
        const bool continues = std::exchange(is_reachable_, true);
        test();
        is_reachable_ = continues;
      }
      return mark;
    });
  }

  /// Runs `iteration`, a body with what is tested before or after it, until nothing changes any
  /// more. It returns why a secret decides how often, which counts from the next iteration on.
  template <class Iteration>
  void loop(CauseId mark, Tests tests, Iteration iteration) {
    LoopFrame frame;
    frame.outer = control_.exits;
    frame.begin = state_.mark();
    const size_t begin = frame.begin;
    if (mark.has_value()) {
      control_.marks.push_back(mark);
    }
    frame.n_marks = control_.marks.size();
    control_.frames.push_back(std::move(frame));
    control_.exits = {{}, {}, control_.exits.returned};
    Changes entry;
    Changes end;
    bool is_stable = false;
    CauseId seen = mark;
    while (!is_stable) {
      control_.frames.back().has_break = control_.frames.back().has_continue = false;
      control_.exits.continued = {};
      const Exits before = control_.exits;
      state_.apply(entry);
      const CauseId decided = iteration();
      end = state_.take_back(begin);
      LoopFrame& self = control_.frames.back();
      if (self.has_continue) {
        end = is_reachable_ ? state_.join(end, self.at_continue) : self.at_continue;
      }
      const bool repeats = is_reachable_ || self.has_continue;
      is_reachable_ = true;
      control_.exits = control_.joined(before, control_.exits);
      Changes next = repeats ? grown(entry, end) : entry;
      const size_t n_exits = Exits{control_.exits.broken, {}, control_.exits.returned}.count();
      is_stable = same_secrets(next, entry) && n_exits == before.count() &&
                  decided.has_value() == seen.has_value();
      seen = decided;
      entry = std::move(next);
      if (!repeats) {
        end.clear();
      }
    }
    leave(mark, tests == Tests::Last ? grown(entry, end) : entry);
  }

  /// What holds at the head of a loop, given what did in the previous round: `end` is another
  /// predecessor. Only what became secret by the loop is listed.
  auto grown(const Changes& entry, const Changes& end) const -> Changes {
    Changes next = state_.join(entry, state_.join({}, end));
    std::erase_if(next, [&](const auto& change) {
      return change.second.has_value() == state_[change.first].has_value();
    });
    return next;
  }

  void leave(CauseId mark, Changes exit) {
    LoopFrame frame = std::move(control_.frames.back());
    control_.frames.pop_back();
    if (mark.has_value()) {
      control_.marks.pop_back();
    }
    if (frame.has_break) {
      exit = state_.join(exit, frame.at_break);
    }
    state_.apply(exit);
    control_.exits = {frame.outer.broken, frame.outer.continued,
                      state_.shorter(frame.outer.returned, control_.exits.returned)};
  }

  void run(StatementId at, const kernel::Break& /*node*/) {
    end_iteration(at, &Exits::broken, &LoopFrame::has_break, &LoopFrame::at_break);
  }

  void run(StatementId at, const kernel::Continue& /*node*/) {
    end_iteration(at, &Exits::continued, &LoopFrame::has_continue, &LoopFrame::at_continue);
  }

  /// Another exit from an iteration, at the present point of the walk.
  void end_iteration(StatementId at, CauseId Exits::*exit, bool LoopFrame::*has_exit,
                     Changes LoopFrame::*at_exit) {
    start(at);
    if (control_.frames.empty()) {
      return;
    }
    LoopFrame& frame = control_.frames.back();
    if (control_.is_decided_in_loop()) {
      control_.exits.*exit =
          step(at, Cause::Kind::Exit, {}, kernel_.statements[at].place, control_.cause());
    }
    Changes changes = state_.changes_since(frame.begin);
    frame.*at_exit = frame.*has_exit ? state_.join_from(frame.begin, frame.*at_exit, changes)
                                     : std::move(changes);
    frame.*has_exit = true;
    is_reachable_ = false;
  }

  void run(StatementId at, const kernel::Return& node) {
    start(at);
    const bool is_decided = control_.level() > 0;
    if (is_decided) {
      control_.exits.returned =
          step(at, Cause::Kind::Exit, {}, kernel_.statements[at].place, control_.cause());
    }
    for (size_t i = 0; i < node.values.size() && i < facts_.results_.size(); ++i) {
      CauseId cause = value(at, node.values[i]);
      if (!cause.has_value() && is_decided) {
        cause = control_.exits.returned;
      }
      facts_.results_[i] = state_.shorter(facts_.results_[i], cause);
    }
    finish(at);
    is_reachable_ = false;
  }

  void run(StatementId at, const kernel::Call& node) {
    start(at);
    CauseId cause;
    std::vector<bool> arguments;
    for (ExprId argument : node.arguments) {
      const CauseId of_argument = value(at, argument);
      arguments.push_back(of_argument.has_value());
      cause = state_.shorter(cause, of_argument);
    }
    finish(at);
    std::vector<bool> secret;
    if (options_.summary) {
      secret = options_.summary(node, arguments);
    }
    for (size_t i = 0; i < node.results.size(); ++i) {
      const VariableId result = node.results[i];
      const bool is_declared = kernel_.variables[result].visibility == Visibility::Secret;
      const bool is_secret =
          options_.summary ? i < secret.size() && secret[i] : cause.has_value() || is_declared;
      if (is_secret) {
        const FileRange where = kernel_.statements[at].place;
        state_.set(result, step(at, Cause::Kind::Called, result, where, cause));
      } else {
        assign(at, result, {}, Cause::Kind::Called);
      }
    }
  }

  void run(StatementId at, const kernel::Reveal& node) {
    start(at);
    value(at, node.value);
    finish(at);
    assign(at, node.variable, {}, Cause::Kind::Assigned);
  }

  void run(StatementId at, const kernel::SecretRegion& node) {
    start(at);
    for (const kernel::SecretRegion::Port& port : node.inputs) {
      note(at, port.outer);
      state_.set(port.inner, state_[port.outer]);
    }
    finish(at);
    block(node.body);
    for (const kernel::SecretRegion::Port& port : node.outputs) {
      assign(at, port.outer, state_[port.inner], Cause::Kind::Assigned);
    }
  }

  void run(StatementId at, const kernel::Separator& /*node*/) { start(at); }

  const kernel::Kernel& kernel_;
  const SecrecyOptions& options_;
  Secrecy facts_;
  SecrecyState state_;
  SecrecyControl control_;
  VariableScopes scopes_;
  std::vector<size_t> levels_;  ///< by variable: that of where it is declared
  std::vector<CauseId> latest_;
  bool is_reachable_ = true;
  // Of the present expression: shared parts are visited once.
  std::vector<uint32_t> stamps_;
  std::vector<CauseId> of_expr_;
  uint32_t stamp_ = 0;
  bool has_secret_draw_ = false;  ///< in the expression that `value` was called for
};

auto analyse_secrecy(const kernel::Kernel& kernel, const SecrecyOptions& options) -> Secrecy {
  return SecrecyAnalysis(kernel, options).run();
}

}  // namespace tacet::oblivious
