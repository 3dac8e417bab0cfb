#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/device/array/lowering.h"

/// What array programs do not have, each with what can be written instead.
namespace tacet::array {

using names::Builtin;
using syntax::NodeKind;

void report(ItemLowering& lowering, DiagnosticCode code, FileRange place, std::string message,
            std::string_view note) {
  Diagnostic diagnostic = make_diagnostic(code, place, std::move(message));
  if (text(lowering).stands_at) {
    const std::string name =
        text_of(lowering, lowering.snapshot.item_key(text(lowering).item).name);
    diagnostic.message += fmt::format(" (in `{}`)", name);
  }
  if (!note.empty()) {
    diagnostic.notes.emplace_back(note);
  }
  // What is used in several places may be reported in each.
  const bool is_known = std::any_of(
      lowering.diagnostics.begin(), lowering.diagnostics.end(), [&](const Diagnostic& other) {
        return other.code == code && other.place == place && other.message == diagnostic.message;
      });
  if (!is_known) {
    lowering.diagnostics.push_back(std::move(diagnostic));
  }
}

auto unsupported(ItemLowering& lowering, Node node, std::string_view what,
                 std::string_view alternative) -> ExprId {
  report(lowering, DiagnosticCode::T6001, text(lowering).place(node),
         fmt::format("{} is not supported in array programs", what),
         alternative.empty()
             ? "an array program consists of `let`s and one expression of sums, differences and "
               "products of arrays, `for`, reductions and rotations"
             : alternative);
  return lowering.scope ? nothing(lowering, text(lowering).place(node)) : ExprId{};
}

static constexpr std::string_view kInsteadOfDivision =
    "encrypted values cannot be divided; return the dividend, and divide after decryption";
static constexpr std::string_view kInsteadOfEquality =
    "compare bits: for two bits `a` and `b`, `1 - (a - b)*(a - b)` is 1 if they are equal, and the "
    "product over all bits of two numbers is 1 if the numbers are equal";
static constexpr std::string_view kInsteadOfOrder =
    "compare bits: `a < b` for two bits is `(1 - a)*b`, and for numbers the most significant bit "
    "that differs decides";
static constexpr std::string_view kInsteadOfLogic =
    "for integers that are 0 or 1, `a*b` is AND, `a + b - a*b` is OR, `a + b - 2*a*b` is XOR, and "
    "`1 - a` is NOT";

/// By the token of an operator that array programs do not have.
static constexpr std::pair<NodeKind, std::string_view> kInsteadOfOperators[] = {
    {NodeKind::Slash, kInsteadOfDivision},
    {NodeKind::Percent, kInsteadOfDivision},
    {NodeKind::EqualEqual, kInsteadOfEquality},
    {NodeKind::NotEqual, kInsteadOfEquality},
    {NodeKind::Less, kInsteadOfOrder},
    {NodeKind::LessEqual, kInsteadOfOrder},
    {NodeKind::Greater, kInsteadOfOrder},
    {NodeKind::GreaterEqual, kInsteadOfOrder},
    {NodeKind::AmpAmp, kInsteadOfLogic},
    {NodeKind::PipePipe, kInsteadOfLogic},
    {NodeKind::Bang, kInsteadOfLogic},
    {NodeKind::Amp, kInsteadOfLogic},
    {NodeKind::Pipe, kInsteadOfLogic},
    {NodeKind::Caret, kInsteadOfLogic},
    {NodeKind::LessLess, "multiply by a power of two"},
};

auto unsupported_operator(ItemLowering& lowering, Node node) -> ExprId {
  Node token = node.child(Field::Operator);
  const auto* instead = std::find_if(std::begin(kInsteadOfOperators), std::end(kInsteadOfOperators),
                                     [&](const auto& entry) { return token.is(entry.first); });
  return unsupported(lowering, token, fmt::format("`{}`", token.text()),
                     instead == std::end(kInsteadOfOperators) ? "" : instead->second);
}

namespace {

struct UnsupportedExpression {
  NodeKind kind;
  std::string_view what;
  std::string_view alternative;
};

constexpr std::string_view kInsteadOfChoice =
    "compute both values and select one: `c*a + (1 - c)*b`, where `c` is 0 or 1";

constexpr UnsupportedExpression kUnsupportedExpressions[] = {
    {NodeKind::ConditionalExpression, "a conditional expression", kInsteadOfChoice},
    {NodeKind::IfExpression, "a conditional expression", kInsteadOfChoice},
    {NodeKind::Float, "a fractional number", "declare the parameters and the result as `fxp`"},
    {NodeKind::Boolean, "a boolean", "use an integer that is 0 or 1"},
    {NodeKind::Block, "a block inside an expression", "name values with `let x = e in …`"},
    {NodeKind::TupleExpression, "a tuple", "write one program for each value"},
    {NodeKind::Hole, "a hole", "fill it in"},
    {NodeKind::StatementHole, "a hole", "fill it in"},
};

}  // namespace

auto unsupported_expression(ItemLowering& lowering, Node node) -> ExprId {
  const auto* known =
      std::find_if(std::begin(kUnsupportedExpressions), std::end(kUnsupportedExpressions),
                   [&](const UnsupportedExpression& entry) { return node.is(entry.kind); });
  return known == std::end(kUnsupportedExpressions)
             ? unsupported(lowering, node, "this expression", "")
             : unsupported(lowering, node, known->what, known->alternative);
}

auto unsupported_call(ItemLowering& lowering, Node node) -> ExprId {
  Node function = node.child(Field::Function);
  std::optional<Builtin> builtin = called_builtin(text(lowering), node);
  if (!builtin) {
    return unsupported(lowering, node, "calling something other than a named function",
                       "write out the computation in place of the call");
  }
  return unsupported(lowering, node, fmt::format("`{}`", function.text()),
                     *builtin == Builtin::Reveal
                         ? "only the client sees values, when it decrypts the result"
                         : "pass the numbers as inputs");
}

}  // namespace tacet::array
