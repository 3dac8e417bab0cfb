#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/build.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

/// What costs more between parties than it has to.
namespace tacet::linter {

using kernel::ExprId;
using kernel::StatementId;
using syntax::Node;
using syntax::NodeKind;
using types::Operator;

namespace {

/// Does something in the loop leave it early?
auto leaves_early(const kernel::Kernel& kernel, const kernel::Block& body) -> bool {
  const kernel::Effects effects = kernel::effects_of(kernel, body);
  return effects.breaks || effects.returns;
}

/// A loop, and what it changes.
struct OpenLoop {
  StatementId statement;
  std::set<kernel::VariableId> written;
  /// Is it run iteration by iteration? Other loops are unrolled, or all their iterations are one
  /// operation on arrays: invariants are computed once.
  bool is_sequential = false;
};

/// Finds operations on secrets whose operands a loop does not change.
class InvariantSearch {
 public:
  InvariantSearch(const Subject& subject, Findings& findings)
      : subject_(subject), kernel_(subject.kernel), findings_(findings) {}

  void block(const kernel::Block& block) {
    for (const StatementId id : block) {
      if (subject_.secrecy.is_reached(id)) {
        statement(id);
      }
    }
  }

 private:
  void statement(StatementId id) {
    const kernel::Statement& statement = kernel_.statements[id];
    const auto* counted = std::get_if<kernel::For>(&statement.node);
    const auto* conditional = std::get_if<kernel::While>(&statement.node);
    if (!loops_.empty() && counted == nullptr) {
      kernel::visit_exprs(statement, [&](ExprId expr) { search(id, expr); });
    }
    if (counted != nullptr || conditional != nullptr) {
      const kernel::Block& body = counted != nullptr ? counted->body : conditional->body;
      OpenLoop loop{id, kernel::variables_written(kernel_, body),
                    conditional != nullptr || leaves_early(kernel_, body)};
      if (counted != nullptr) {
        loop.written.insert(counted->counter);
      }
      loops_.push_back(std::move(loop));
      block(body);
      loops_.pop_back();
      return;
    }
    kernel::visit_blocks(statement, [&](const kernel::Block& inner) { block(inner); });
  }

  static auto is_division(Operator op) -> bool {
    return op == Operator::Div || op == Operator::Mod;
  }

  /// Is it paid for in rounds and bytes?
  auto is_costly(StatementId at, const kernel::Expr& expr) const -> bool {
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    if (binary == nullptr) {
      return false;
    }
    const bool left = subject_.secrecy.is_secret(at, binary->left);
    const bool right = subject_.secrecy.is_secret(at, binary->right);
    if (binary->op == Operator::Mul) {
      return left && right;
    }
    return (is_division(binary->op) || kernel::is_comparison(binary->op)) && (left || right);
  }

  void search(StatementId at, ExprId expr) {
    const kernel::Expr& node = kernel_.exprs[expr];
    if (is_costly(at, node) && report(expr)) {
      return;
    }
    if (std::holds_alternative<kernel::Tabulate>(node.node)) {
      return;  // its index changes, too
    }
    kernel::visit_exprs(node, [&](ExprId inner) { search(at, inner); });
  }

  /// The outermost loop in which all of it is invariant, if there is one and iterations repeat it.
  auto loop_left_alone(ExprId expr) const -> const OpenLoop* {
    const std::set<kernel::VariableId> read = kernel::variables_read(kernel_, expr);
    const OpenLoop* found = nullptr;
    bool is_repeated = false;
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
      const bool changes = std::any_of(read.begin(), read.end(), [&](kernel::VariableId variable) {
        return loop->written.contains(variable);
      });
      if (changes) {
        break;
      }
      found = &*loop;
      is_repeated = is_repeated || loop->is_sequential;
    }
    return is_repeated ? found : nullptr;
  }

