#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/array/lowering.h"

namespace tacet::array {

using names::Builtin;
using names::LocalKind;
using syntax::bare;
using syntax::ExpressionKind;
using types::DType;

/// Deeper ones would need too much of the stack; no text by itself is as deep.
static constexpr uint32_t kMostDepth = 3000;

auto ItemLowering::expression(Node node, const Indices& at) -> ExprId {
  node = bare(node);
  FileRange place = text().place(node);
  if (pool().is_full()) {
    return nothing(place);
  }
  if (depth_ >= kMostDepth) {
    report(DiagnosticCode::T6003, place,
           fmt::format("expression is nested more than {} levels deep after inlining", kMostDepth),
           "a `let` in a called function is computed separately");
    return nothing(place);
  }
  ++depth_;
  ExprId result = any_expression(node, at);
  --depth_;
  return result;
}

auto ItemLowering::any_expression(Node node, const Indices& at) -> ExprId {
  FileRange place = text().place(node);
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(node, at);
    case ExpressionKind::Array:
      return array_literal(node, at);
    case ExpressionKind::Integer: {
      std::optional<int64_t> value = lets().constant(node);
      return value ? pool().literal(*value, place)
                   : unsupported(node, "an integer above 9223372036854775807",
                                 "this is the largest `i64` on every device");
    }
    case ExpressionKind::Float:
      return fraction(node);
    case ExpressionKind::Unary:
      return unary(node, at);
    case ExpressionKind::Binary:
      return binary(node, at);
    case ExpressionKind::Cast:
      return cast(node, at);
    case ExpressionKind::For:
      return for_value(node, at);
    case ExpressionKind::Index:
      return index(node, at);
    case ExpressionKind::Call:
      return call(node, at);
    case ExpressionKind::Let:
      return expression(node.child(Field::Body), at);
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
      return unsupported_expression(node);
  }
  return unsupported_expression(node);
}

auto ItemLowering::name(Node node, const Indices& at) -> ExprId {
  FileRange place = text().place(node);
  if (std::optional<int64_t> value = lets().constant(node)) {
    return pool().literal(*value, place);
  }
  uint32_t found = text().local_of(node);
  if (found == names::Local::kNone) {
    const names::ItemId item = text().body->names.item(node.index());
    return item.has_value()
               ? constant_item(item, node, at)
               : unsupported(node, fmt::format("using `{}` as a value", node.text()), "");
  }
  switch (local(found).kind) {
    case LocalKind::Parameter:
      if (frame_->caller != nullptr) {
        return argument(local(found).ordinal, at);
      }
      return pool().site({parameters_.at(local(found).ordinal), at}, place);
    case LocalKind::Let:
    case LocalKind::Definition:
      return let(found, at, place);
    case LocalKind::Index:
      return index_variable(node);
    case LocalKind::Dim:
    case LocalKind::Output:
    case LocalKind::Var:
    case LocalKind::Loop:
    case LocalKind::Encoded:
      break;
  }
  return unsupported(node, "this variable", "");
}

auto ItemLowering::are_within(const Indices& at, const std::vector<int64_t>& extents) const
    -> bool {
  bool are = true;
  for (size_t i = 0; i < at.size() && i < extents.size(); ++i) {
    are = are && is_within(at[i], extents[i], scope_->pool.dims());
  }
  return are;
}

void ItemLowering::add_to_key(const Indices& at, std::vector<int64_t>& key) {
  for (const ArrayIndex& index : at) {
    key.push_back(index.offset);
    key.push_back(static_cast<int64_t>(index.terms.size()));
    for (const IndexTerm& term : index.terms) {
      key.insert(key.end(), {term.dim.index, term.stride, term.is_cyclic ? 1 : 0, term.shift});
    }
  }
}

