#include "compiler/device/oblivious/ranges.h"

#include <algorithm>

#include "base/overloads.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/range_arithmetic.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

auto product(const Range& a, const Range& b) -> Range {
  constexpr __int128 kWide = __int128{1} << 63;
  if (!a.is_within({-kWide, kWide - 1}) || !b.is_within({-kWide, kWide - 1})) {
    return {-(kWide << 2), kWide << 2};  // too much for any type
  }
  const __int128 corners[] = {a.lower * b.lower, a.lower * b.upper, a.upper * b.lower,
                              a.upper * b.upper};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

auto quotient(const Range& a, const Range& b) -> Range {
  const __int128 corners[] = {a.lower / b.lower, a.lower / b.upper, a.upper / b.lower,
                              a.upper / b.upper};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

auto remainder(const Range& a, const Range& b) -> Range {
  const __int128 most = std::max(b.upper, -b.lower) - 1;
  return {a.lower < 0 ? std::max(a.lower, -most) : 0, a.upper > 0 ? std::min(a.upper, most) : 0};
}

auto is_zero(const Kernel& kernel, ExprId expr) -> bool {
  const auto* literal = std::get_if<Literal>(&kernel.exprs[expr].node);
  return literal != nullptr && literal->cell == 0;
}

}  // namespace

auto range_of_type(engine::ElementType type) -> Range {
  if (type.kind == engine::ElementKind::Bool) {
    return {0, 1};
  }
  const engine::ElementKind kind =
      engine::is_integer(type.kind) ? type.kind : engine::ElementKind::I64;
  return {engine::min_integer(kind), engine::max_integer(kind)};
}

Ranges::Ranges(const Kernel& kernel, Loops loops) : kernel_(kernel), loops_(loops) {
  for (VariableId parameter : kernel.parameters) {
    sources_[parameter].is_known = kernel.variables[parameter].bound.has_value();
  }
  collect(kernel.body);
  for (const Expr& expr : kernel.exprs.values()) {
    if (const auto* tabulate = std::get_if<Tabulate>(&expr.node)) {
      int64_t& extent = extents_[tabulate->index];
      extent = std::max(extent, expr.type.extents.front());
    }
  }
}

void Ranges::collect(const Block& block) {
  for (StatementId id : block) {
    const Statement& statement = kernel_.statements[id];
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      sources_[assign->variable].values.push_back({assign->value, around_});
    } else if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
      sources_[store->array].values.push_back({store->value, around_});
    } else if (const auto* loop = std::get_if<For>(&statement.node)) {
      sources_[loop->counter].loops.push_back({loop->lower, loop->upper});
    } else {
      visit_written(statement, [&](VariableId written) { sources_[written].is_known = false; });
    }
    const bool is_loop = std::holds_alternative<For>(statement.node) ||
                         std::holds_alternative<While>(statement.node);
    if (is_loop) {
      around_.push_back(id);
    }
    visit_blocks(statement, [&](const Block& inner) { collect(inner); });
    if (is_loop) {
      around_.pop_back();
    }
  }
}

auto Ranges::of(ExprId id) -> Range {
  const Expr& expr = kernel_.exprs[id];
  const Range type = range_of_type(expr.type.element);
  if (!is_exact(expr.type.element)) {
    const auto* read = std::get_if<Read>(&expr.node);
    if (read != nullptr && expr.type.element.kind == engine::ElementKind::Fxp) {
      return of_variable(read->variable);
    }
    const auto* literal = std::get_if<Literal>(&expr.node);
    return literal == nullptr
               ? type
               : Range{static_cast<int64_t>(literal->cell), static_cast<int64_t>(literal->cell)};
  }
  const Range range = of_node(expr);
  return range.is_within(type) ? range : type;  // it may wrap
}

auto Ranges::of_node(const Expr& expr) -> Range {
  const Range type = range_of_type(expr.type.element);
  const auto all = [&](const std::vector<ExprId>& ids) {
    Range range = of(ids.front());
    for (ExprId id : ids) {
      range = hull(range, of(id));
    }
    return range;
  };
  return std::visit(
      Overloads{
          [&](const Literal& literal) {
            const auto value = engine::is_signed_integer(expr.type.element.kind)
                                   ? static_cast<__int128>(static_cast<int64_t>(literal.cell))
                                   : static_cast<__int128>(literal.cell);
            return Range{value, value};
          },
          [&](const Read& read) { return of_variable(read.variable); },
          [&](const Element& element) {
            return hull(of(element.array), {0, 0});
          },
          [&](const Unary& unary) {
            const Range range = of(unary.operand);
            if (unary.op == Operator::Neg) {
              return Range{-range.upper, -range.lower};
            }
            return unary.op == Operator::Invert && type.lower < 0
                       ? Range{-range.upper - 1, -range.lower - 1}
                       : type;
          },
          [&](const Binary& binary) {
            return is_exact(kernel_.exprs[binary.left].type.element) ? of_binary(binary) : type;
          },
          [&](const Select& select) { return hull(of(select.then), of(select.otherwise)); },
          [&](const Cast& cast) {
            return is_exact(kernel_.exprs[cast.operand].type.element) ? of(cast.operand) : type;
          },
          [&](const ArrayLiteral& array) { return all(array.elements); },
          [&](const Tabulate& tabulate) { return of(tabulate.body); },
          [&](const Reduce& reduce) {
            const int64_t n = kernel_.exprs[reduce.body].type.extents[reduce.dimension];
            const bool is_sum = reduce.op == Operator::Add && n < kMostAdditions;
            return is_sum ? scaled(of(reduce.body), n) : type;
          },
          [&](const Rotate& rotate) { return of(rotate.operand); },
          [&](const Apply& apply) { return of_function(apply); },
          [&](const Draw& draw) { return of_draw(expr, draw); },
      },
      expr.node);
}

