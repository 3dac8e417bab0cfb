#include "compiler/front/check/array_forms.h"

#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/known_length.h"
#include "compiler/front/types/constant.h"

namespace tacet::check {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto all_of(Node node, Field field) -> std::vector<Node> {
  std::vector<Node> found;
  for (const Node child : node.children(field)) {
    found.push_back(child);
  }
  return found;
}

auto variables_of(Node loop) -> std::vector<Node> {
  return all_of(loop, Field::Variable);
}

static auto list_of(Node loop) -> Field {
  return loop.is(NodeKind::ForExpression) ? Field::Extent : Field::Array;
}

auto arrays_of(const names::BodyNames& names, Node loop) -> std::vector<Node> {
  const Node variable = loop.child(Field::Variable);
  const names::Local* local = variable ? names.local(variable.index()) : nullptr;
  const bool has_elements = local != nullptr && local->kind == names::LocalKind::Element;
  return has_elements ? all_of(loop, list_of(loop)) : std::vector<Node>();
}

auto array_of(const syntax::Tree& tree, const names::Local& element) -> Node {
  const Node loop(&tree, element.declaration);
  const std::vector<Node> arrays = all_of(loop, list_of(loop));
  return element.ordinal < arrays.size() ? arrays[element.ordinal] : Node();
}

auto range_in(Node array_literal) -> Node {
  if (!array_literal.is(NodeKind::ArrayExpression)) {
    return {};
  }
  const std::vector<Node> elements = all_of(array_literal, Field::Element);
  return elements.size() == 1 && elements[0].is(NodeKind::RangeExpression) ? elements[0] : Node();
}

auto stride_of(const types::TypeStore& types, const Body& body, Node node,
               const ConstantValue& value_of) -> Stride {
  const auto number = [&](Field field, int64_t otherwise) {
    const Node written = node.child(field);
    const std::optional<int64_t> value =
        types::evaluate_constant(written, [&](Node part) -> std::optional<int64_t> {
          if (part.is(NodeKind::CallExpression)) {
            return known_length(types, body, part);
          }
          const names::ItemId item = body.names.item(part.index());
          return item.has_value() ? value_of(item) : std::nullopt;
        });
    return written && value ? *value : otherwise;
  };
  const bool is_range = node.is(NodeKind::RangeExpression);
  return {number(is_range ? Field::Left : Field::Lower, 0), number(Field::Step, 1)};
}

}  // namespace tacet::check