auto ItemLowering::let(uint32_t local, const Indices& at, FileRange place) -> ExprId {
  Node value = lets().value_of(local);
  if (!value) {
    Node name_node = text().node(this->local(local).node);
    return unsupported(name_node, "binding a name to one of several values",
                       "write a separate `let` for each value, and a function for each result");
  }
  if (std::optional<int64_t> constant = lets().constant(value)) {
    return pool().literal(*constant, place);
  }
  if (!is_inlined(local) || !are_within(at, extents(value))) {
    const names::Local& data = this->local(local);
    ArrayId array = materialised(value, text_of(data.name), text().place(text().node(data.node)));
    return site_of(value, array, at, place);
  }
  std::vector<int64_t> key = {frame_->id, local};
  for (const Variable& variable : variables_of(value)) {
    add_to_key({scope_->variables.at(variable)}, key);
  }
  add_to_key(at, key);
  if (auto known = scope_->inlined.find(key); known != scope_->inlined.end()) {
    return known->second;
  }
  ExprId result = expression(value, at);
  scope_->inlined.emplace(std::move(key), result);
  return result;
}

auto ItemLowering::site_of(Node node, ArrayId array, const Indices& at, FileRange place) -> ExprId {
  Site site{array, {}};
  if (program_.arrays[array].owner != Owner::Constant) {
    for (const Variable& variable : variables_of(node)) {
      site.indices.push_back(scope_->variables.at(variable));
    }
  }
  site.indices.insert(site.indices.end(), at.begin(), at.end());
  return pool().site(std::move(site), place);
}

auto ItemLowering::unary(Node node, const Indices& at) -> ExprId {
  FileRange place = text().place(node);
  if (!node.child(Field::Operator).is(NodeKind::Minus)) {
    return unsupported_operator(node);
  }
  ExprId operand = expression(node.child(Field::Operand), at);
  return pool().operation(Operator::Subtract, pool().literal(0, place), operand, place);
}

static auto ring_operator(syntax::NodeKind token) -> std::optional<Operator> {
  return token == syntax::NodeKind::Plus    ? std::optional(Operator::Add)
         : token == syntax::NodeKind::Minus ? std::optional(Operator::Subtract)
         : token == syntax::NodeKind::Star  ? std::optional(Operator::Multiply)
                                            : std::nullopt;
}

auto ItemLowering::binary(Node node, const Indices& at) -> ExprId {
  const std::optional<Operator> op = ring_operator(node.child(Field::Operator).kind());
  if (!op) {
    if (std::optional<int64_t> value = lets().constant(node)) {
      return pool().literal(*value, text().place(node));
    }
    return unsupported_operator(node);
  }
  auto operand = [&](Field side) {
    Node part = node.child(side);
    return expression(part, extents(part).empty() ? Indices() : at);  // a scalar broadcasts
  };
  ExprId left = operand(Field::Left);
  ExprId right = operand(Field::Right);
  return pool().operation(*op, left, right, text().place(node));
}

/// Conversions that change no value are none under encryption.
/// Is it as the type holds it? Sums and products are not wrapped before the end; what parameters
/// are, and numbers that fit, are within their type.
auto ItemLowering::is_wrapped(Node value) const -> bool {
  value = bare(value);
  while (value.is(NodeKind::IndexExpression)) {
    value = bare(value.child(Field::Array));
  }
  if (value.is(NodeKind::CastExpression)) {
    const Node inner = bare(value.child(Field::Value));
    const types::TypeStore& types = snapshot_.types();
    const bool is_changed =
        types[text().body->type(inner)].dtype != types[text().body->type(value)].dtype;
    return is_changed || is_wrapped(inner);
  }
  if (value.is(NodeKind::Integer)) {
    return true;
  }
  const uint32_t local =
      value.is(NodeKind::Identifier) ? text().local_of(value) : names::Local::kNone;
  return local != names::Local::kNone && frame_->caller == nullptr &&
         text().body->names.locals[local].kind == LocalKind::Parameter;
}

