#include "compiler/front/check/secret_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/types/columns.h"

namespace tacet::check {

using names::Builtin;
using names::Meaning;
using syntax::ExpressionKind;

auto is_any(const Columns& columns) -> bool {
  return std::find(columns.begin(), columns.end(), true) != columns.end();
}

auto type_of(Checker& checker, Node node) -> TypeId {
  return checker.inference.finish(checker.terms[node.index()]);
}

auto type_of_local(Checker& checker, uint32_t local) -> TypeId {
  return checker.inference.finish(checker.local_terms[local]);
}

static void merge_columns(Columns& into, const Columns& other) {
  for (size_t i = 0; i < into.size() && i < other.size(); ++i) {
    into[i] = into[i] || other[i];
  }
}

static void append(Columns& to, const Columns& other) {
  to.insert(to.end(), other.begin(), other.end());
}

auto columns_as(Checker& checker, Node node, TypeId type) -> Columns {
  const Columns given = columns_at(checker, node);
  const TypeId own = type_of(checker, node);
  const auto matching = types::matching_columns(checker.types, own, type);
  // What does not match was reported as that.
  const bool is_reported =
      !matching && (types::has_columns(checker.types, own) || own == types::TypeStore::kError);
  Columns result(types::n_columns(checker.types, type), is_any(given) && !is_reported);
  for (size_t i = 0; matching && i < result.size() && i < matching->size(); ++i) {
    result[i] = (*matching)[i] >= given.size() || given[(*matching)[i]];
  }
  return result;
}

auto columns_of_local(Checker& checker, uint32_t local) -> Columns {
  const auto found = checker.secret_columns_of_locals.find(local);
  return found != checker.secret_columns_of_locals.end()
             ? found->second
             : Columns(types::n_columns(checker.types, type_of_local(checker, local)),
                       checker.secret_locals[local]);
}

static auto of_call(Checker& checker, Node call, TypeId type) -> Columns {
  Node function = call.child(Field::Function);
  function = function.is(NodeKind::TaggedExpression) ? function.child(Field::Value) : function;
  const Columns otherwise(types::n_columns(checker.types, type),
                          visibility_of(checker, call.index()));
  const std::vector<Node> arguments = value_nodes(checker, call);
  const names::Resolution resolution = checker.resolved.names.of(function.index());
  if (resolution.is(Meaning::Builtin)) {
    const auto builtin = static_cast<Builtin>(resolution.index());
    const bool moves = builtin == Builtin::Rotate || builtin == Builtin::SortBy;
    if (moves && arguments.size() == 2) {
      const size_t moved = builtin == Builtin::SortBy ? 1 : 0;
      const bool is_order_secret = visibility_of(checker, arguments[1 - moved].index());
      return is_order_secret ? Columns(otherwise.size(), true)
                             : columns_as(checker, arguments[moved], type);
    }
    if (builtin != Builtin::Concat) {
      return otherwise;
    }
    Columns result(otherwise.size());
    for (const Node argument : arguments) {
      merge_columns(result, columns_as(checker, argument, type));
    }
    return result;
  }
  const names::Local* local = checker.resolved.names.local(function.index());
  if (local != nullptr && local->ordinal < checker.signature.functions.size()) {
    return types::secret_columns(checker.types,
                                 checker.signature.functions[local->ordinal].result.type);
  }
  const names::ItemId item = checker.resolved.names.item(function.index());
  if (!item.has_value() || is_spec(checker)) {
    return otherwise;
  }
  Columns result;
  if (checker.table[item].kind == names::ItemKind::Type) {
    const Columns declared = types::secret_columns(checker.types, type);
    const auto& fields = checker.types.fields(checker.types[type].fields);
    for (size_t i = 0; i < arguments.size() && i < fields.size(); ++i) {
      append(result, columns_as(checker, arguments[i], fields[i].type));
    }
    merge_columns(result, declared);
  } else {
    for (const auto& one : checker.context.get<types::SignatureOf>(item)->results) {
      append(result, types::secret_columns(checker.types, one.type));
    }
  }
  return result.size() == otherwise.size() ? result : otherwise;
}

static auto of_field(Checker& checker, Node node, size_t n) -> Columns {
  const Node record = node.child(Field::Record);
  const Columns all = columns_at(checker, record);
  const Name name = checker.interner.intern(node.child(Field::Field).text());
  const Term element = checker.inference.innermost(checker.terms[record.index()]);
  const auto range =
      types::columns_of_field(checker.types, checker.inference.finish(element), name);
  if (!range || range->begin + range->size > all.size() || range->size != n) {
    return Columns(n, visibility_of(checker, record.index()));
  }
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(range->begin);
  return {begin, begin + static_cast<std::ptrdiff_t>(range->size)};
}

static auto of_branch(Checker& checker, Node node, TypeId type) -> Columns {
  const Node condition = node.child(Field::Condition);
  Columns result(types::n_columns(checker.types, type),
                 condition && visibility_of(checker, condition.index()));
  for (const Field arm : {Field::Consequence, Field::Alternative}) {
    if (const Node value = node.child(arm)) {
      merge_columns(result, columns_as(checker, value, type));
    }
  }
  return result;
}

static auto of_elements(Checker& checker, Node node, TypeId type) -> Columns {
  Columns result;
  if (node.is(NodeKind::TupleExpression)) {
    for (const Node element : node.children(Field::Element)) {
      append(result, columns_at(checker, element));
    }
    return result;
  }
  result.resize(types::n_columns(checker.types, type));
  for (const Node element : node.children(Field::Element)) {
    const TypeId part = type_of(checker, element);
    if (types::n_columns(checker.types, part) >= result.size()) {
      const types::Type array = checker.types[type];
      merge_columns(result,
                    columns_as(checker, element,
                               array.kind == types::TypeKind::Array ? array.element : part));
    }
  }
  return result;
}

// Of an element or a slice of an array: those of the array, unless the index is secret.
static auto of_indexed(Checker& checker, Node node, const Columns& otherwise) -> Columns {
  const Node index = node.child(Field::Index);
  const Columns found = columns_at(checker, node.child(Field::Array));
  const bool is_secret = index && visibility_of(checker, index.index());
  return is_secret || found.size() != otherwise.size() ? otherwise : found;
}

static auto of_concatenation(Checker& checker, Node node, TypeId type) -> Columns {
  Columns result(types::n_columns(checker.types, type));
  for (const Node array : syntax::concatenated(node)) {
    merge_columns(result, columns_as(checker, array, type));
  }
  return result;
}

auto columns_of(Checker& checker, Node node) -> Columns {
  const TypeId type = type_of(checker, node);
  const size_t n = types::n_columns(checker.types, type);
  const Columns otherwise(n, visibility_of(checker, node.index()));
  const auto of_part = [&](Field part) {
    const Node inner = node.child(part);
    const Columns found = inner ? columns_as(checker, inner, type) : otherwise;
    return found.size() == n ? found : otherwise;
  };
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier: {
      const uint32_t local = local_of(checker, node);
      return local == names::Local::kNone ? otherwise : columns_of_local(checker, local);
    }
    case ExpressionKind::Tuple:
    case ExpressionKind::Array:
      return of_elements(checker, node, type);
    case ExpressionKind::Call:
      return of_call(checker, node, type);
    case ExpressionKind::Field:
      return of_field(checker, node, n);
    case ExpressionKind::If:
    case ExpressionKind::Conditional:
      return of_branch(checker, node, type);
    case ExpressionKind::Index:
    case ExpressionKind::Slice:
      return of_indexed(checker, node, otherwise);
    case ExpressionKind::For: {
      const Columns found = columns_at(checker, node.child(Field::Body));
      return found.size() == n ? found : otherwise;
    }
    case ExpressionKind::Let:
      return of_part(Field::Body);
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
      return of_part(Field::Value);
    case ExpressionKind::Binary:
      return syntax::is_concatenation(node) ? of_concatenation(checker, node, type) : otherwise;
    case ExpressionKind::Await:
    case ExpressionKind::Boolean:
    case ExpressionKind::Cast:
    case ExpressionKind::Dim:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Float:
    case ExpressionKind::Hole:
    case ExpressionKind::Integer:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Submit:
    case ExpressionKind::Unary:
    case ExpressionKind::None:
      break;
  }
  const Node tail = node.is(NodeKind::Block) ? syntax::tail_of(node) : Node();
  return tail ? columns_as(checker, tail, type) : otherwise;
}

auto columns_of_target(Checker& checker, Node target) -> types::ColumnRange {
  if (target.is(NodeKind::FieldExpression)) {
    const Node record = target.child(Field::Record);
    const types::ColumnRange outer = columns_of_target(checker, record);
    const Term element = checker.inference.innermost(checker.terms[record.index()]);
    const auto range =
        types::columns_of_field(checker.types, checker.inference.finish(element),
                                checker.interner.intern(target.child(Field::Field).text()));
    return range ? types::ColumnRange{outer.begin + range->begin, range->size} : outer;
  }
  if (target.is(NodeKind::IndexExpression)) {
    return columns_of_target(checker, target.child(Field::Array));
  }
  if (target.is(NodeKind::ParenthesizedExpression) || target.is(NodeKind::TaggedExpression)) {
    return columns_of_target(checker, target.child(Field::Value));
  }
  return {0, types::n_columns(checker.types, type_of(checker, target))};
}

auto column_text(Checker& checker, TypeId type, size_t column, std::string_view name)
    -> std::string {
  const std::vector<std::string> names =
      types::column_names(checker.types, checker.interner, type, std::string(name));
  return column < names.size() ? names[column] : std::string(name);
}

}  // namespace tacet::check