auto Ranges::of_draw(const Expr& expr, const Draw& draw) -> Range {
  switch (draw.function) {
    case engine::DrawFunction::Int: {
      const Range n = of(draw.arguments.front());
      return {0, std::max<__int128>(n.upper - 1, 0)};
    }
    case engine::DrawFunction::Permutation:
      return {0, std::max<__int128>(expr.type.extents.front() - 1, 0)};
    case engine::DrawFunction::Uniform:
    case engine::DrawFunction::Bool:
    case engine::DrawFunction::Normal:
    case engine::DrawFunction::U64:
      break;
  }
  return range_of_type(expr.type.element);
}

auto Ranges::of_function(const Apply& apply) -> Range {
  const Range first = of(apply.arguments.front());
  const Range last = of(apply.arguments.back());
  if (apply.function == engine::Function::Abs) {
    const __int128 most = std::max(first.upper, -first.lower);
    return {first.contains(0) ? 0 : std::max(first.lower, -first.upper), most};
  }
  if (apply.function == engine::Function::Min) {
    return {std::min(first.lower, last.lower), std::min(first.upper, last.upper)};
  }
  if (apply.function == engine::Function::Max) {
    return {std::max(first.lower, last.lower), std::max(first.upper, last.upper)};
  }
  return last;  // what is moved
}

auto Ranges::of_binary(const Binary& binary) -> Range {
  const Range left = of(binary.left);
  const Range right = of(binary.right);
  const Range type = range_of_type(kernel_.exprs[binary.left].type.element);
  switch (binary.op) {
    case Operator::Add:
      return {left.lower + right.lower, left.upper + right.upper};
    case Operator::Sub:
      return {left.lower - right.upper, left.upper - right.lower};
    case Operator::Mul:
      return product(left, right);
    case Operator::Div:
      return right.contains(0) ? type : quotient(left, right);
    case Operator::Mod:
      return right.contains(0) ? type : remainder(left, right);
    case Operator::And:
      if (right.lower >= 0) {
        return {0, right.upper};
      }
      return left.lower >= 0 ? Range{0, left.upper} : type;
    case Operator::Shr:
    case Operator::Ashr:
      return left.lower >= 0 ? Range{0, left.upper} : type;
    case Operator::Lt:
    case Operator::Leq:
    case Operator::Gt:
    case Operator::Geq:
    case Operator::Eq:
    case Operator::Neq:
    case Operator::Land:
    case Operator::Lor:
      return {0, 1};
    case Operator::Or:
    case Operator::Xor:
    case Operator::Shl:
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  return type;
}

auto Ranges::of_variable(VariableId variable) -> Range {
  const auto known = ranges_.find(variable);
  if (known != ranges_.end()) {
    return known->second;
  }
  const Range type = range_of_type(kernel_.variables[variable].type.element);
  if (engine::is_float(kernel_.variables[variable].type.element.kind)) {
    return type;
  }
  ranges_[variable] = type;  // for what depends on itself
  const Range range = of_sources(variable);
  ranges_[variable] = range;
  return range;
}

auto Ranges::of_sources(VariableId id) -> Range {
  const Variable& variable = kernel_.variables[id];
  const Range type = range_of_type(variable.type.element);
  const auto extent = extents_.find(id);
  if (extent != extents_.end()) {
    return {0, std::max<int64_t>(extent->second - 1, 0)};
  }
  const auto found = sources_.find(id);
  if (found == sources_.end() || !found->second.is_known) {
    return type;
  }
  std::vector<Range> parts;
  if (variable.bound) {
    parts.push_back({variable.bound->lower, variable.bound->upper - 1});
  }
  if (loops_ == Loops::Counted && variable.kind != VariableKind::Counter) {
    if (const std::optional<Range> sum = of_sums(id)) {
      return *sum;
    }
  }
  for (const Assigned& assigned : std::vector<Assigned>(found->second.values)) {
    parts.push_back(of(assigned.value));
  }
  for (const Loop& loop : std::vector<Loop>(found->second.loops)) {
    const Range lower = of(loop.lower);
    parts.push_back({lower.lower, std::max(lower.lower, of(loop.upper).upper - 1)});
  }
  if (parts.empty()) {
    return type;
  }
  Range range = parts.front();
  for (const Range& part : parts) {
    range = hull(range, part);
  }
  return range;
}

auto Ranges::is_nonzero(ExprId id) -> bool {
  const Expr& expr = kernel_.exprs[id];
  if (!of(id).contains(0)) {
    return true;
  }
  /// Is `condition` a comparison of `value` with 0?
  const auto tests = [&](ExprId condition, Operator op, ExprId value) {
    const auto* test = std::get_if<Binary>(&kernel_.exprs[condition].node);
    return test != nullptr && test->op == op && is_zero(kernel_, test->right) &&
           same_expr(kernel_, value, test->left);
  };
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    return (tests(select->condition, Operator::Neq, select->then) || is_nonzero(select->then)) &&
           (tests(select->condition, Operator::Eq, select->otherwise) ||
            is_nonzero(select->otherwise));
  }
  const auto* sum = std::get_if<Binary>(&expr.node);
  if (sum == nullptr || sum->op != Operator::Add) {
    return false;
  }
  const auto* cast = std::get_if<Cast>(&kernel_.exprs[sum->right].node);
  return cast != nullptr && tests(cast->operand, Operator::Eq, sum->left);
}

}  // namespace tacet::oblivious
