#include "compiler/device/kernel/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/verifies_passes.h"
#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using engine::kBool;
using types::Operator;

namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {
    for (const Expr& expr : kernel.exprs.values()) {
      const auto* draw = std::get_if<Draw>(&expr.node);
      has_secret_draws_ = has_secret_draws_ || (draw != nullptr && draw->is_secret);
    }
  }

  auto run() -> std::vector<std::string> {
    variables();
    const bool reaches_end = block(kernel_.body, 0);
    if (reaches_end && mistakes_.empty()) {  // what is wrong in itself is not looked into
      mistake("a path through the body ends without a return");
    }
    for (const auto& [id, n] : n_writes_) {
      const Variable& data = kernel_.variables[id];
      if (n > 1 && !data.is_mutable && data.kind == VariableKind::Local) {
        mistake(fmt::format("`{}` is assigned to in several places and not mutable", data.name));
      }
    }
    return std::move(mistakes_);
  }

 private:
  void mistake(std::string text) { mistakes_.push_back(std::move(text)); }

  void check(bool holds, std::string_view text, FileRange place) {
    if (!holds) {
      mistake(fmt::format("{} (at {}..{})", text, place.range.begin, place.range.end));
    }
  }

  void variables() {
    std::set<std::string> names;
    for (const Variable& data : kernel_.variables.values()) {
      if (!names.insert(data.name).second) {
        mistake(fmt::format("two variables are called `{}`", data.name));
      }
    }
    std::set<VariableId> parameters(kernel_.parameters.begin(), kernel_.parameters.end());
    for (uint32_t i = 0; i < kernel_.variables.size(); ++i) {
      const Variable& data = kernel_.variables[{i}];
      if ((data.kind == VariableKind::Parameter) != parameters.contains({i})) {
        mistake(fmt::format("`{}` is a parameter, or is none", data.name));
      }
    }
  }

  /// Can the end of the block be reached? `n_loops` are around it.
  auto block(const Block& statements, uint32_t n_loops) -> bool {
    bool continues = true;
    for (const StatementId id : statements) {
      if (id.index >= kernel_.statements.size()) {
        mistake("a statement that does not exist");
        continue;
      }
      continues = statement(id, n_loops) && continues;
    }
    return continues;
  }

  auto statement(StatementId id, uint32_t n_loops) -> bool {
    const Statement& data = kernel_.statements[id];
    place_ = data.place;
    visit_exprs(data, [&](ExprId root) { expr(root); });
    if (has_secret_draws_ && mistakes_.empty() && !std::holds_alternative<Assign>(data.node)) {
      visit_exprs(data, [&](ExprId root) {
        check(!draws_secretly(kernel_, root), "a secret draw outside of an assignment", place_);
      });
    }
    visit_written(data, [&](VariableId variable) { written(variable, data); });
    if (!mistakes_.empty()) {
      return true;
    }
    place_ = data.place;
    return std::visit([&](const auto& node) { return check_node(node, n_loops); }, data.node);
  }

  void written(VariableId variable, const Statement& statement) {
    if (!exists(variable)) {
      return;
    }
    const Variable& data = kernel_.variables[variable];
    const bool counts = std::holds_alternative<For>(statement.node);
    check(data.kind == (counts ? VariableKind::Counter : VariableKind::Local),
          fmt::format("`{}` is assigned to", data.name), statement.place);
    if (!std::holds_alternative<StoreElement>(statement.node)) {
      ++n_writes_[variable];
    }
  }

  auto exists(VariableId variable) -> bool {
    const bool exists = variable.index < kernel_.variables.size();
    check(exists, "a variable that does not exist", place_);
    return exists;
  }

  auto of(VariableId variable) const -> const Type& { return kernel_.variables[variable].type; }
  auto of(ExprId expr) const -> const Type& { return kernel_.exprs[expr].type; }
  auto is_scalar(ExprId expr) const -> bool { return of(expr).extents.empty(); }
  auto is_index(ExprId expr) const -> bool {
    return is_scalar(expr) && engine::is_integer(of(expr).element.kind);
  }
  auto is_truth(ExprId expr) const -> bool { return of(expr) == Type{kBool, {}}; }

  // ---- statements ----

  auto check_node(const Assign& node, uint32_t) -> bool {
    check(of(node.variable) == of(node.value), "an assignment of another type", place_);
    return true;
  }
  auto check_node(const StoreElement& node, uint32_t) -> bool {
    const Type& array = of(node.array);
    const bool fits = node.indices.size() <= array.extents.size() && !node.indices.empty();
    check(fits, "a store with too many indices, or none", place_);
    check(fits && part_of(array, node.indices.size()) == of(node.value), "a store of another type",
          place_);
    for (const ExprId index : node.indices) {
      check(is_index(index), "an index that is not an integer", place_);
    }
    return true;
  }
  auto check_node(const If& node, uint32_t n_loops) -> bool {
    check(is_truth(node.condition), "a condition that is no truth value", place_);
    const bool then = block(node.then, n_loops);
    return block(node.otherwise, n_loops) || then;
  }
  auto check_node(const For& node, uint32_t n_loops) -> bool {
    const Type& counter = of(node.counter);
    check(of(node.lower) == counter && of(node.upper) == counter &&
              (!node.step || of(*node.step) == counter),
          "a bound of another type", place_);
    check(counter.extents.empty() && engine::is_integer(counter.element.kind),
          "a counter that is not an integer", place_);
    check(!node.max || of(*node.max) == Type{engine::kI64, {}}, "a `max` that is no i64", place_);
    check(active_.insert(node.counter).second, "two loops have one counter", place_);
    block(node.body, n_loops + 1);
    active_.erase(node.counter);
    return true;
  }
  auto check_node(const While& node, uint32_t n_loops) -> bool {
    check(is_truth(node.condition), "a condition that is no truth value", place_);
    check(!node.max || of(*node.max) == Type{engine::kI64, {}}, "a `max` that is no i64", place_);
    const bool ends = block(node.body, n_loops + 1);
    const auto* condition = std::get_if<Literal>(&kernel_.exprs[node.condition].node);
    const bool is_endless = condition != nullptr && condition->cell != 0 && !node.max;
    const bool always_returns = node.tests_last && !ends;
    return (!is_endless && !always_returns) || has_break(node.body);
  }
  auto check_node(const Break&, uint32_t n_loops) -> bool {
    check(n_loops > 0, "a break outside of loops", place_);
    return false;
  }
  auto check_node(const Continue&, uint32_t n_loops) -> bool {
    check(n_loops > 0, "a continue outside of loops", place_);
    return false;
  }
  auto check_node(const Return& node, uint32_t) -> bool {
    bool fits = node.values.size() == kernel_.results.size();
    for (size_t i = 0; fits && i < node.values.size(); ++i) {
      fits = of(node.values[i]) == kernel_.results[i].type;
    }
    check(fits, "a return of other types", place_);
    return false;
  }
  auto check_node(const Call&, uint32_t) -> bool { return true; }
  auto check_node(const Reveal& node, uint32_t) -> bool {
    check(of(node.variable) == of(node.value), "a reveal of another type", place_);
    return true;
  }
  auto check_node(const SecretRegion& node, uint32_t) -> bool {
    for (const std::vector<SecretRegion::Port>* ports : {&node.inputs, &node.outputs}) {
      for (const SecretRegion::Port& port : *ports) {
        check(exists(port.outer) && exists(port.inner) && of(port.outer) == of(port.inner),
              "a port of two types", place_);
      }
    }
    walk_statements(kernel_, node.body, [&](StatementId id) {
      const auto& inner = kernel_.statements[id].node;
      check(!std::holds_alternative<Break>(inner) && !std::holds_alternative<Continue>(inner) &&
                !std::holds_alternative<Return>(inner) && !std::holds_alternative<Call>(inner) &&
                !std::holds_alternative<While>(inner) && !std::holds_alternative<If>(inner),
            "a secret region that is not straight", kernel_.statements[id].place);
    });
    block(node.body, 0);
    return true;
  }
  auto check_node(const Separator&, uint32_t) -> bool { return true; }

  /// Does the body of a loop leave it by `break`?
  auto has_break(const Block& body) const -> bool {
    bool found = false;
    walk_statements_of_loop(kernel_, body, [&](StatementId id) {
      found = found || std::holds_alternative<Break>(kernel_.statements[id].node);
    });
    return found;
  }

  // ---- expressions ----

  void expr(ExprId id) {
    if (id.index >= kernel_.exprs.size()) {
      check(false, "an expression that does not exist", place_);
      return;
    }
    const Expr& data = kernel_.exprs[id];
    place_ = data.place;
    const auto* table = std::get_if<Tabulate>(&data.node);
    if (table != nullptr && exists(table->index)) {
      check(kernel_.variables[table->index].kind == VariableKind::Index,
            "a `for` whose index is none", data.place);
      check(active_.insert(table->index).second, "two `for`s have one index", data.place);
    }
    visit_exprs(data, [&](ExprId inner) { expr(inner); });
    place_ = data.place;
    if (mistakes_.empty()) {
      std::visit([&](const auto& node) { check_expr(node, data.type); }, data.node);
    }
    if (table != nullptr) {
      active_.erase(table->index);
    }
  }

  void is_type(bool holds, std::string_view what) {
    check(holds, fmt::format("{} of another type", what), place_);
  }

  void check_expr(const Literal&, const Type& type) { is_type(type.extents.empty(), "a literal"); }
  void check_expr(const Read& node, const Type& type) {
    if (!exists(node.variable)) {
      return;
    }
    const Variable& data = kernel_.variables[node.variable];
    is_type(data.type == type, "a variable");
    const bool is_bound = data.kind == VariableKind::Counter || data.kind == VariableKind::Index;
    check(!is_bound || active_.contains(node.variable),
          fmt::format("`{}` is read outside of its loop", data.name), place_);
  }
  void check_expr(const Element& node, const Type& type) {
    const Type& array = of(node.array);
    const bool fits = node.indices.size() <= array.extents.size();
    is_type(fits && part_of(array, node.indices.size()) == type, "an element");
    for (const ExprId index : node.indices) {
      check(is_index(index), "an index that is not an integer", place_);
    }
  }
  void check_expr(const Unary& node, const Type& type) {
    const types::OperatorScheme& scheme = types::scheme_of(node.op);
    is_type(scheme.arity == 1 && of(node.operand) == type && takes(scheme, type), "an operator");
  }
  static auto takes(const types::OperatorScheme& scheme, const Type& type) -> bool {
    return types::takes(scheme.operands, static_cast<types::DType>(type.element.kind));
  }
  void check_expr(const Binary& node, const Type& type) {
    const types::OperatorScheme& scheme = types::scheme_of(node.op);
    const Type& left = of(node.left);
    const Type& right = of(node.right);
    const bool agree =
        left.element == right.element &&
        (left.extents == right.extents || left.extents.empty() || right.extents.empty());
    Type wanted = left.extents.empty() ? right : left;
    if (is_comparison(node.op)) {
      wanted.element = kBool;
    }
    is_type(scheme.arity == 2 && agree && takes(scheme, left) && wanted == type, "an operator");
  }
  void check_expr(const Select& node, const Type& type) {
    is_type(is_truth(node.condition) && of(node.then) == type && of(node.otherwise) == type,
            "a choice");
  }
  void check_expr(const Cast& node, const Type& type) {
    is_type(of(node.operand).extents == type.extents, "a cast");
  }
  void check_expr(const ArrayLiteral& node, const Type& type) {
    bool fits = !node.elements.empty() && !type.extents.empty() &&
                type.extents[0] == static_cast<int64_t>(node.elements.size());
    for (const ExprId element : node.elements) {
      fits = fits && of(element) == part_of(type, 1);
    }
    is_type(fits, "an array");
  }
  void check_expr(const Tabulate& node, const Type& type) {
    is_type(!type.extents.empty() && of(node.body) == part_of(type, 1), "a `for`");
    is_type(of(node.index) == Type{engine::kI64, {}}, "an index");
  }
  void check_expr(const Reduce& node, const Type& type) {
    Type wanted = of(node.body);
    const bool exists = node.dimension < wanted.extents.size();
    if (exists) {
      wanted.extents.erase(wanted.extents.begin() + node.dimension);
    }
    is_type(exists && wanted == type && (node.op == Operator::Add || node.op == Operator::Mul),
            "a reduction");
  }
  void check_expr(const Rotate& node, const Type& type) {
    is_type(of(node.operand) == type && !type.extents.empty() && is_index(node.by), "a rotation");
  }
  void check_expr(const Apply& node, const Type& type) {
    is_type(is_applied(node, type), "a function");
  }
  void check_expr(const Draw& node, const Type& type) {
    const bool counts = std::all_of(node.words.begin(), node.words.end(),
                                    [&](ExprId word) { return is_index(word); });
    check(counts, "a word of a draw that is not an integer", place_);
    bool fits = node.arguments.size() == engine::n_arguments(node.function);
    for (const ExprId argument : node.arguments) {
      fits = fits && is_scalar(argument) && of(argument) == of(node.arguments[0]);
    }
    const bool is_permutation = node.function == engine::DrawFunction::Permutation;
    is_type(fits && type.extents.size() == (is_permutation ? 1 : 0), "a draw");
  }
  auto is_applied(const Apply& node, const Type& type) const -> bool {
    using engine::Function;
    using engine::FunctionKind;
    const bool takes_two = node.function == Function::SortBy;
    const FunctionKind kind = engine::function_kind(node.function);
    const size_t n = node.arguments.size();
    if (n != (takes_two ? 2 : 1) && !(kind == FunctionKind::Choice && n == 2)) {
      return false;
    }
    const Type& first = of(node.arguments[0]);
    const bool is_bool = first.element == kBool;
    switch (kind) {
      case FunctionKind::Fixed:
        return first == type && first.element.kind == engine::ElementKind::Fxp;
      case FunctionKind::Number:
        return first == type && !is_bool;
      case FunctionKind::Choice: {
        if (n == 1) {
          return !is_bool && !first.extents.empty() && first.extents[0] > 0 &&
                 part_of(first, 1) == type;
        }
        const Type& second = of(node.arguments[1]);
        const bool agree =
            first.element == second.element &&
            (first.extents == second.extents || first.extents.empty() || second.extents.empty());
        return !is_bool && agree && (first.extents.empty() ? second : first) == type;
      }
      case FunctionKind::Order:
        break;
    }
    if (first.extents.size() != 1) {
      return false;
    }
    if (takes_two) {
      const Type& second = of(node.arguments[1]);
      return second == type && !second.extents.empty() && second.extents[0] == first.extents[0];
    }
    return node.function == Function::TopK
               ? type.element == first.element && type.extents.size() == 1 &&
                     0 <= type.extents[0] && type.extents[0] <= first.extents[0]
               : first == type;
  }

  const Kernel& kernel_;
  FileRange place_;  ///< the present node
  std::vector<std::string> mistakes_;
  std::set<VariableId> active_;  ///< counters and indices around the present node
  std::map<VariableId, uint32_t> n_writes_;
  bool has_secret_draws_ = false;
};

}  // namespace

auto verify(const Kernel& kernel) -> std::vector<std::string> {
  return Verifier(kernel).run();
}

void expect_verified(const Kernel& kernel, std::string_view pass) {
  if (verifies_passes()) {
    const std::vector<std::string> mistakes = verify(kernel);
    TACET_CHECK(mistakes.empty(), fmt::format("after {}: {}", pass, mistakes.front()).c_str());
  }
}

}  // namespace tacet::kernel
