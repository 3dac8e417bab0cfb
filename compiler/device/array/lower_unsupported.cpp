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
    diagnostic.message += fmt::format(", which is in `{}`", name);
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
         fmt::format("array programs do not have {}", what),
         way_out.empty()
             ? "an array program is one expression of sums, differences and products of arrays, "
               "`for`, reductions and rotations, behind `let`s"
             : way_out);
  return scope_ ? nothing(text().place(node)) : ExprId{};
}

auto ItemLowering::unsupported_operator(Node node) -> ExprId {
  Node token = node.child(Field::Operator);
  std::string what = fmt::format("`{}`", token.text());
  switch (token.kind()) {
    case NodeKind::Slash:
    case NodeKind::Percent:
      return unsupported(token, what,
                         "what is encrypted cannot be divided; give back what is to be divided, "
                         "and divide what comes out");
    case NodeKind::EqualEqual:
    case NodeKind::NotEqual:
      return unsupported(token, what,
                         "compare bits: of two bits `a` and `b`, `1 - (a - b)*(a - b)` is 1 where "
                         "they are equal, and the product over the bits of two numbers is 1 "
                         "where those are");
    case NodeKind::Less:
    case NodeKind::LessEqual:
    case NodeKind::Greater:
    case NodeKind::GreaterEqual:
      return unsupported(token, what,
                         "compare bits: `a < b` of two bits is `(1 - a)*b`, and the highest bits "
                         "that differ decide for numbers");
    case NodeKind::AmpAmp:
    case NodeKind::PipePipe:
    case NodeKind::Bang:
    case NodeKind::Amp:
    case NodeKind::Pipe:
    case NodeKind::Caret:
      return unsupported(token, what,
                         "of integers that are 0 or 1, `a*b` is both, `a + b - a*b` either, "
                         "`a + b - 2*a*b` one of them alone and `1 - a` not `a`");
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
      return unsupported(node, "a choice",
                         "compute both and select: `c*a + (1 - c)*b`, where `c` is 0 or 1");
    case NodeKind::Float:
      return unsupported(node, "this number with a fraction",
                         "its parameters and result are to be `fxp`");
    case NodeKind::Boolean:
      return unsupported(node, "booleans", "truth can be an integer that is 0 or 1");
    case NodeKind::Block:
      return unsupported(node, "blocks inside of expressions", "`let x = e in …` names a value");
    case NodeKind::TupleExpression:
      return unsupported(node, "tuples", "write a program for each value");
    case NodeKind::Hole:
    case NodeKind::StatementHole:
      return unsupported(node, "holes", "fill it in");
    default:
      return unsupported(node, "this expression", "");
  }
}

auto ItemLowering::unsupported_call(Node node) -> ExprId {
  Node function = node.child(Field::Function);
  std::optional<Builtin> builtin = called_builtin(text(), node);
  if (!builtin) {
    return unsupported(node, "calls of what is no function with a name",
                       "write what the function computes in place of the call");
  }
  return unsupported(node, fmt::format("`{}`", function.text()),
                     *builtin == Builtin::Reveal
                         ? "values are seen by the client alone, when the result is decrypted"
                         : "make the numbers inputs");
}

}  // namespace tacet::array
