#include "linter/rules/measure.h"

#include <fmt/format.h>

#include "compiler/device/kernel/build.h"

namespace tacet::linter {

using kernel::ExprId;
using oblivious::Range;

auto elements_written(const kernel::Kernel& kernel, const kernel::Statement& statement) -> int64_t {
  int64_t n = 0;
  const auto add = [&](kernel::StatementId id) {
    const kernel::Statement& inner = kernel.statements[id];
    if (const auto* assign = std::get_if<kernel::Assign>(&inner.node)) {
      const kernel::Variable& variable = kernel.variables[assign->variable];
      n += variable.is_mutable ? kernel::n_elements(variable.type) : 0;
    } else if (const auto* store = std::get_if<kernel::StoreElement>(&inner.node)) {
      n += kernel::n_elements(kernel.exprs[store->value].type);
    } else if (const auto* result = std::get_if<kernel::Return>(&inner.node)) {
      for (ExprId value : result->values) {
        n += kernel::n_elements(kernel.exprs[value].type);
      }
    }
  };
  kernel::visit_blocks(
      statement, [&](const kernel::Block& block) { kernel::walk_statements(kernel, block, add); });
  return n;
}

auto constant(const Subject& subject, ExprId expr) -> std::optional<int64_t> {
  const Range range = subject.ranges.of(expr);
  if (range.lower != range.upper || range.lower < INT64_MIN || range.upper > INT64_MAX) {
    return std::nullopt;
  }
  return static_cast<int64_t>(range.lower);
}

auto may_fail(const Subject& subject, const kernel::Expr& expr) -> bool {
  const auto* binary = std::get_if<kernel::Binary>(&expr.node);
  if (binary == nullptr) {
    return false;
  }
  const types::Operator op = binary->op;
  if (op == types::Operator::Div || op == types::Operator::Mod) {
    return !subject.ranges.is_nonzero(binary->right) && !engine::is_float(expr.type.element.kind);
  }
  if (op == types::Operator::Shl || op == types::Operator::Shr || op == types::Operator::Ashr) {
    const auto width = static_cast<__int128>(engine::bit_width(expr.type.element.kind));
    return !subject.ranges.of(binary->right).is_within({0, width - 1});
  }
  return false;
}

/// Does a parameter's declared bound say exactly what the ends of its range are?
static auto is_exact(const Subject& subject, ExprId id) -> bool {
  const kernel::Expr& expr = subject.kernel.exprs[id];
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    const kernel::Variable& variable = subject.kernel.variables[read->variable];
    return variable.kind == kernel::VariableKind::Parameter && variable.bound.has_value();
  }
  if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
    const bool is_sum = binary->op == types::Operator::Add || binary->op == types::Operator::Sub;
    return is_sum && ((is_exact(subject, binary->left) && constant(subject, binary->right)) ||
                      (constant(subject, binary->left) && is_exact(subject, binary->right)));
  }
  return constant(subject, id).has_value();
}

auto most_iterations(const Subject& subject, const kernel::For& loop)
    -> std::optional<IterationBound> {
  const std::optional<int64_t> step = loop.step ? constant(subject, *loop.step) : 1;
  const Range lower = subject.ranges.of(loop.lower);
  const Range upper = subject.ranges.of(loop.upper);
  const Range all = oblivious::range_of_type(subject.kernel.exprs[loop.upper].type.element);
  if (!step || *step < 1 || lower.lower == all.lower || upper.upper == all.upper) {
    return std::nullopt;
  }
  const __int128 distance = upper.upper - lower.lower;
  const __int128 most = distance <= 0 ? 0 : (distance + *step - 1) / *step;
  if (most > INT64_MAX) {
    return std::nullopt;
  }
  return IterationBound{static_cast<int64_t>(most),
                        is_exact(subject, loop.lower) && is_exact(subject, loop.upper)};
}

auto padded_loops(const Subject& subject) -> std::vector<PaddedLoop> {
  std::vector<PaddedLoop> loops;
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    const auto* loop = std::get_if<kernel::For>(&statement.node);
    if (loop == nullptr || !loop->max) {
      return;
    }
    const std::optional<int64_t> max = constant(subject, *loop->max);
    const std::optional<IterationBound> iterations = most_iterations(subject, *loop);
    if (max && iterations) {
      loops.push_back({*max, *iterations, subject.kernel.exprs[*loop->max].place});
    }
  });
  return loops;
}

auto pad_to_bounds(const PaddedLoop& loop, Applicability applicability) -> Fix {
  return {fmt::format("change to `max {}`", loop.iterations.most),
          applicability,
          {{loop.place.range, fmt::format("{}", loop.iterations.most)}}};
}

}  // namespace tacet::linter