auto ItemLowering::cast(Node node, const Indices& at) -> ExprId {
  Node value = bare(node.child(Field::Value));
  const types::Type& from = snapshot_.types()[text().body->type(value)];
  const types::Type& to = snapshot_.types()[text().body->type(node)];
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
      fraction_bits_of(node) == program_.fraction_bits &&
      (is_integer(from) || fraction_bits_of(value) == program_.fraction_bits);
  const bool may_wrap = is_integer(from) && from_bits < 64 && from.dtype != to.dtype;
  if (may_wrap && !is_wrapped(value)) {
    return unsupported(node, "a conversion of a value that may have wrapped",
                       "convert the operands, and compute in the wider type");
  }
  if (!keeps_values && !becomes_fixed) {
    return unsupported(node, "a conversion that may change the value",
                       "an integer can be converted to a wider integer or to `fxp`");
  }
  return expression(value, at);
}

auto ItemLowering::for_value(Node node, const Indices& at) -> ExprId {
  if (!check_size(extents(node), text().place(node))) {
    return nothing(text().place(node));
  }
  const Variable own = variable(text().local_of(node.child(Field::Variable)));
  scope_->variables[own] = at.front();
  ExprId result = expression(node.child(Field::Body), Indices(at.begin() + 1, at.end()));
  scope_->variables.erase(own);
  return result;
}

auto ItemLowering::index(Node node, const Indices& at) -> ExprId {
  FileRange place = text().place(node);
  Indices all;
  Node array = node;
  while (array.is(NodeKind::IndexExpression)) {
    std::optional<ArrayIndex> index = index_of(array.child(Field::Index));
    if (!index) {
      return nothing(place);
    }
    all.push_back(*index);
    array = bare(array.child(Field::Array));
  }
  std::reverse(all.begin(), all.end());
  std::vector<int64_t> shape = extents(array);
  bool are_inside = are_within(all, shape);
  all.insert(all.end(), at.begin(), at.end());
  if (array.is(NodeKind::Identifier) || are_inside) {
    return expression(array, all);
  }
  return site_of(array, materialised(array, "part", text().place(array)), all, place);
}

auto ItemLowering::call(Node node, const Indices& at) -> ExprId {
  std::vector<Node> arguments = arguments_of(node);
  std::optional<Builtin> builtin = called_builtin(text(), node);
  if (!builtin) {
    return function_call(node, at);
  }
  if (builtin == Builtin::Sum || builtin == Builtin::Product) {
    const Operator op = builtin == Builtin::Sum ? Operator::Add : Operator::Multiply;
    return reduce(node, op, arguments.at(0), 0, at);
  }
  if (builtin == Builtin::Reduce) {
    int64_t dimension = lets().constant(arguments.at(1)).value_or(0);
    std::string_view op = arguments[0].text();
    if (op != "+" && op != "*") {
      return unsupported(arguments[0], "a reduction with an operator other than `+` and `*`",
                         "all bits are 1 if their product is 1; some bit is 1 if the product of "
                         "all `1 - b` is 0");
    }
    return reduce(node, op == "+" ? Operator::Add : Operator::Multiply, arguments.at(2),
                  static_cast<uint64_t>(dimension), at);
  }
  return builtin == Builtin::Rotate ? rotation(node, at) : unsupported_call(node);
}

auto ItemLowering::reduce(Node node, Operator op, Node array, uint64_t dimension, const Indices& at)
    -> ExprId {
  std::vector<int64_t> shape = extents(array);
  if (dimension >= shape.size() || !check_size({shape[dimension]}, text().place(array))) {
    return nothing(text().place(node));
  }
  DimId dim = pool().new_dim(dimension_name(array, dimension), shape[dimension]);
  Indices inner = at;
  inner.insert(inner.begin() + static_cast<std::ptrdiff_t>(dimension), index_along(dim));
  return pool().reduction(op, dim, expression(array, inner), text().place(node));
}

static auto mentions(const ArrayIndex& index, DimId dim) -> bool {
  return std::any_of(index.terms.begin(), index.terms.end(),
                     [&](const IndexTerm& term) { return term.dim == dim; });
}

