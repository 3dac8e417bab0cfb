#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/lowering.h"
#include "compiler/device/array/print.h"
#include "engine/program/common/element_text.h"

/// Arrays that are written down. What stands in the text is an array of the program; elements that
/// are computed are put in their places by the array `[1]`, which is 0 wherever it has no element.
namespace tacet::array {

using names::LocalKind;
using syntax::bare;

/// Larger arrays are not worth their text.
static constexpr int64_t kMostNumbers = int64_t{1} << 20;

auto ItemLowering::fraction(Node node) -> ExprId {
  const FileRange place = text().place(node);
  Array array;
  array.fraction_bits = fraction_bits_of(node);
  if (array.fraction_bits == 0 || !add_written(node, array.fraction_bits, array.elements)) {
    return unsupported_expression(node);
  }
  array.name = "fraction";
  array.place = place;
  return pool().site({add_constant(std::move(array)), {}}, place);
}

/// Decimals are what the type has that is nearest, as on every device.
auto ItemLowering::add_written(Node node, uint8_t fraction_bits, std::vector<int64_t>& elements)
    -> bool {
  node = bare(node);
  if (static_cast<int64_t>(elements.size()) > kMostNumbers) {
    return false;
  }
  if (node.is(NodeKind::ArrayExpression)) {
    const std::vector<Node> parts = elements_of(node);
    return std::all_of(parts.begin(), parts.end(),
                       [&](Node part) { return add_written(part, fraction_bits, elements); });
  }
  if (std::optional<int64_t> number = lets().constant(node)) {
    elements.push_back(0);
    return !__builtin_mul_overflow(*number, int64_t{1} << fraction_bits, &elements.back());
  }
  const bool is_negative =
      node.is(NodeKind::UnaryExpression) && node.child(Field::Operator).is(NodeKind::Minus);
  const Node magnitude = is_negative ? bare(node.child(Field::Operand)) : node;
  if (magnitude.is(NodeKind::Float) && fraction_bits != 0) {
    engine::Cell cell = 0;
    const bool fits = engine::parse_fixed(magnitude.text(), fraction_bits, cell);
    elements.push_back(is_negative ? -static_cast<int64_t>(cell) : static_cast<int64_t>(cell));
    return fits;
  }
  if (!node.is(NodeKind::Identifier)) {
    return false;
  }
  const names::ItemId item = text().body->names.item(node.index());
  if (item.has_value() && snapshot_.item_key(item).kind == names::ItemKind::Const &&
      !has_mistakes(item)) {
    return in_frame(constant_frame(item, node),
                    [&] { return add_written(text().result(), fraction_bits, elements); });
  }
  const uint32_t found = text().local_of(node);
  if (found == names::Local::kNone) {
    return false;
  }
  if (local(found).kind == LocalKind::Parameter && frame_->caller != nullptr) {
    const Node value = frame_->arguments.at(local(found).ordinal);
    return in_frame(*frame_->caller, [&] { return add_written(value, fraction_bits, elements); });
  }
  const Node value = lets().value_of(found);
  return value && add_written(value, fraction_bits, elements);
}

auto ItemLowering::written_elements(Node node) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> elements;
  const std::vector<int64_t> shape = extents(node);
  const bool are_written = !shape.empty() && add_written(node, fraction_bits_of(node), elements) &&
                           static_cast<int64_t>(elements.size()) == n_elements(shape);
  return are_written ? std::optional(std::move(elements)) : std::nullopt;
}

auto ItemLowering::add_constant(Array array) -> ArrayId {
  auto [known, is_new] =
      constant_arrays_.try_emplace({array.extents, array.elements, array.fraction_bits});
  if (is_new) {
    array.owner = Owner::Constant;
    array.name = array_names_.add(array.name);
    known->second = program_.arrays.add(std::move(array));
  }
  return known->second;
}

