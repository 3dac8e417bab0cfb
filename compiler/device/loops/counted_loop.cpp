#include "compiler/device/loops/counted_loop.h"

#include "compiler/device/kernel/walk.h"

namespace tacet::loops {

using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

namespace {

/// A shorter chain takes no more rounds than a tree and what is in front of it and behind it.
constexpr int64_t kFewIterations = 8;

}  // namespace

auto counted_loop(const Kernel& kernel, const kernel::Statement& statement)
    -> std::optional<CountedLoop> {
  const auto* node = std::get_if<kernel::For>(&statement.node);
  if (node == nullptr || node->step || node->max || node->is_lenient) {
    return std::nullopt;
  }
  const auto* lower = std::get_if<kernel::Literal>(&kernel.exprs[node->lower].node);
  const auto* upper = std::get_if<kernel::Literal>(&kernel.exprs[node->upper].node);
  if (lower == nullptr || upper == nullptr) {
    return std::nullopt;
  }
  const auto first = static_cast<int64_t>(lower->cell);
  const auto end = static_cast<int64_t>(upper->cell);
  constexpr int64_t kMost = int64_t{1} << 24;
  if (first < -kMost || end > kMost || end - first < kFewIterations) {
    return std::nullopt;
  }
  const kernel::Effects effects = kernel::effects_of(kernel, node->body);
  if (effects.calls || effects.reveals || effects.returns || effects.breaks ||
      effects.may_not_end) {
    return std::nullopt;
  }
  return CountedLoop{*node, statement.place, first, end - first, 1, {}};
}

auto secret_variables(const Kernel& kernel) -> std::set<VariableId> {
  std::set<VariableId> secrets;
  for (uint32_t i = 0; i < kernel.variables.size(); ++i) {
    if (kernel.variables[VariableId{i}].visibility == types::Visibility::Secret) {
      secrets.insert(VariableId{i});
    }
  }
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
      const kernel::Statement& statement = kernel.statements[id];
      bool is_secret = false;
      kernel::visit_read(kernel, statement,
                         [&](VariableId read) { is_secret = is_secret || secrets.contains(read); });
      kernel::visit_exprs(statement, [&](ExprId expr) {
        is_secret = is_secret || kernel::draws_secretly(kernel, expr);
      });
      const bool hides = is_secret && !std::holds_alternative<kernel::Reveal>(statement.node) &&
                         !kernel::is_loop(statement);
      kernel::visit_written(statement, [&](VariableId written) {
        is_changed = (hides && secrets.insert(written).second) || is_changed;
      });
    });
  }
  return secrets;
}

}  // namespace tacet::loops
