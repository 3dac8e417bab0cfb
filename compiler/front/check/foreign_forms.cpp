#include <fmt/format.h>

#include <utility>

#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/checker.h"

// What to say where types do not fit because a form means something else in C or Python: numbers as
// truth values, `[e] * n` for an array of equal elements.

namespace tacet::check {

static auto is_number(Checker& checker, Term term) -> bool {
  const std::optional<types::DType> dtype = checker.inference.dtype(term);
  return checker.inference.is_integer_literal(term) || (dtype && types::is_integer(*dtype));
}

/// `x != 0`, with parentheses around operators that bind less tightly.
static auto comparison(Node node, std::string_view with) -> std::string {
  const bool is_operation = node.is(NodeKind::BinaryExpression) ||
                            node.is(NodeKind::ConditionalExpression) ||
                            node.is(NodeKind::LetExpression);
  return is_operation ? fmt::format("({}) {} 0", node.text(), with)
                      : fmt::format("{} {} 0", node.text(), with);
}

void number_as_condition(Checker& checker, names::Draft& draft, Node node, Term term) {
  if (!is_number(checker, term)) {
    return;
  }
  const std::string text = comparison(node, "!=");
  draft.note("numbers are not conditions; compare with zero: `x != 0`");
  draft.replace(node.range(), fmt::format("write `{}`", text), text);
}

auto number_as_truth(Checker& checker, names::Draft& draft, Node operation, Term left, Term right)
    -> bool {
  const Node token = operation.child(Field::Operator);
  if (!token.is(NodeKind::AmpAmp) && !token.is(NodeKind::PipePipe)) {
    return false;
  }
  std::vector<TextEdit> edits;
  for (const auto& [node, term] : {std::pair(operation.child(Field::Left), left),
                                   std::pair(operation.child(Field::Right), right)}) {
    if (node && is_number(checker, checker.inference.scalar(term))) {
      edits.push_back({node.range(), comparison(node, "!=")});
    }
  }
  if (edits.empty()) {
    return false;
  }
  draft.note(
      fmt::format("`{}` takes truth values; compare numbers with zero: `x != 0`", token.text()));
  const bool are_numbers = edits.size() == 2;
  draft.fix("compare with zero", Applicability::Unsafe, std::move(edits));
  if (are_numbers) {
    const std::string_view bitwise = token.is(NodeKind::AmpAmp) ? "&" : "|";
    draft.replace(token.range(), fmt::format("write `{}`, on bits", bitwise), std::string(bitwise));
  }
  return true;
}

auto negated_number(Checker& checker, names::Draft& draft, Node operation, Term operand) -> bool {
  const Node value = operation.child(Field::Operand);
  if (!operation.child(Field::Operator).is(NodeKind::Bang) || !value ||
      !is_number(checker, checker.inference.scalar(operand))) {
    return false;
  }
  const std::string text = comparison(syntax::bare(value), "==");
  draft.note("`!` takes a truth value; compare numbers with zero: `x == 0`");
  draft.replace(operation.range(), fmt::format("write `{}`", text), text);
  return true;
}

auto repeated_element(names::Draft& draft, Node node) -> bool {
  const Node array = syntax::bare(node).child(Field::Left);
  const Node extent = syntax::bare(node).child(Field::Right);
  if (!node.is(NodeKind::BinaryExpression) || !array.is(NodeKind::ArrayExpression) || !extent ||
      !node.child(Field::Operator).is(NodeKind::Star)) {
    return false;
  }
  Node element;
  for (const Node child : array.children(Field::Element)) {
    if (element) {
      return false;
    }
    element = child;
  }
  const bool uses_name = element && element.text().find('i') != std::string_view::npos;
  const std::string text =
      fmt::format("for {}: {} {{ {} }}", uses_name ? "j_" : "i", extent.text(), element.text());
  draft.note(
      "`[e] * n` multiplies the element; an array of `n` equal elements is "
      "`for i: n { e }`");
  draft.replace(node.range(), fmt::format("write `{}`", text), text);
  return true;
}

}  // namespace tacet::check
