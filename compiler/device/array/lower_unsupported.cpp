#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/lowering.h"

/// What array programs do not have, each with what can be written instead.
namespace tacet::array {

using names::Builtin;

void ItemLowering::report(DiagnosticCode code, FileRange place, std::string message,
                          std::string_view note) {
  Diagnostic diagnostic = make_diagnostic(code, place, std::move(message));
  if (text().stands_at) {
    const std::string name = text_of(snapshot_.item_key(text().item).name);
    diagnostic.message += fmt::format(" (in `{}`)", name);
  }
  if (!note.empty()) {
    diagnostic.notes.emplace_back(note);
  }
  // What is used in several places may be reported in each.
  const bool is_known =
      std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& other) {
        return other.code == code && other.place == place && other.message == diagnostic.message;
      });
  if (!is_known) {
    diagnostics_.push_back(std::move(diagnostic));
  }
}

auto ItemLowering::unsupported(Node node, std::string_view what, std::string_view way_out)
    -> ExprId {
  report(DiagnosticCode::T6001, text().place(node),
         fmt::format("{} is not supported in array programs", what),
         way_out.empty()
             ? "an array program consists of `let`s and one expression of sums, differences and "
               "products of arrays, `for`, reductions and rotations"
             : way_out);
  return scope_ ? nothing(text().place(node)) : ExprId{};
}

auto ItemLowering::unsupported_operator(Node node) -> ExprId {
  Node token = node.child(Field::Operator);
  std::string what = fmt::format("`{}`", token.text());
  switch (token.kind()) {
    case NodeKind::Slash:
    case NodeKind::Percent:
      return unsupported(
          token, what,
          "encrypted values cannot be divided; return the dividend, and divide after "
          "decryption");
    case NodeKind::EqualEqual:
    case NodeKind::NotEqual:
      return unsupported(token, what,
                         "compare bits: for two bits `a` and `b`, `1 - (a - b)*(a - b)` is 1 if "
                         "they are equal, and the product over all bits of two numbers is 1 "
                         "if the numbers are equal");
    case NodeKind::Less:
    case NodeKind::LessEqual:
    case NodeKind::Greater:
    case NodeKind::GreaterEqual:
      return unsupported(token, what,
                         "compare bits: `a < b` for two bits is `(1 - a)*b`, and for numbers the "
                         "most significant bit that differs decides");
    case NodeKind::AmpAmp:
    case NodeKind::PipePipe:
    case NodeKind::Bang:
    case NodeKind::Amp:
    case NodeKind::Pipe:
    case NodeKind::Caret:
      return unsupported(token, what,
                         "for integers that are 0 or 1, `a*b` is AND, `a + b - a*b` is OR, "
                         "`a + b - 2*a*b` is XOR, and `1 - a` is NOT");
    case NodeKind::LessLess:
      return unsupported(token, what, "multiply by a power of two");
    default:
      return unsupported(token, what, "");
  }
}

auto ItemLowering::unsupported_expression(Node node) -> ExprId {
  switch (node.kind()) {
    case NodeKind::ConditionalExpression:
    case NodeKind::IfExpression:
      return unsupported(
          node, "a conditional expression",
          "compute both values and select one: `c*a + (1 - c)*b`, where `c` is 0 or 1");
    case NodeKind::Float:
      return unsupported(node, "a fractional number",
                         "declare the parameters and the result as `fxp`");
    case NodeKind::Boolean:
      return unsupported(node, "a boolean", "use an integer that is 0 or 1");
    case NodeKind::Block:
      return unsupported(node, "a block inside an expression", "name values with `let x = e in …`");
    case NodeKind::TupleExpression:
      return unsupported(node, "a tuple", "write one program for each value");
    case NodeKind::Hole:
    case NodeKind::StatementHole:
      return unsupported(node, "a hole", "fill it in");
    default:
      return unsupported(node, "this expression", "");
  }
}

auto ItemLowering::unsupported_call(Node node) -> ExprId {
  Node function = node.child(Field::Function);
  std::optional<Builtin> builtin = called_builtin(text(), node);
  if (!builtin) {
    return unsupported(node, "calling something other than a named function",
                       "write out the computation in place of the call");
  }
  return unsupported(node, fmt::format("`{}`", function.text()),
                     *builtin == Builtin::Reveal
                         ? "only the client sees values, when it decrypts the result"
                         : "pass the numbers as inputs");
}

}  // namespace tacet::array
