#include "compiler/device/oblivious/range_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/core/diagnostics/reasons.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/types/value_bound.h"

namespace tacet::oblivious {

using kernel::ExprId;
using kernel::VariableId;
using kernel::VariableKind;

namespace {

class RangeTree {
 public:
  RangeTree(const kernel::Kernel& kernel, Ranges& ranges,
            const std::function<std::string_view(FileRange)>& text_of)
      : kernel_(kernel), ranges_(ranges), text_of_(text_of) {}

  /// Of what `expr` is computed from.
  void operands(ExprId expr, uint32_t depth) {
    if (const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[expr].node)) {
      variable(read->variable, depth);
      return;
    }
    kernel::visit_exprs(kernel_.exprs[expr], [&](ExprId operand) { value(operand, depth); });
  }

  auto take() -> std::vector<Reason> {
    limit_reasons(reasons_);
    return std::move(reasons_);
  }

 private:
  static constexpr size_t kMostText = 40;

  [[nodiscard]] auto is_full() const -> bool { return reasons_.size() > 2 * kMostReasons; }

  void value(ExprId id, uint32_t depth) {
    const kernel::Expr& expr = kernel_.exprs[id];
    if (is_full() || depth > kMostReasonDepth ||
        std::holds_alternative<kernel::Literal>(expr.node)) {
      return;
    }
    if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      variable(read->variable, depth);
      return;
    }
    reasons_.push_back({depth, fmt::format("{} {}", source(expr.place), within(id)), expr.place});
    operands(id, depth + 1);
  }

  void variable(VariableId id, uint32_t depth) {
    const kernel::Variable& variable = kernel_.variables[id];
    if (is_full() || depth > kMostReasonDepth) {
      return;
    }
    const std::string& name = variable.path.empty() ? variable.name : variable.path;
    const Range range = ranges_.of_variable(id);
    const std::string text = within(range, variable.type.element);
    if (!shown_.insert(id).second) {
      reasons_.push_back({depth, fmt::format("`{}` {}, as above", name, text), variable.place});
      return;
    }
    switch (variable.kind) {
      case VariableKind::Parameter:
        reasons_.push_back({depth, fmt::format("parameter `{}` {}", name, text), variable.place});
        return;
      case VariableKind::Counter:
      case VariableKind::Index:
        reasons_.push_back({depth, fmt::format("counter `{}` {}", name, text), variable.place});
        return;
      case VariableKind::Local:
        break;
    }
    const std::vector<ExprId> values = assigned_to(id);
    if (values.size() == 1) {
      const FileRange place = kernel_.exprs[values.front()].place;
      reasons_.push_back(
          {depth, fmt::format("`{}` {}: it is {}", name, text, source(place)), place});
      operands(values.front(), depth + 1);
      return;
    }
    reasons_.push_back({depth, fmt::format("`{}` {}", name, text), variable.place});
    for (const ExprId assigned : values) {
      value(assigned, depth + 1);
    }
  }

  [[nodiscard]] auto assigned_to(VariableId id) const -> std::vector<ExprId> {
    std::vector<ExprId> values;
    kernel::walk_statements(kernel_, kernel_.body, [&](kernel::StatementId at) {
      const auto& node = kernel_.statements[at].node;
      if (const auto* assign = std::get_if<kernel::Assign>(&node);
          assign != nullptr && assign->variable == id) {
        values.push_back(assign->value);
      } else if (const auto* store = std::get_if<kernel::StoreElement>(&node);
                 store != nullptr && store->array == id) {
        values.push_back(store->value);
      }
    });
    return values;
  }

  /// `` `a * b` ``.
  [[nodiscard]] auto source(FileRange place) const -> std::string {
    std::string text;
    for (const char c : text_of_(place)) {
      const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!is_space || (!text.empty() && text.back() != ' ')) {
        text += is_space ? ' ' : c;
      }
    }
    if (text.empty() || text.size() > kMostText) {
      return "this";
    }
    return fmt::format("`{}`", text);
  }

  auto within(ExprId id) -> std::string {
    return within(ranges_.of(id), kernel_.exprs[id].type.element);
  }

  static auto within(const Range& range, engine::ElementType element) -> std::string {
    if (range == range_of_type(element)) {
      return fmt::format("may be any `{}`", engine::element_type_name(element));
    }
    return fmt::format("is in {}",
                       types::bound_text({range.lower, range.upper + 1, element.fraction_bits}));
  }

  const kernel::Kernel& kernel_;
  Ranges& ranges_;
  const std::function<std::string_view(FileRange)>& text_of_;
  std::vector<Reason> reasons_;
  std::set<VariableId> shown_;
};

}  // namespace

auto range_reasons(const kernel::Kernel& kernel, Ranges& ranges, ExprId expr,
                   const std::function<std::string_view(FileRange)>& text_of)
    -> std::vector<Reason> {
  RangeTree tree(kernel, ranges, text_of);
  tree.operands(expr, 0);
  return tree.take();
}

}  // namespace tacet::oblivious
