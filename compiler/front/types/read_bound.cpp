#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/types/lower_type.h"
#include "compiler/front/types/queries.h"

namespace tacet::types {

using engine::ElementType;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Without references.
static auto held_by(const TypeStore& types, TypeId type) -> TypeId {
  while (types[type].kind == TypeKind::Reference || types[type].kind == TypeKind::Slice) {
    type = types[type].element;
  }
  return type;
}

/// The type of the numbers that a parameter holds, or nothing if it holds none.
static auto number_type(const TypeStore& types, TypeId type) -> std::optional<ElementType> {
  const Type& held = types[held_by(types, type)];
  if (held.kind != TypeKind::Value) {
    return std::nullopt;
  }
  ElementType result{static_cast<engine::ElementKind>(held.dtype), held.fraction_bits};
  if (held.dtype == DType::Fxp && held.fraction_bits == 0) {
    result.fraction_bits = engine::kDefaultFractionBits;
  }
  return result;
}

/// The number that the item of a constant is written as, if it is not an integer.
auto TypeLowering::written_constant(Node name) -> Node {
  const names::ItemId item = find(names::Namespace::Value, name);
  if (!item.has_value() ||
      context_.service<names::ItemTable>()[item].kind != names::ItemKind::Const) {
    return {};
  }
  return names::item_node(*context_.get<names::HeadOfItem>(item).tree).child(Field::Value);
}

/// An integer literal in units of `type`.
static auto integer_units(Node literal, ElementType type) -> std::optional<Wide> {
  if (literal.text() == "18446744073709551616") {
    return (Wide{1} << 64) * (Wide{1} << type.fraction_bits);  // the end of all of `u64`
  }
  const std::optional<uint64_t> whole = names::parse_integer(literal.text());
  return whole ? std::optional(Wide{*whole} << type.fraction_bits) : std::nullopt;
}

auto TypeLowering::units(Node node, ElementType type, IsName is_name) -> std::optional<Wide> {
  if (node.is(NodeKind::Integer)) {
    return integer_units(node, type);
  }
  if (node.is(NodeKind::Float)) {
    return units_of(node.text(), type);
  }
  if (node.is(NodeKind::ParenthesizedExpression)) {
    if (const auto inner = units(node.child(Field::Value), type, is_name)) {
      return inner;
    }
  }
  if (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Minus)) {
    if (const auto magnitude = units(node.child(Field::Operand), type, is_name)) {
      return -*magnitude;
    }
  }
  if (const MaybeForm whole = size(node); whole && whole->terms.empty()) {
    return Wide{whole->constant} * (Wide{1} << type.fraction_bits);
  }
  if (is_name == IsName::Allowed && node.is(NodeKind::Identifier)) {
    const Node written = written_constant(node);
    return written ? units(written, type, IsName::Refused) : std::nullopt;
  }
  return std::nullopt;
}

auto TypeLowering::end_of_bound(Node node) -> MaybeForm {
  if (node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Minus)) {
    const MaybeForm magnitude = end_of_bound(node.child(Field::Operand));
    return magnitude ? subtract(SizeForm{}, *magnitude) : std::nullopt;
  }
  return size(node);
}

auto TypeLowering::open_bound(Node node) -> std::optional<std::pair<SizeForm, SizeForm>> {
  if (!node.child(Field::Lower) || !node.child(Field::Upper)) {
    return std::nullopt;
  }
  const MaybeForm lower = end_of_bound(node.child(Field::Lower));
  const MaybeForm upper = end_of_bound(node.child(Field::Upper));
  return lower && upper && !(lower->terms.empty() && upper->terms.empty())
             ? std::optional(std::pair(*lower, *upper))
             : std::nullopt;
}

void TypeLowering::report_bound(Node bound, DiagnosticCode code, std::string message,
                                std::string note) {
  if (report_ != nullptr) {
    report_->add(code, bound.range(), std::move(message)).note(std::move(note));
  }
}

