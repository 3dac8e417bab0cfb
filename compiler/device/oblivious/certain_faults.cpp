#include "compiler/device/oblivious/certain_faults.h"

#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

class CertainFaults {
 public:
  CertainFaults(const Kernel& kernel, Ranges& ranges) : kernel_(kernel), ranges_(ranges) {}

  auto run() -> std::vector<Diagnostic> {
    block(kernel_.body);
    return std::move(found_);
  }

 private:
  /// Statements up to the first that may leave; false if one may.
  auto block(const Block& statements) -> bool {
    for (const StatementId id : statements) {
      const Statement& statement = kernel_.statements[id];
      visit_exprs(statement, [&](ExprId expr) { expression(expr); });
      if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
        places(*store);
      } else if (const auto* loop = std::get_if<For>(&statement.node)) {
        run_loop(*loop);
      }
      const Effects effects = effects_of(kernel_, Block{id});
      if (effects.returns || effects.breaks) {
        return false;
      }
    }
    return true;
  }

  void run_loop(const For& loop) {
    const Range lower = ranges_.of(loop.lower);
    const Range upper = ranges_.of(loop.upper);
    const bool is_known = lower.lower == lower.upper && upper.lower == upper.upper;
    if (!is_known || loop.max || loop.is_lenient || lower.upper >= upper.lower) {
      return;
    }
    const Effects effects = effects_of(kernel_, loop.body);
    if (!loop.step && !effects.returns && !leaves(loop.body)) {
      counters_.push_back(loop.counter);
    }
    block(loop.body);
    std::erase(counters_, loop.counter);
  }

  /// Is there a `break` or `continue` of the loop around?
  auto leaves(const Block& body) const -> bool { return effects_of(kernel_, body).breaks; }

  /// Of what is evaluated whatever the values are.
  void expression(ExprId id) {
    const Expr& expr = kernel_.exprs[id];
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      expression(select->condition);
      return;
    }
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (binary != nullptr && (binary->op == Operator::Land || binary->op == Operator::Lor)) {
      expression(binary->left);
      return;
    }
    visit_exprs(expr, [&](ExprId operand) { expression(operand); });
    if (binary != nullptr) {
      operation(*binary, expr.place);
    }
  }

  void operation(const Binary& binary, FileRange place) {
    const engine::ElementType element = kernel_.exprs[binary.right].type.element;
    if (binary.is_total || !can_fault(binary.op) || engine::is_float(element.kind)) {
      return;
    }
    const Range right = ranges_.of(binary.right);
    if (binary.op == Operator::Div || binary.op == Operator::Mod) {
      if (right == Range{0, 0}) {
        report(DiagnosticCode::T8001, place, "division by zero");
      }
      return;
    }
    const auto width = static_cast<int>(engine::bit_width(element.kind));
    if (right.upper < 0 || right.lower >= width) {
      report(DiagnosticCode::T8002, place,
             fmt::format("shift of `{}` by a distance outside 0..{}",
                         engine::element_type_name(element), width));
    }
  }

  void places(const StoreElement& store) {
    const std::vector<int64_t>& extents = kernel_.variables[store.array].type.extents;
    for (size_t i = 0; i < store.indices.size(); ++i) {
      if ((store.lenient >> i & 1) != 0) {
        continue;
      }
      const Range at = ranges_.of(store.indices[i]);
      const bool is_never_inside = at.upper < 0 || at.lower >= extents[i];
      const bool leaves_once =
          reaches_its_ends(store.indices[i]) && (at.lower < 0 || at.upper >= extents[i]);
      if (is_never_inside || leaves_once) {
        report(DiagnosticCode::T8003, kernel_.exprs[store.indices[i]].place,
               fmt::format("write to index {} is out of bounds for a dimension of size {}",
                           static_cast<int64_t>(at.lower < 0 ? at.lower : at.upper), extents[i]));
        return;
      }
    }
  }

  /// A counter that takes all its values, or one with a number added to it.
  auto reaches_its_ends(ExprId id) const -> bool {
    const Expr& expr = kernel_.exprs[id];
    if (const auto* read = std::get_if<Read>(&expr.node)) {
      return std::find(counters_.begin(), counters_.end(), read->variable) != counters_.end();
    }
    const auto* binary = std::get_if<Binary>(&expr.node);
    return binary != nullptr && (binary->op == Operator::Add || binary->op == Operator::Sub) &&
           std::holds_alternative<Literal>(kernel_.exprs[binary->right].node) &&
           reaches_its_ends(binary->left);
  }

  void report(DiagnosticCode code, FileRange place, std::string message) {
    found_.push_back(make_diagnostic(code, place, std::move(message)));
  }

  const Kernel& kernel_;
  Ranges& ranges_;
  std::vector<VariableId> counters_;  ///< of loops around that take all their values
  std::vector<Diagnostic> found_;
};

}  // namespace

auto certain_faults(const Kernel& kernel, Ranges& ranges) -> std::vector<Diagnostic> {
  return CertainFaults(kernel, ranges).run();
}

}  // namespace tacet::oblivious
