#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/array/lowering.h"
#include "compiler/front/check/array_forms.h"

namespace tacet::array {

using names::Builtin;
using names::LocalKind;
using syntax::bare;
using syntax::ExpressionKind;
using types::DType;

/// Deeper ones would need too much of the stack; no text by itself is as deep.
static constexpr uint32_t kMostDepth = 3000;

static auto any_expression(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto name(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto let(ItemLowering& lowering, uint32_t local, const Indices& at, FileRange place)
    -> ExprId;
static auto unary(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto binary(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto cast(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto for_value(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto index(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto call(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;
static auto reduce(ItemLowering& lowering, Node node, Operator op, Node array, uint64_t dimension,
                   const Indices& at) -> ExprId;
static auto rotation(ItemLowering& lowering, Node node, const Indices& at) -> ExprId;

auto expression(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  node = bare(node);
  FileRange place = text(lowering).place(node);
  if (pool(lowering).is_full()) {
    return nothing(lowering, place);
  }
  if (lowering.depth >= kMostDepth) {
    report(lowering, DiagnosticCode::T6003, place,
           fmt::format("expression is nested more than {} levels deep after inlining", kMostDepth),
           "a `let` in a called function is computed separately");
    return nothing(lowering, place);
  }
  ++lowering.depth;
  ExprId result = any_expression(lowering, node, at);
  --lowering.depth;
  return result;
}

static auto any_expression(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  FileRange place = text(lowering).place(node);
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(lowering, node, at);
    case ExpressionKind::Array:
      return check::range_in(node) ? range_array(lowering, node, at)
                                   : array_literal(lowering, node, at);
    case ExpressionKind::Slice:
      return slice(lowering, node, at);
    case ExpressionKind::Integer: {
      std::optional<int64_t> value = lets(lowering).constant(node);
      return value ? pool(lowering).literal(*value, place)
                   : unsupported(lowering, node, "an integer above 9223372036854775807",
                                 "this is the largest `i64` on every device");
    }
    case ExpressionKind::Float:
      return fraction(lowering, node);
    case ExpressionKind::Unary:
      return unary(lowering, node, at);
    case ExpressionKind::Binary:
      return binary(lowering, node, at);
    case ExpressionKind::Cast:
      return cast(lowering, node, at);
    case ExpressionKind::For:
      return for_value(lowering, node, at);
    case ExpressionKind::Index:
      return index(lowering, node, at);
    case ExpressionKind::Call:
      return call(lowering, node, at);
    case ExpressionKind::Let:
      return expression(lowering, node.child(Field::Body), at);
    case ExpressionKind::None:
    case ExpressionKind::Boolean:
    case ExpressionKind::String:
    case ExpressionKind::Tuple:
    case ExpressionKind::Conditional:
    case ExpressionKind::If:
    case ExpressionKind::Field:
    case ExpressionKind::Path:
    case ExpressionKind::Dim:
    case ExpressionKind::Range:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
      return unsupported_expression(lowering, node);
  }
  return unsupported_expression(lowering, node);
}

static auto name(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  FileRange place = text(lowering).place(node);
  if (std::optional<int64_t> value = lets(lowering).constant(node)) {
    return pool(lowering).literal(*value, place);
  }
  uint32_t found = text(lowering).local_of(node);
  if (found == names::Local::kNone) {
    const names::ItemId item = text(lowering).body->names.item(node.index());
    return item.has_value()
               ? constant_item(lowering, item, node, at)
               : unsupported(lowering, node, fmt::format("using `{}` as a value", node.text()), "");
  }
  switch (local_of(lowering, found).kind) {
    case LocalKind::Parameter:
      if (lowering.frame->caller != nullptr) {
        return argument(lowering, local_of(lowering, found).ordinal, at);
      }
      return pool(lowering).site({lowering.parameters.at(local_of(lowering, found).ordinal), at},
                                 place);
    case LocalKind::Let:
    case LocalKind::Definition:
      return let(lowering, found, at, place);
    case LocalKind::Index:
      return index_variable(lowering, node);
    case LocalKind::Element:
      return element(lowering, found, at, place);
    case LocalKind::Type:
    case LocalKind::Function:
    case LocalKind::Size:
    case LocalKind::Dim:
    case LocalKind::Output:
    case LocalKind::Var:
    case LocalKind::Loop:
    case LocalKind::Encoded:
      break;
  }
  return unsupported(lowering, node, "this variable", "");
}

auto are_within(const ItemLowering& lowering, const Indices& at,
                const std::vector<int64_t>& extents) -> bool {
  bool are = true;
  for (size_t i = 0; i < at.size() && i < extents.size(); ++i) {
    are = are && is_within(at[i], extents[i], lowering.scope->pool.dims());
  }
  return are;
}

void add_to_key(const Indices& at, std::vector<int64_t>& key) {
  for (const ArrayIndex& index : at) {
    key.push_back(index.offset);
    key.push_back(static_cast<int64_t>(index.terms.size()));
    for (const IndexTerm& term : index.terms) {
      key.insert(key.end(), {term.dim.index, term.stride, term.is_cyclic ? 1 : 0, term.shift});
    }
  }
}

static auto let(ItemLowering& lowering, uint32_t local, const Indices& at, FileRange place)
    -> ExprId {
  Node value = lets(lowering).value_of(local);
  if (!value) {
    Node name_node = text(lowering).node(local_of(lowering, local).node);
    return unsupported(lowering, name_node, "binding a name to one of several values",
                       "write a separate `let` for each value, and a function for each result");
  }
  if (std::optional<int64_t> constant = lets(lowering).constant(value)) {
    return pool(lowering).literal(*constant, place);
  }
  if (!is_inlined(lowering, local) || !are_within(lowering, at, extents(lowering, value))) {
    const names::Local& data = local_of(lowering, local);
    ArrayId array = materialised(lowering, value, text_of(lowering, data.name),
                                 text(lowering).place(text(lowering).node(data.node)));
    return site_of(lowering, value, array, at, place);
  }
  std::vector<int64_t> key = {lowering.frame->id, local};
  for (const Variable& variable : variables_of(lowering, value)) {
    add_to_key({lowering.scope->variables.at(variable)}, key);
  }
  add_to_key(at, key);
  if (auto known = lowering.scope->inlined.find(key); known != lowering.scope->inlined.end()) {
    return known->second;
  }
  ExprId result = expression(lowering, value, at);
  lowering.scope->inlined.emplace(std::move(key), result);
  return result;
}

auto site_of(ItemLowering& lowering, Node node, ArrayId array, const Indices& at, FileRange place)
    -> ExprId {
  Site site{array, {}};
  if (lowering.program.arrays[array].owner != Owner::Constant) {
    for (const Variable& variable : variables_of(lowering, node)) {
      site.indices.push_back(lowering.scope->variables.at(variable));
    }
  }
  site.indices.insert(site.indices.end(), at.begin(), at.end());
  return pool(lowering).site(std::move(site), place);
}

static auto unary(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  FileRange place = text(lowering).place(node);
  if (!node.child(Field::Operator).is(NodeKind::Minus)) {
    return unsupported_operator(lowering, node);
  }
  ExprId operand = expression(lowering, node.child(Field::Operand), at);
  return pool(lowering).operation(Operator::Subtract, pool(lowering).literal(0, place), operand,
                                  place);
}

static auto ring_operator(syntax::NodeKind token) -> std::optional<Operator> {
  return token == syntax::NodeKind::Plus    ? std::optional(Operator::Add)
         : token == syntax::NodeKind::Minus ? std::optional(Operator::Subtract)
         : token == syntax::NodeKind::Star  ? std::optional(Operator::Multiply)
                                            : std::nullopt;
}

static auto binary(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  if (syntax::is_concatenation(node)) {
    return concatenation(lowering, node, syntax::concatenated(node), at);
  }
  const std::optional<Operator> op = ring_operator(node.child(Field::Operator).kind());
  if (!op) {
    if (std::optional<int64_t> value = lets(lowering).constant(node)) {
      return pool(lowering).literal(*value, text(lowering).place(node));
    }
    return unsupported_operator(lowering, node);
  }
  auto operand = [&](Field side) {
    Node part = node.child(side);
    return expression(lowering, part,
                      extents(lowering, part).empty() ? Indices() : at);  // a scalar broadcasts
  };
  ExprId left = operand(Field::Left);
  ExprId right = operand(Field::Right);
  return pool(lowering).operation(*op, left, right, text(lowering).place(node));
}

/// Conversions that change no value are none under encryption.
/// Is it as the type holds it? Sums and products are not wrapped before the end; what parameters
/// are, and numbers that fit, are within their type.
static auto is_wrapped(const ItemLowering& lowering, Node value) -> bool {
  value = bare(value);
  while (value.is(NodeKind::IndexExpression) || value.is(NodeKind::SliceExpression)) {
    value = bare(value.child(Field::Array));
  }
  if (value.is(NodeKind::CastExpression)) {
    const Node inner = bare(value.child(Field::Value));
    const types::TypeStore& types = lowering.snapshot.types();
    const bool is_changed = types[text(lowering).body->type(inner)].dtype !=
                            types[text(lowering).body->type(value)].dtype;
    return is_changed || is_wrapped(lowering, inner);
  }
  if (value.is(NodeKind::Integer)) {
    return true;
  }
  const uint32_t local =
      value.is(NodeKind::Identifier) ? text(lowering).local_of(value) : names::Local::kNone;
  if (local == names::Local::kNone) {
    return false;
  }
  const names::Local& data = text(lowering).body->names.locals[local];
  return data.kind == LocalKind::Element
             ? is_wrapped(lowering, check::array_of(*text(lowering).tree, data))
             : data.kind == LocalKind::Parameter && lowering.frame->caller == nullptr;
}

static auto cast(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  Node value = bare(node.child(Field::Value));
  const types::Type& from = lowering.snapshot.types()[text(lowering).body->type(value)];
  const types::Type& to = lowering.snapshot.types()[text(lowering).body->type(node)];
  auto is_integer = [](const types::Type& type) {
    return type.kind == types::TypeKind::Value && types::is_integer(type.dtype);
  };
  uint32_t from_bits = types::dtype_bits(from.dtype);
  uint32_t to_bits = types::dtype_bits(to.dtype);
  bool keeps_values =
      is_integer(from) && is_integer(to) &&
      (from.dtype == to.dtype || (from_bits < to_bits && (types::is_unsigned_integer(from.dtype) ||
                                                          types::is_signed_integer(to.dtype))));
  const bool becomes_fixed =
      to.kind == types::TypeKind::Value && to.dtype == DType::Fxp &&
      fraction_bits_of(lowering, node) == lowering.program.fraction_bits &&
      (is_integer(from) || fraction_bits_of(lowering, value) == lowering.program.fraction_bits);
  const bool may_wrap = is_integer(from) && from_bits < 64 && from.dtype != to.dtype;
  if (may_wrap && !is_wrapped(lowering, value)) {
    return unsupported(lowering, node, "a conversion of a value that may have wrapped",
                       "convert the operands, and compute in the wider type");
  }
  if (!keeps_values && !becomes_fixed) {
    return unsupported(lowering, node, "a conversion that may change the value",
                       "an integer can be converted to a wider integer or to `fxp`");
  }
  return expression(lowering, value, at);
}

static auto for_value(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  if (!check_size(lowering, extents(lowering, node), text(lowering).place(node))) {
    return nothing(lowering, text(lowering).place(node));
  }
  std::vector<Variable> own;
  for (const Node name : check::variables_of(node)) {
    own.push_back(variable(lowering, text(lowering).local_of(name)));
    lowering.scope->variables[own.back()] = at.front();
  }
  ExprId result = expression(lowering, node.child(Field::Body), Indices(at.begin() + 1, at.end()));
  for (const Variable& variable : own) {
    lowering.scope->variables.erase(variable);
  }
  return result;
}

static auto index(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  FileRange place = text(lowering).place(node);
  Indices all;
  Node array = node;
  while (array.is(NodeKind::IndexExpression)) {
    std::optional<ArrayIndex> index = index_of(lowering, array.child(Field::Index));
    if (!index) {
      return nothing(lowering, place);
    }
    all.push_back(*index);
    array = bare(array.child(Field::Array));
  }
  std::reverse(all.begin(), all.end());
  return part_of(lowering, array, std::move(all), at, place);
}

auto part_of(ItemLowering& lowering, Node array, Indices first, const Indices& rest,
             FileRange place) -> ExprId {
  array = bare(array);
  const bool are_inside = are_within(lowering, first, extents(lowering, array));
  first.insert(first.end(), rest.begin(), rest.end());
  if (array.is(NodeKind::Identifier) || are_inside) {
    return expression(lowering, array, first);
  }
  return site_of(lowering, array,
                 materialised(lowering, array, "part", text(lowering).place(array)), first, place);
}

static auto call(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  std::vector<Node> arguments = arguments_of(text(lowering), node);
  std::optional<Builtin> builtin = called_builtin(text(lowering), node);
  if (!builtin) {
    return function_call(lowering, node, at);
  }
  if (builtin == Builtin::Sum || builtin == Builtin::Product) {
    const Operator op = builtin == Builtin::Sum ? Operator::Add : Operator::Multiply;
    return reduce(lowering, node, op, arguments.at(0), 0, at);
  }
  if (builtin == Builtin::Reduce) {
    int64_t dimension = lets(lowering).constant(arguments.at(1)).value_or(0);
    std::string_view op = arguments[0].text();
    if (op != "+" && op != "*") {
      return unsupported(lowering, arguments[0],
                         "a reduction with an operator other than `+` and `*`",
                         "all bits are 1 if their product is 1; some bit is 1 if the product of "
                         "all `1 - b` is 0");
    }
    return reduce(lowering, node, op == "+" ? Operator::Add : Operator::Multiply, arguments.at(2),
                  static_cast<uint64_t>(dimension), at);
  }
  if (builtin == Builtin::Concat) {
    return concatenation(lowering, node, arguments, at);
  }
  if (builtin == Builtin::Len) {
    return pool(lowering).literal(lets(lowering).constant(node).value_or(0),
                                  text(lowering).place(node));
  }
  return builtin == Builtin::Rotate ? rotation(lowering, node, at)
                                    : unsupported_call(lowering, node);
}

static auto reduce(ItemLowering& lowering, Node node, Operator op, Node array, uint64_t dimension,
                   const Indices& at) -> ExprId {
  std::vector<int64_t> shape = extents(lowering, array);
  if (dimension >= shape.size() ||
      !check_size(lowering, {shape[dimension]}, text(lowering).place(array))) {
    return nothing(lowering, text(lowering).place(node));
  }
  DimId dim = pool(lowering).new_dim(dimension_name(lowering, array, dimension), shape[dimension]);
  Indices inner = at;
  inner.insert(inner.begin() + static_cast<std::ptrdiff_t>(dimension), index_along(dim));
  return pool(lowering).reduction(op, dim, expression(lowering, array, inner),
                                  text(lowering).place(node));
}

static auto mentions(const ArrayIndex& index, DimId dim) -> bool {
  return std::any_of(index.terms.begin(), index.terms.end(),
                     [&](const IndexTerm& term) { return term.dim == dim; });
}

/// Would an index that traverses `dim` cyclically meet another use of `dim` within `array`?
static auto may_meet(ItemLowering& lowering, DimId dim, Node array, const Indices& others) -> bool {
  Node base = bare(array);
  while (base.is(NodeKind::IndexExpression)) {
    base = bare(base.child(Field::Array));
  }
  if (uint32_t found = text(lowering).local_of(base); found != names::Local::kNone) {
    if (local_of(lowering, found).kind == LocalKind::Parameter &&
        lowering.frame->caller != nullptr) {
      const Node value = lowering.frame->arguments.at(local_of(lowering, found).ordinal);
      return in_frame(lowering, *lowering.frame->caller,
                      [&] { return may_meet(lowering, dim, value, others); });
    }
    if (!is_inlined(lowering, found)) {
      return false;  // a site, where each index stands by itself
    }
  }
  auto has_dim = [&](const ArrayIndex& index) { return mentions(index, dim); };
  const std::vector<Variable>& variables = variables_of(lowering, array);
  return std::any_of(others.begin(), others.end(), has_dim) ||
         std::any_of(variables.begin(), variables.end(), [&](const Variable& variable) {
           return has_dim(lowering.scope->variables.at(variable));
         });
}

static auto rotation(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  std::vector<Node> arguments = arguments_of(text(lowering), node);
  FileRange place = text(lowering).place(node);
  std::vector<int64_t> shape = extents(lowering, arguments.at(0));
  if (!check_size(lowering, shape, text(lowering).place(arguments[0]))) {
    return nothing(lowering, place);
  }
  std::optional<ArrayIndex> amount = index_of(lowering, arguments.at(1));
  if (!amount) {
    return nothing(lowering, place);
  }
  if (!amount->terms.empty()) {
    index_mistake(lowering, arguments[1], "rotation distance depends on an index variable",
                  "an array can be rotated only by a constant number of elements");
    return nothing(lowering, place);
  }
  std::optional<ArrayIndex> first =
      rotate(at.front(), amount->offset, shape.front(), pool(lowering).dims());
  Indices rest(at.begin() + 1, at.end());
  bool is_cyclic = first && std::any_of(first->terms.begin(), first->terms.end(),
                                        [](const IndexTerm& term) { return term.is_cyclic; });
  if (first && (!is_cyclic || !may_meet(lowering, first->terms.front().dim, arguments[0], rest))) {
    rest.insert(rest.begin(), *first);
    return expression(lowering, arguments[0], rest);
  }
  return site_of(lowering, node, materialised(lowering, node, "rotated", place), at, place);
}

auto dimension_name(ItemLowering& lowering, Node node, size_t dimension) -> std::string {
  node = bare(node);
  if (node.is(NodeKind::ForExpression)) {
    return dimension == 0 ? std::string(node.child(Field::Variable).text())
                          : dimension_name(lowering, node.child(Field::Body), dimension - 1);
  }
  if (node.is(NodeKind::BinaryExpression)) {
    Node left = node.child(Field::Left);
    std::string name =
        extents(lowering, left).empty() ? "" : dimension_name(lowering, left, dimension);
    return name.empty() ? dimension_name(lowering, node.child(Field::Right), dimension) : name;
  }
  if (node.is(NodeKind::UnaryExpression)) {
    return dimension_name(lowering, node.child(Field::Operand), dimension);
  }
  if (node.is(NodeKind::LetExpression)) {
    return dimension_name(lowering, node.child(Field::Body), dimension);
  }
  if (node.is(NodeKind::IndexExpression)) {
    return dimension_name(lowering, node.child(Field::Array), dimension + 1);
  }
  if (node.is(NodeKind::SliceExpression)) {
    return dimension_name(lowering, node.child(Field::Array), dimension);
  }
  if (node.is(NodeKind::CallExpression) &&
      called_builtin(text(lowering), node) == Builtin::Rotate) {
    return dimension_name(lowering, arguments_of(text(lowering), node).at(0), dimension);
  }
  const uint32_t found =
      node.is(NodeKind::Identifier) ? text(lowering).local_of(node) : names::Local::kNone;
  if (found == names::Local::kNone) {
    return "";
  }
  if (local_of(lowering, found).kind == LocalKind::Parameter && lowering.frame->caller != nullptr) {
    const Node value = lowering.frame->arguments.at(local_of(lowering, found).ordinal);
    return in_frame(lowering, *lowering.frame->caller,
                    [&] { return dimension_name(lowering, value, dimension); });
  }
  Node value = lets(lowering).value_of(found);
  return value.is(NodeKind::ForExpression) ? dimension_name(lowering, value, dimension) : "";
}

}  // namespace tacet::array