  auto report(ExprId expr) -> bool {
    const FileRange place = kernel_.exprs[expr].place;
    const Node node = node_at(subject_, place, {NodeKind::BinaryExpression});
    const OpenLoop* loop = node ? loop_left_alone(expr) : nullptr;
    const Node around =
        loop == nullptr
            ? Node()
            : node_at(subject_, kernel_.statements[loop->statement].place,
                      {NodeKind::ForStatement, NodeKind::WhileStatement, NodeKind::DoStatement});
    if (!around) {
      return false;
    }
    Diagnostic* finding = findings_.add(
        DiagnosticCode::T9401, place,
        fmt::format("this {} is recomputed in each iteration, but its operands do not change",
                    name_of(kernel_.exprs[expr])));
    if (finding != nullptr) {
      add_label(*finding, {around.range().begin, around.range().begin + 1}, "the loop");
      if (!kernel::can_fault_anywhere(kernel_, expr) && !contains(node, NodeKind::CallExpression) &&
          !contains(node, NodeKind::Block)) {
        add_fix(*finding, "compute it once before the loop", Applicability::Safe,
                hoisting(around, node));
      }
    }
    return true;
  }

  static auto name_of(const kernel::Expr& expr) -> std::string_view {
    const Operator op = std::get<kernel::Binary>(expr.node).op;
    if (op == Operator::Mul) {
      return "product of secrets";
    }
    return is_division(op) ? "division of secrets" : "comparison of secrets";
  }

  /// All fixes of a function may be applied at once, so each has a name of its own.
  auto hoisting(Node loop, Node value) -> std::vector<TextEdit> {
    const std::string_view text = subject_.tree.text;
    std::string name = "before_loop";
    for (int i = 2; text.find(name) != std::string_view::npos || names_.contains(name); ++i) {
      name = fmt::format("before_loop_{}", i);
    }
    names_.insert(name);
    const uint32_t begin = loop.range().begin;
    const size_t line_end = text.rfind('\n', begin);
    const size_t line = line_end == std::string_view::npos ? 0 : line_end + 1;
    const std::string_view front = text.substr(line, begin - line);
    const bool is_first = front.find_first_not_of(" \t") == std::string_view::npos;
    return {{{begin, begin},
             fmt::format("let {} = {};{}", name, value.text(),
                         is_first ? fmt::format("\n{}", front) : " ")},
            {value.range(), name}};
  }

  const Subject& subject_;
  std::set<std::string> names_;  ///< that fixes declare
  const kernel::Kernel& kernel_;
  Findings& findings_;
  std::vector<OpenLoop> loops_;
};

}  // namespace

/// Rule: invariant-secret-operation
///
/// What it does: finds products, divisions and comparisons of secrets that are the same in each
/// iteration of a loop of a function of `mpc`. Only loops that are run iteration by iteration are
/// checked: a `while`, and a `for` that is left early.
/// Why: each iteration pays their rounds and bytes; parties do not keep what they have computed.
/// Example: `while i < n max 8 { x = x * x + a * b; i = i + 1; }`
/// Use instead: `let c = a * b; while i < n max 8 { x = x * x + c; i = i + 1; }`
/// Fix safety: safe; there is none for what may fail.
static void check_invariant(const Subject& subject, Findings& findings) {
  if (subject.kernel.device == names::Device::Mpc) {
    InvariantSearch(subject, findings).block(subject.kernel.body);
  }
}

auto invariant_secret_operation() -> Rule {
  return device_rule(DiagnosticCode::T9401, "invariant-secret-operation", Group::Performance,
                     check_invariant);
}

static void find_reveals(const Subject& subject, const kernel::Block& block, bool is_in_loop,
                         Findings& findings) {
  for (const StatementId id : block) {
    const kernel::Statement& statement = subject.kernel.statements[id];
    if (!subject.secrecy.is_reached(id)) {
      continue;
    }
    if (std::holds_alternative<kernel::Reveal>(statement.node) && is_in_loop) {
      Diagnostic* finding = findings.add(DiagnosticCode::T9402, statement.place,
                                         "`reveal` in every iteration of the loop");
      if (finding != nullptr) {
        add_note(*finding,
                 "each `reveal` takes a round between the parties; a whole array can be revealed "
                 "in one round after the loop");
      }
    }
    if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
      const bool is_counted = !leaves_early(subject.kernel, loop->body);
      find_reveals(subject, loop->body, is_counted, findings);
    } else if (const auto* until = std::get_if<kernel::While>(&statement.node)) {
      find_reveals(subject, until->body, false, findings);
    } else {
      kernel::visit_blocks(statement, [&](const kernel::Block& inner) {
        find_reveals(subject, inner, is_in_loop, findings);
      });
    }
  }
}