auto ItemLowering::may_meet(DimId dim, Node array, const Indices& others) -> bool {
  Node base = bare(array);
  while (base.is(NodeKind::IndexExpression)) {
    base = bare(base.child(Field::Array));
  }
  if (uint32_t found = text().local_of(base); found != names::Local::kNone) {
    if (local(found).kind == LocalKind::Parameter && frame_->caller != nullptr) {
      const Node value = frame_->arguments.at(local(found).ordinal);
      return in_frame(*frame_->caller, [&] { return may_meet(dim, value, others); });
    }
    if (!is_inlined(found)) {
      return false;  // a site, where each index stands by itself
    }
  }
  auto has_dim = [&](const ArrayIndex& index) { return mentions(index, dim); };
  const std::vector<Variable>& variables = variables_of(array);
  return std::any_of(others.begin(), others.end(), has_dim) ||
         std::any_of(variables.begin(), variables.end(), [&](const Variable& variable) {
           return has_dim(scope_->variables.at(variable));
         });
}

auto ItemLowering::rotation(Node node, const Indices& at) -> ExprId {
  std::vector<Node> arguments = arguments_of(node);
  FileRange place = text().place(node);
  std::vector<int64_t> shape = extents(arguments.at(0));
  if (!check_size(shape, text().place(arguments[0]))) {
    return nothing(place);
  }
  std::optional<ArrayIndex> amount = index_of(arguments.at(1));
  if (!amount) {
    return nothing(place);
  }
  if (!amount->terms.empty()) {
    index_mistake(arguments[1], "rotation distance depends on an index variable",
                  "an array can be rotated only by a constant number of elements");
    return nothing(place);
  }
  std::optional<ArrayIndex> first =
      rotate(at.front(), amount->offset, shape.front(), pool().dims());
  Indices rest(at.begin() + 1, at.end());
  bool is_cyclic = first && std::any_of(first->terms.begin(), first->terms.end(),
                                        [](const IndexTerm& term) { return term.is_cyclic; });
  if (first && (!is_cyclic || !may_meet(first->terms.front().dim, arguments[0], rest))) {
    rest.insert(rest.begin(), *first);
    return expression(arguments[0], rest);
  }
  return site_of(node, materialised(node, "rotated", place), at, place);
}

auto ItemLowering::dimension_name(Node node, size_t dimension) -> std::string {
  node = bare(node);
  if (node.is(NodeKind::ForExpression)) {
    return dimension == 0 ? std::string(node.child(Field::Variable).text())
                          : dimension_name(node.child(Field::Body), dimension - 1);
  }
  if (node.is(NodeKind::BinaryExpression)) {
    Node left = node.child(Field::Left);
    std::string name = extents(left).empty() ? "" : dimension_name(left, dimension);
    return name.empty() ? dimension_name(node.child(Field::Right), dimension) : name;
  }
  if (node.is(NodeKind::UnaryExpression)) {
    return dimension_name(node.child(Field::Operand), dimension);
  }
  if (node.is(NodeKind::LetExpression)) {
    return dimension_name(node.child(Field::Body), dimension);
  }
  if (node.is(NodeKind::IndexExpression)) {
    return dimension_name(node.child(Field::Array), dimension + 1);
  }
  if (node.is(NodeKind::CallExpression) && called_builtin(text(), node) == Builtin::Rotate) {
    return dimension_name(arguments_of(node).at(0), dimension);
  }
  const uint32_t found =
      node.is(NodeKind::Identifier) ? text().local_of(node) : names::Local::kNone;
  if (found == names::Local::kNone) {
    return "";
  }
  if (local(found).kind == LocalKind::Parameter && frame_->caller != nullptr) {
    const Node value = frame_->arguments.at(local(found).ordinal);
    return in_frame(*frame_->caller, [&] { return dimension_name(value, dimension); });
  }
  Node value = lets().value_of(found);
  return value.is(NodeKind::ForExpression) ? dimension_name(value, dimension) : "";
}

}  // namespace tacet::array
