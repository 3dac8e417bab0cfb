#include "compiler/device/oblivious/may_apply.h"

#include <algorithm>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

/// Does `is_one` hold of a statement that is wanted?
template <class Pred>
static auto any_statement(const Rewriting& rewriting, const Pred& is_one) -> bool {
  bool is_found = false;
  walk_statements(rewriting.kernel, rewriting.kernel.body, [&](StatementId id) {
    const Statement& statement = rewriting.kernel.statements[id];
    is_found = is_found || (is_one(statement) && rewriting.wanted(statement.place));
  });
  return is_found;
}

static auto is_literal(const Kernel& kernel, ExprId expr) -> bool {
  return std::holds_alternative<Literal>(kernel.exprs[expr].node);
}

static auto are_literals(const Kernel& kernel, const std::vector<ExprId>& exprs) -> bool {
  return std::all_of(exprs.begin(), exprs.end(),
                     [&](ExprId expr) { return is_literal(kernel, expr); });
}

auto may_have_exits(const Rewriting& rewriting) -> bool {
  // A `return` of the body itself is met whatever is secret.
  const Block& body = rewriting.kernel.body;
  std::vector<const Statement*> of_body;
  for (const StatementId id : body) {
    of_body.push_back(&rewriting.kernel.statements[id]);
  }
  return any_statement(rewriting, [&](const Statement& statement) {
    return std::holds_alternative<Break>(statement.node) ||
           std::holds_alternative<Continue>(statement.node) ||
           (std::holds_alternative<Return>(statement.node) &&
            std::find(of_body.begin(), of_body.end(), &statement) == of_body.end());
  });
}

auto may_bound_for_loops(const Rewriting& rewriting) -> bool {
  return any_statement(rewriting, [&](const Statement& statement) {
    bool may_be_secret = false;
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      visit_exprs(*loop, [&](ExprId expr) {
        may_be_secret = may_be_secret || !is_literal(rewriting.kernel, expr);
      });
    }
    return may_be_secret;
  });
}

auto may_bound_while_loops(const Rewriting& rewriting) -> bool {
  return any_statement(rewriting, [](const Statement& statement) {
    return std::holds_alternative<While>(statement.node);
  });
}

auto may_scan_accesses(const Rewriting& rewriting) -> bool {
  const Kernel& kernel = rewriting.kernel;
  const auto& exprs = kernel.exprs.values();
  const bool reads = std::any_of(exprs.begin(), exprs.end(), [&](const Expr& expr) {
    const auto* element = std::get_if<Element>(&expr.node);
    const auto* rotate = std::get_if<Rotate>(&expr.node);
    return ((element != nullptr && !are_literals(kernel, element->indices)) ||
            (rotate != nullptr && !is_literal(kernel, rotate->by))) &&
           rewriting.wanted(expr.place);
  });
  return reads || any_statement(rewriting, [&](const Statement& statement) {
           const auto* store = std::get_if<StoreElement>(&statement.node);
           return store != nullptr && !are_literals(kernel, store->indices);
         });
}

auto may_have_branches(const Rewriting& rewriting) -> bool {
  return any_statement(rewriting, [](const Statement& statement) {
    return std::holds_alternative<If>(statement.node);
  });
}

namespace {

/// Finds expressions that operands can be guarded in, each once.
class Guardable {
 public:
  explicit Guardable(const Kernel& kernel) : kernel_(kernel), known_(kernel.exprs.size()) {}

  /// Is there one in `expr`?
  auto is_in(ExprId expr) -> bool {
    if (known_[expr.index] == Known::NotYet) {
      bool is_found = is_one(kernel_.exprs[expr]);
      visit_exprs(kernel_.exprs[expr],
                  [&](ExprId operand) { is_found = is_found || is_in(operand); });
      known_[expr.index] = is_found ? Known::Yes : Known::No;
    }
    return known_[expr.index] == Known::Yes;
  }

 private:
  enum class Known : uint8_t { NotYet, Yes, No };

  static auto is_one(const Expr& expr) -> bool {
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      return !select->is_oblivious;
    }
    const auto* binary = std::get_if<Binary>(&expr.node);
    if (binary == nullptr) {
      return false;
    }
    return can_fault(binary->op) || (is_logical(binary->op) && !binary->is_oblivious);
  }

  const Kernel& kernel_;
  std::vector<Known> known_;
};

}  // namespace

auto may_guard_operands(const Rewriting& rewriting) -> bool {
  const Kernel& kernel = rewriting.kernel;
  Guardable guardable(kernel);
  bool is_found = false;
  for (uint32_t i = 0; i < kernel.exprs.size(); ++i) {
    const ExprId expr{i};
    is_found = is_found || (guardable.is_in(expr) && rewriting.wanted(kernel.exprs[expr].place));
  }
  return is_found || any_statement(rewriting, [&](const Statement& statement) {
           bool is_inside = false;
           visit_exprs(statement,
                       [&](ExprId expr) { is_inside = is_inside || guardable.is_in(expr); });
           return is_inside;
         });
}

}  // namespace tacet::oblivious