auto ItemLowering::constant_array(Node node, const std::string& name, FileRange place)
    -> std::optional<ArrayId> {
  std::optional<std::vector<int64_t>> elements = written_elements(node);
  if (!elements) {
    return std::nullopt;
  }
  for (const int64_t element : *elements) {
    if (element < -kMaxConstant || element > kMaxConstant) {
      report(DiagnosticCode::T6003, place,
             fmt::format("array element {} exceeds {} in magnitude",
                         number_text(element, fraction_bits_of(node)),
                         number_text(kMaxConstant, fraction_bits_of(node))),
             "compute larger numbers, for example as a product of two smaller ones");
      break;
    }
  }
  Array array;
  array.name = name;
  array.extents = extents(node);
  array.place = place;
  array.elements = std::move(*elements);
  array.fraction_bits = fraction_bits_of(node);
  return add_constant(std::move(array));
}

auto ItemLowering::numbers_below(int64_t n, FileRange place) -> ArrayId {
  Array array;
  array.name = "numbers";
  array.extents = {n};
  array.place = place;
  array.elements.resize(static_cast<size_t>(n));
  std::iota(array.elements.begin(), array.elements.end(), int64_t{0});
  return add_constant(std::move(array));
}

auto ItemLowering::index_variable(Node node) -> ExprId {
  const FileRange place = text().place(node);
  const uint32_t found = text().local_of(node);
  const ArrayIndex& index = scope_->variables.at(variable(found));
  if (index.terms.empty()) {
    return pool().literal(index.offset, place);
  }
  const int64_t n = lets().extent_of(found);
  if (n > kMostNumbers) {
    return unsupported(
        node,
        fmt::format("using an index variable with more than {} values as a number", kMostNumbers),
        "pass the numbers 0, 1, 2, … as an input from `server`");
  }
  return pool().site({numbers_below(n, place), {index}}, place);
}

auto ItemLowering::array_literal(Node node, const Indices& at) -> ExprId {
  const FileRange place = text().place(node);
  if (!check_size(extents(node), place)) {
    return nothing(place);
  }
  if (std::optional<ArrayId> constant = constant_array(node, "written", place)) {
    return pool().site({*constant, at}, place);
  }
  const std::vector<Node> elements = elements_of(node);
  const Indices rest(at.begin() + 1, at.end());
  // The numbers among the elements are one array.
  Array numbers;
  numbers.name = "written";
  numbers.extents = {static_cast<int64_t>(elements.size())};
  numbers.place = place;
  numbers.elements.resize(elements.size());
  for (size_t k = 0; k < elements.size(); ++k) {
    const std::optional<int64_t> number = lets().constant(elements[k]);
    const bool is_known = number && -kMaxConstant <= *number && *number <= kMaxConstant;
    numbers.elements[k] = is_known ? *number : 0;
  }
  const std::vector<int64_t> known = numbers.elements;
  const auto element = [&](size_t k) {
    return expression(elements[k], extents(elements[k]).empty() ? Indices() : rest);
  };
  if (at.front().terms.empty()) {
    return element(static_cast<size_t>(at.front().offset));
  }
  Array one;
  one.name = "one";
  one.extents = {1};
  one.place = place;
  one.elements = {1};
  const ArrayId one_id = add_constant(std::move(one));
  const bool has_numbers =
      std::any_of(known.begin(), known.end(), [](int64_t n) { return n != 0; });
  ExprId sum = has_numbers ? pool().site({add_constant(std::move(numbers)), {at.front()}}, place)
                           : nothing(place);
  for (size_t k = 0; k < elements.size(); ++k) {
    if (known[k] != 0) {
      continue;
    }
    // The difference of an index that is inside and a place inside fits.
    const ArrayIndex there = *add(at.front(), constant_index(-static_cast<int64_t>(k)));
    const ExprId is_there = pool().site({one_id, {there}}, place);
    sum =
        pool().operation(Operator::Add, sum,
                         pool().operation(Operator::Multiply, is_there, element(k), place), place);
  }
  return sum;
}

}  // namespace tacet::array