/// Rule: reveal-in-loop
///
/// What it does: finds a `reveal` in a loop of a function of `mpc` that always runs to its end.
/// Why: each iteration waits for a round between the parties.
/// Example: `for i in 0..8 { shown[i] = reveal(hidden[i]); }`
/// Use instead: `let shown = reveal(hidden);`
/// Fix safety: there is none; what the loop does with the values is not known.
static void check_reveal(const Subject& subject, Findings& findings) {
  if (subject.kernel.device == names::Device::Mpc) {
    find_reveals(subject, subject.kernel.body, false, findings);
  }
}

auto reveal_in_loop() -> Rule {
  return device_rule(DiagnosticCode::T9402, "reveal-in-loop", Group::Performance, check_reveal);
}

/// Of 2, 4, 8 and so on the exponent, else nothing.
static auto exponent(__int128 number) -> std::optional<int> {
  for (int i = 1; i < 63; ++i) {
    if (number == (__int128{1} << i)) {
      return i;
    }
  }
  return std::nullopt;
}

static void check_division(const Subject& subject, StatementId at, const kernel::Expr& expr,
                           Findings& findings) {
  const auto* binary = std::get_if<kernel::Binary>(&expr.node);
  if (binary == nullptr || (binary->op != Operator::Div && binary->op != Operator::Mod) ||
      !engine::is_signed_integer(expr.type.element.kind) ||
      !subject.secrecy.is_secret(at, binary->left)) {
    return;
  }
  const oblivious::Range divisor = subject.ranges.of(binary->right);
  const auto power = divisor.lower == divisor.upper ? exponent(divisor.lower) : std::nullopt;
  const Node node = node_at(subject, expr.place, {NodeKind::BinaryExpression});
  if (!power || !node || subject.ranges.of(binary->left).lower < 0) {
    return;
  }
  const bool divides = binary->op == Operator::Div;
  Diagnostic* finding = findings.add(
      DiagnosticCode::T9403, expr.place,
      fmt::format(
          "the dividend is never negative; {} gives the same result in about half the rounds",
          divides ? "a shift" : "a mask"));
  const Node left = node.child(syntax::Field::Left);
  const Node right = node.child(syntax::Field::Right);
  if (finding == nullptr || has_comment(subject.tree, {left.range().end, right.range().begin})) {
    return;
  }
  const std::string written =
      divides ? fmt::format("({} >> {})", left.text(), *power)
              : fmt::format("({} & {})", left.text(), (int64_t{1} << *power) - 1);
  add_fix(*finding, fmt::format("replace with `{}`", written), Applicability::Safe,
          {{node.range(), written}});
}

/// Rule: secret-power-of-two-division
///
/// What it does: finds divisions and remainders of a secret by 2, 4, 8 and so on in functions of
/// `mpc`, where the secret has a sign by its type and cannot be negative by its bound.
/// Why: the sign takes about as many rounds as the shift or mask that is then left of the division.
/// Without a sign both are the same.
/// Example: `x / 8` with `x: secret i64 in 0..1000`
/// Use instead: `x >> 3`
/// Fix safety: safe. Of numbers that may be negative a shift rounds down and a division towards
/// zero; those are left alone.
static void check_powers(const Subject& subject, Findings& findings) {
  if (subject.kernel.device != names::Device::Mpc) {
    return;
  }
  for_each_reached(subject, [&](StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](ExprId, const kernel::Expr& expr) {
      check_division(subject, at, expr, findings);
    });
  });
}

auto secret_power_of_two_division() -> Rule {
  return device_rule(DiagnosticCode::T9403, "secret-power-of-two-division", Group::Performance,
                     check_powers);
}

}  // namespace tacet::linter
