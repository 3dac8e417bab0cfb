#include <algorithm>

#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/queries.h"

// What a constant is where it is used.

namespace tacet::check {

using types::DType;
using types::TypeStore;

auto is_written_out(Node value) -> bool {
  value = syntax::bare(value);
  if (value.is(NodeKind::UnaryExpression) && value.child(Field::Operator).is(NodeKind::Minus)) {
    value = syntax::bare(value.child(Field::Operand));
  }
  if (value.is(NodeKind::ForExpression) && !value.child(Field::Variable)) {
    return is_written_out(value.child(Field::Body));
  }
  if (!value.is(NodeKind::ArrayExpression)) {
    return value.is(NodeKind::Integer);
  }
  const auto elements = value.children(Field::Element);
  return std::all_of(elements.begin(), elements.end(), is_written_out);
}

auto type_of_constant(Checker& checker, names::ItemId item) -> TypeId {
  if (checker.constants == nullptr || checker.table[item].file != checker.key.file) {
    return checker.context.get<TypeOfConst>(item);
  }
  auto found = checker.constants->find(item);
  return found == checker.constants->end() ? TypeStore::kError : found->second;
}

auto value_node_of_constant(Checker& checker, names::ItemId item) -> Node {
  return names::item_node(*checker.context.get<names::HeadOfItem>(item).tree).child(Field::Value);
}

/// A constant has the type that its use needs, if it is a number, an array of fractions, or one of
/// integers that are written out.
auto constant_item(Checker& checker, names::ItemId item) -> Term {
  const TypeId type = type_of_constant(checker, item);
  if (type == TypeStore::kI64) {
    return checker.inference.number();
  }
  if (type == TypeStore::kF64) {
    return checker.inference.fraction();
  }
  const std::optional<types::ShapeId> shape = checker.inference.shape(Term(type));
  const std::optional<DType> dtype = checker.inference.dtype(Term(type));
  if (shape && dtype == DType::F64) {
    return checker.inference.array(checker.inference.fraction(), *shape);
  }
  return shape && dtype == DType::I64 && is_written_out(value_node_of_constant(checker, item))
             ? checker.inference.array(checker.inference.number(), *shape)
             : Term(type);
}

}  // namespace tacet::check
