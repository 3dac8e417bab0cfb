#include <fmt/format.h>

#include "compiler/device/array/lowering.h"
#include "compiler/device/array/width.h"

namespace tacet::array {

using names::LocalKind;
using syntax::bare;

static auto unwrapped_index_of(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex>;
static auto index_of_name(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex>;
static auto index_of_binary(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex>;

auto index_mistake(ItemLowering& lowering, Node node, std::string message, std::string_view note)
    -> std::optional<ArrayIndex> {
  report(lowering, DiagnosticCode::T6002, text(lowering).place(node), std::move(message), note);
  return std::nullopt;
}

static constexpr std::string_view kTooLarge = "index does not fit in 64 bits";
static constexpr std::string_view kAffine =
    "an index is a sum of index variables times constants, plus a constant";

/// Nothing, with a report, where it may wrap in a type of fewer bits.
auto index_of(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex> {
  std::optional<ArrayIndex> index = unwrapped_index_of(lowering, node);
  const types::Type& type = lowering.snapshot.types()[text(lowering).body->type(bare(node))];
  const bool is_narrow = type.kind == types::TypeKind::Value && types::is_integer(type.dtype) &&
                         types::dtype_bits(type.dtype) < 64;
  if (!index || !is_narrow) {
    return index;
  }
  const std::optional<Interval> range = range_of(*index, pool(lowering).dims());
  const Width width{static_cast<uint8_t>(types::dtype_bits(type.dtype)),
                    types::is_signed_integer(type.dtype)};
  return range && fits(*range, width)
             ? index
             : index_mistake(lowering, node, "index may wrap", "compute it in `i64`");
}

static auto unwrapped_index_of(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex> {
  node = bare(node);
  if (std::optional<int64_t> value = lets(lowering).constant(node)) {
    return constant_index(*value);
  }
  if (node.is(NodeKind::Identifier)) {
    return index_of_name(lowering, node);
  }
  if (node.is(NodeKind::BinaryExpression)) {
    return index_of_binary(lowering, node);
  }
  if (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Minus)) {
    std::optional<ArrayIndex> operand = index_of(lowering, node.child(Field::Operand));
    std::optional<ArrayIndex> result = operand ? scale(*operand, -1) : std::nullopt;
    bool fits = result && range_of(*result, pool(lowering).dims());
    return fits || !operand ? result : index_mistake(lowering, node, std::string(kTooLarge), "");
  }
  if (node.is(NodeKind::LetExpression)) {
    return index_of(lowering, node.child(Field::Body));
  }
  if (node.is(NodeKind::CastExpression)) {
    return index_of(lowering, node.child(Field::Value));
  }
  if (node.is(NodeKind::CallExpression) && !called_builtin(text(lowering), node)) {
    Frame* callee = called_frame(lowering, node);
    return callee == nullptr ? std::nullopt : in_frame(lowering, *callee, [&] {
      return index_of(lowering, text(lowering).result());
    });
  }
  return index_mistake(lowering, node, "index depends on values",
                       "the access pattern must not depend on values; " + std::string(kAffine));
}

static auto index_of_name(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex> {
  uint32_t found = text(lowering).local_of(node);
  if (found != names::Local::kNone && local_of(lowering, found).kind == LocalKind::Index) {
    return lowering.scope->variables.at(variable(lowering, found));
  }
  if (found != names::Local::kNone && local_of(lowering, found).kind == LocalKind::Parameter &&
      lowering.frame->caller != nullptr) {
    const Node value = lowering.frame->arguments.at(local_of(lowering, found).ordinal);
    return in_frame(lowering, *lowering.frame->caller, [&] { return index_of(lowering, value); });
  }
  if (Node value = found == names::Local::kNone ? Node() : lets(lowering).value_of(found)) {
    return index_of(lowering, value);
  }
  return index_mistake(lowering, node,
                       fmt::format("index depends on the value of `{}`", node.text()),
                       fmt::format("the access pattern must not depend on values; {}", kAffine));
}

static auto index_of_binary(ItemLowering& lowering, Node node) -> std::optional<ArrayIndex> {
  std::optional<ArrayIndex> left = index_of(lowering, node.child(Field::Left));
  std::optional<ArrayIndex> right = index_of(lowering, node.child(Field::Right));
  if (!left || !right) {
    return std::nullopt;
  }
  const Node op = node.child(Field::Operator);
  std::optional<ArrayIndex> result;
  if (op.is(NodeKind::Plus)) {
    result = add(*left, *right);
  } else if (op.is(NodeKind::Minus)) {
    std::optional<ArrayIndex> negated = scale(*right, -1);
    result = negated ? add(*left, *negated) : std::nullopt;
  } else if (!op.is(NodeKind::Star)) {
    return index_mistake(lowering, node, fmt::format("`{}` is not allowed in an index", op.text()),
                         kAffine);
  } else if (!left->terms.empty() && !right->terms.empty()) {
    return index_mistake(lowering, node, "index multiplies two index variables", kAffine);
  } else {
    result = left->terms.empty() ? scale(*right, left->offset) : scale(*left, right->offset);
  }
  if (!result || !range_of(*result, pool(lowering).dims())) {
    return index_mistake(lowering, node, std::string(kTooLarge), "");
  }
  return result;
}

}  // namespace tacet::array
