#include "compiler/device/oblivious/branches_to_selects.h"

#include <algorithm>

#include "base/overloads.h"
#include "compiler/device/oblivious/arms.h"
#include "compiler/device/oblivious/guard_operands.h"
#include "compiler/device/oblivious/join_arms.h"
#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/problems.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

class BranchesToSelects {
 public:
  explicit BranchesToSelects(Rewriting& rewriting)
      : rewriting_(rewriting),
        source_(rewriting.kernel),
        secrecy_(analyse_secrecy(source_)),
        ranges_(source_),
        kernel_(rewriting.kernel),
        writer_(kernel_),
        guard_(source_, secrecy_, ranges_, rewriting, writer_),
        arms_(writer_, source_) {}

  auto run() -> bool {
    kernel_.body = block(source_.body);
    return is_changed_;
  }

 private:
  auto block(const Block& block) -> Block {
    Block out;
    for (StatementId id : block) {
      statement(id, out);
    }
    return out;
  }

  void statement(StatementId id, Block& out) {
    const Statement& source = source_.statements[id];
    const auto* branch = std::get_if<If>(&source.node);
    if (branch != nullptr && secrecy_.is_secret(id, branch->condition) &&
        rewriting_.wanted(source.place) && can_happen_always(id)) {
      convert(id, *branch, out);
      return;
    }
    if (arms_.is_empty()) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return block(inner); });
      out.push_back(id);
      return;
    }
    writer_.set_place(source.place);
    std::visit(
        Overloads{
            [&](const Assign& assign) { assign_to(assign.variable, value(id, assign.value), out); },
            [&](const StoreElement& store) { this->store(id, store, out); },
            [&](const For& loop) { this->loop(id, loop, out); },
            [&](const Call& call) { this->call(id, call, out); },
            [&](const auto&) { keep(id, out); },
        },
        source.node);
  }

  /// `expr` as it is computed inside of the arms, where it may not fail.
  auto value(StatementId at, ExprId expr) -> ExprId {
    const FileRange place = writer_.place();
    const ExprId guarded = guard_.expr(at, expr, OperandGuard::Guarded::All);
    writer_.set_place(place);
    return arms_.renamed(guarded);
  }

  void keep(StatementId id, Block& out) {
    replace_exprs(kernel_, id, [&](ExprId expr) { return value(id, expr); });
    replace_blocks(kernel_, id, [&](const Block& inner) { return block(inner); });
    out.push_back(id);
  }

  // ---- what arms do ----

  /// `variable = value` where all arms around it are taken.
  void assign_to(VariableId variable, ExprId value, Block& out) {
    const VariableId called = arms_.name(variable);
    if (const std::optional<ExprId> taken = arms_.predicate(variable)) {
      value = writer_.pick(*taken, value, writer_.read(called));
      selections_ += n_elements(writer_.type(value));
      kernel_.variables[called].is_mutable = true;
    }
    out.push_back(writer_.assign(called, value));
  }

  void store(StatementId id, const StoreElement& source, Block& out) {
    StoreElement store = source;
    store.array = arms_.name(source.array);
    store.value = value(id, source.value);
    Block inside;
    std::vector<ExprId> conditions;
    for (size_t k = 0; k < store.indices.size(); ++k) {
      // What is written at a public place must be inside, now that no secret decides about it.
      const bool may_miss = !secrecy_.is_secret(id, source.indices[k]);
      const Range range = ranges_.of(source.indices[k]);
      store.indices[k] = held(value(id, source.indices[k]), out);
      if (may_miss) {
        add_limits(store.indices[k], range, kernel_.variables[store.array].type.extents[k],
                   conditions);
      }
    }
    if (const std::optional<ExprId> taken = arms_.predicate(source.array)) {
      const ExprId before = writer_.element(writer_.read(store.array), store.indices);
      store.value = writer_.pick(*taken, store.value, before);
      selections_ += n_elements(writer_.type(store.value));
    }
    Block stored{writer_.statement(std::move(store))};
    if (!conditions.empty()) {
      ExprId all = conditions.front();
      for (size_t i = 1; i < conditions.size(); ++i) {
        all = writer_.both(all, conditions[i]);
      }
      stored = {writer_.branch(all, std::move(stored))};
    }
    out.insert(out.end(), stored.begin(), stored.end());
  }

  /// What must hold of `index`, which has values in `range`, so that it is within `extent`.
  void add_limits(ExprId index, const Range& range, int64_t extent,
                  std::vector<ExprId>& conditions) {
    const engine::ElementType type = writer_.type(index).element;
    if (range.lower < 0) {
      conditions.push_back(writer_.binary(Operator::Geq, index, writer_.integer(0, type)));
    }
    if (range.upper >= extent) {
      conditions.push_back(writer_.binary(Operator::Lt, index, writer_.integer(extent, type)));
    }
  }

  auto held(ExprId expr, Block& out) -> ExprId {
    const auto& node = kernel_.exprs[expr].node;
    if (std::holds_alternative<Read>(node) || std::holds_alternative<Literal>(node)) {
      return expr;
    }
    const VariableId at = writer_.variable("at", writer_.type(expr));
    out.push_back(writer_.assign(at, expr));
    return writer_.read(at);
  }

  void loop(StatementId id, const For& source, Block& out) {
    keep(id, out);
    if (!source.step || ranges_.of(*source.step).lower >= 1) {
      return;
    }
    // A step less than 1 ends the loop behind its first iteration.
    Statement copy = kernel_.statements[id];
    For& loop = std::get<For>(copy.node);
    const ExprId one = writer_.integer(1, writer_.type(*loop.step).element);
    const ExprId is_step = writer_.binary(Operator::Geq, *loop.step, one);
    const ExprId second = writer_.binary(Operator::Add, loop.lower, one);
    const ExprId end = writer_.apply(engine::Function::Min, {loop.upper, second});
    loop.upper = writer_.pick(is_step, loop.upper, end);
    loop.step = writer_.pick(is_step, *loop.step, one);
    kernel_.statements[id] = std::move(copy);
  }

  void call(StatementId id, const Call& source, Block& out) {
    Call call = source;
    for (ExprId& argument : call.arguments) {
      argument = value(id, argument);
    }
    std::vector<VariableId> given;
    for (VariableId& result : call.results) {
      given.push_back(
          writer_.variable(kernel_.variables[result].name, kernel_.variables[result].type));
      result = given.back();
    }
    out.push_back(writer_.statement(std::move(call)));
    for (size_t i = 0; i < given.size(); ++i) {
      assign_to(source.results[i], writer_.read(given[i]), out);
    }
  }

  // ---- secret `if`s ----

  void convert(StatementId id, const If& outermost, Block& out) {
    const FileRange place = source_.statements[id].place;
    is_changed_ = true;
    writer_.set_place(place);
    const int64_t outer_selections = selections_;
    selections_ = 0;
    ExprId condition = arms_.is_empty()
                           ? guard_.expr(id, outermost.condition, OperandGuard::Guarded::Secrets)
                           : value(id, outermost.condition);
    const If& source = innermost(outermost, condition);
    writer_.set_place(place);
    const VariableSet stored = stored_in(source);
    const bool is_held = is_unchanged(condition, source);
    const ExprId taken =
        is_held ? condition : writer_.read(writer_.variable("chosen", {engine::kBool, {}}));
    ArmResult then = arm(taken, source.then, stored);
    writer_.set_place(place);
    ArmResult otherwise = arm(writer_.negation(taken), source.otherwise, stored);
    writer_.set_place(place);
    join(condition, taken, std::move(then), std::move(otherwise), out);
    note(place);
    selections_ += outer_selections;
  }

  /// An `if` that has nothing but another one, both without `else`, is one `if` of both conditions.
  /// Goes as far in as that holds.
  auto innermost(const If& outermost, ExprId& condition) -> const If& {
    const If* source = &outermost;
    while (source->otherwise.empty() && source->then.size() == 1) {
      const StatementId id = source->then.front();
      const FileRange place = source_.statements[id].place;
      const auto* inner = std::get_if<If>(&source_.statements[id].node);
      if (inner == nullptr || !inner->otherwise.empty() || !rewriting_.wanted(place) ||
          !secrecy_.is_secret(id, inner->condition)) {
        break;
      }
      const ExprId test = value(id, inner->condition);
      condition = writer_.both(condition, test);
      rewriting_.rewrites.push_back(
          {RewriteKind::Branch, place, "merged with the enclosing `if`", {}});
      source = inner;
    }
    return *source;
  }

  void note(FileRange place) {
    rewriting_.rewrites.push_back(
        {RewriteKind::Branch, place, "both arms are computed", {0, selections_, 0}});
  }

  /// Is `condition` a variable that the arms do not write?
  auto is_unchanged(ExprId condition, const If& source) const -> bool {
    const auto* read = std::get_if<Read>(&kernel_.exprs[condition].node);
    if (read == nullptr) {
      return false;
    }
    VariableSet written = variables_written(source_, source.then);
    written.merge(variables_written(source_, source.otherwise));
    return std::none_of(written.begin(), written.end(), [&](VariableId variable) {
      return arms_.name(variable) == read->variable;
    });
  }

  /// Arrays of which either arm writes elements in place. Not those that are public where one arm
  /// reads them, and would not be once a secret has decided what the other one gives them, by
  /// elements or as a whole: they may steer it.
  auto stored_in(const If& source) const -> VariableSet {
    VariableSet stored = stored_in(source.then);
    stored.merge(stored_in(source.otherwise));
    const VariableSet in_then = variables_written(source_, source.then);
    const VariableSet in_otherwise = variables_written(source_, source.otherwise);
    std::erase_if(stored, [&](VariableId array) {
      return (in_then.contains(array) && is_read_as_public(source.otherwise, array)) ||
             (in_otherwise.contains(array) && is_read_as_public(source.then, array));
    });
    return stored;
  }

  auto is_read_as_public(const Block& arm, VariableId array) const -> bool {
    bool is_found = false;
    walk_statements(source_, arm, [&](StatementId id) {
      visit_exprs(source_.statements[id], [&](ExprId expr) {
        is_found = is_found || (reads(source_, expr, array) && secrecy_.is_reached(id) &&
                                !secrecy_.cause_of(id, array).has_value());
      });
    });
    return is_found;
  }

  auto stored_in(const Block& arm) const -> VariableSet {
    VariableSet stored;
    walk_statements(source_, arm, [&](StatementId id) {
      if (const auto* store = std::get_if<StoreElement>(&source_.statements[id].node)) {
        stored.insert(store->array);
      }
    });
    return stored;
  }

  auto arm(ExprId taken, const Block& source, const VariableSet& stored) -> ArmResult {
    arms_.enter(taken, source, stored);
    Block body = block(source);
    Arms::Left left = arms_.leave();
    ArmResult result{std::move(left.prologue), {}};
    result.body.insert(result.body.end(), body.begin(), body.end());
    for (const auto& [outside, own] : left.own) {
      result.values[outside] = writer_.read(own.own);
      sources_[outside] = own.source;
    }
    take_last_values(kernel_, result, left.own);
    return result;
  }

  /// `taken` is the condition, or a variable that is to hold it.
  void join(ExprId condition, ExprId taken, ArmResult then, ArmResult otherwise, Block& out) {
    ArmJoin join = join_arms(writer_, then, otherwise);
    ExprId decides = taken;
    const bool are_empty = then.body.empty() && otherwise.body.empty();
    if (are_empty && join.values.size() == 1) {
      decides = condition;  // evaluated once
    } else if (taken != condition && !(are_empty && join.values.empty())) {
      out.push_back(writer_.assign(std::get<Read>(kernel_.exprs[taken].node).variable, condition));
    }
    out.insert(out.end(), then.body.begin(), then.body.end());
    out.insert(out.end(), otherwise.body.begin(), otherwise.body.end());
    for (const ArmJoin::Value& value : join.values) {
      selections_ += n_elements(writer_.type(value.then));
      kernel_.variables[value.variable].is_mutable = true;
      assign_to(sources_.at(value.variable), writer_.pick(decides, value.then, value.otherwise),
                out);
    }
  }

  // ---- what cannot be computed in every case ----

  auto can_happen_always(StatementId id) -> bool {
    bool can = true;
    visit_blocks(source_.statements[id],
                 [&](const Block& block) { can = can_happen_always(block, 0) && can; });
    return can;
  }

  /// `depth` counts the loops between the `if` and `block`. Visits everything, to report all
  /// problems.
  auto can_happen_always(const Block& block, int depth) -> bool {
    bool can = true;
    for (StatementId id : block) {
      const Statement& statement = source_.statements[id];

      can = can_happen_always(id, statement, depth) && can;
      visit_blocks(statement, [&](const Block& inner) {
        can = can_happen_always(inner, depth + (is_loop(statement) ? 1 : 0)) && can;
      });
    }
    return can;
  }

  auto can_happen_always(StatementId id, const Statement& statement, int depth) -> bool {
    const CauseId cause = secrecy_.control(id);
    if (std::holds_alternative<Reveal>(statement.node)) {
      rewriting_.diagnostics.push_back(secret_reveal(source_, secrecy_, cause, statement.place));
      return false;
    }
    if (const auto* call = std::get_if<Call>(&statement.node); call != nullptr && !call->is_pure) {
      rewriting_.diagnostics.push_back(
          secret_call(source_, secrecy_, cause, statement.place, call->name));
      return false;
    }
    if (const auto* loop = std::get_if<While>(&statement.node); loop != nullptr && !loop->max) {
      if (!secrecy_.is_secret(id, loop->condition)) {  // else T5030 was reported
        rewriting_.diagnostics.push_back(endless_arm(source_, secrecy_, cause, statement.place));
      }
      return false;
    }
    // Exits that are not to be rewritten.
    const bool leaves_loop = std::holds_alternative<Break>(statement.node) ||
                             std::holds_alternative<Continue>(statement.node);
    return !std::holds_alternative<Return>(statement.node) && !(leaves_loop && depth == 0);
  }

  Rewriting& rewriting_;
  const Kernel source_;  ///< what the analyses speak of
  const Secrecy secrecy_;
  Ranges ranges_;
  Kernel& kernel_;
  Writer writer_;
  OperandGuard guard_;
  Arms arms_;
  Renames sources_;  ///< of what arms have variables of their own for
  int64_t selections_ = 0;
  bool is_changed_ = false;
};

}  // namespace

auto branches_to_selects(Rewriting& rewriting) -> bool {
  return may_have_branches(rewriting) && BranchesToSelects(rewriting).run();
}

}  // namespace tacet::oblivious