auto TypeLowering::norm_of_bound(Node bound, TypeId parameter, engine::ElementType type)
    -> std::optional<uint64_t> {
  const std::vector<int64_t>& extents = types_.extents(types_[held_by(types_, parameter)].shape);
  if (type.kind != engine::ElementKind::Fxp || extents.empty()) {
    report_bound(bound, DiagnosticCode::T2012,
                 fmt::format("a parameter of type `{}` cannot have a norm",
                             type_text(types_, interner_, parameter)),
                 "only arrays of `fxp` have norms");
    return std::nullopt;
  }
  const std::optional<Wide> radius = units(bound.child(Field::Norm), type, IsName::Allowed);
  if (!radius || *radius <= 0 || *radius >= Wide{1} << 63) {
    report_bound(bound, DiagnosticCode::T2012, "a norm needs a positive constant number",
                 "`norm r` means that the root of the sum of the squares is at most `r`");
    return std::nullopt;
  }
  return static_cast<uint64_t>(*radius);
}

auto TypeLowering::has_bound_problem(Node bound, TypeId parameter, engine::ElementType type,
                                     const ValueBound& value) -> bool {
  const std::string name = engine::element_type_name(type);
  const std::string ends =
      fmt::format("{}..{}", bound.child(Field::Lower).text(), bound.child(Field::Upper).text());
  if (value.lower >= value.upper) {
    report_bound(bound, DiagnosticCode::T2012, fmt::format("the bound {} is empty", ends),
                 type.kind == engine::ElementKind::Fxp
                     ? fmt::format("`in lo..hi` means `lo <= value < hi`; `{}` has {} fraction "
                                   "bits",
                                   name, type.fraction_bits)
                     : "`in lo..hi` means `lo <= value < hi`");
    return true;
  }
  if (value.norm) {
    const std::vector<int64_t>& extents = types_.extents(types_[held_by(types_, parameter)].shape);
    const bool is_known =
        std::none_of(extents.begin(), extents.end(), [](int64_t extent) { return extent <= 0; });
    if (is_known && least_norm(value, norm_width(extents)) > static_cast<double>(*value.norm)) {
      report_bound(bound, DiagnosticCode::T2012,
                   fmt::format("no array in {} has norm {}", ends, bound.child(Field::Norm).text()),
                   "a norm is the square root of the sum of the squares of all elements, or of "
                   "those of each item of an array of several dimensions");
      return true;
    }
  }
  if (!holds(type, value)) {
    report_bound(
        bound, DiagnosticCode::T2023,
        fmt::format("the bound {} exceeds the range of `{}`", ends, name),
        fmt::format("the full range of `{}` is `in {}`", name, bound_text(*bound_of_type(type))));
    return true;
  }
  return false;
}

auto TypeLowering::bound(Node node, TypeId parameter) -> std::optional<ValueBound> {
  const Node lower = node.child(Field::Lower);
  const Node upper = node.child(Field::Upper);
  const Node norm = node.child(Field::Norm);
  const std::optional<ElementType> type = number_type(types_, parameter);
  if (!((lower && upper) || (norm && !lower)) || parameter == TypeStore::kError) {
    return std::nullopt;
  }
  if (!type) {
    report_bound(node, DiagnosticCode::T2012,
                 fmt::format("a parameter of type `{}` cannot have a bound",
                             type_text(types_, interner_, parameter)),
                 "only numbers and arrays of numbers have bounds");
    return std::nullopt;
  }
  std::optional<uint64_t> most;
  if (norm) {
    most = norm_of_bound(node, parameter, *type);
    if (!most) {
      return std::nullopt;
    }
    if (!lower) {
      const Wide radius = *most;
      return ValueBound{-radius, radius + 1, type->fraction_bits, most};
    }
  }
  if (type->kind != engine::ElementKind::Fxp &&
      (mentions(lower, NodeKind::Float) || mentions(upper, NodeKind::Float))) {
    report_bound(
        node, DiagnosticCode::T2012,
        fmt::format("a bound of `{}` must be an integer", engine::element_type_name(*type)),
        "only bounds of `fxp` may have a fraction");
    return std::nullopt;
  }
  if (open_bound(node)) {
    return std::nullopt;
  }
  const std::optional<Wide> from = units(lower, *type, IsName::Allowed);
  const std::optional<Wide> to = units(upper, *type, IsName::Allowed);
  if (!from || !to) {
    report_bound(node, DiagnosticCode::T2012,
                 sizes_.empty() ? "a bound needs two constant numbers"
                                : "a bound needs two constant numbers, or lengths of sizes",
                 "`in lo..hi` means `lo <= value < hi`");
    return std::nullopt;
  }
  const ValueBound result{*from, *to, type->fraction_bits, most};
  return has_bound_problem(node, parameter, *type, result) ? std::nullopt : std::optional(result);
}

}  // namespace tacet::types
