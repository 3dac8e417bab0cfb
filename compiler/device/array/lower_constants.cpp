#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/lowering.h"
#include "compiler/device/array/print.h"
#include "engine/program/common/element_text.h"

/// Arrays that are written down. What is in the text is an array of the program; elements that are
/// computed are put in their places by the array `[1]`, which is 0 wherever it has no element.
namespace tacet::array {

using names::LocalKind;
using syntax::bare;

/// Larger arrays are not worth their text.
static constexpr int64_t kMostNumbers = int64_t{1} << 20;

static auto add_written(ItemLowering& lowering, Node node, uint8_t fraction_bits,
                        std::vector<int64_t>& elements) -> bool;
static auto add_constant(ItemLowering& lowering, Array array) -> ArrayId;

auto fraction(ItemLowering& lowering, Node node) -> ExprId {
  const FileRange place = text(lowering).place(node);
  Array array;
  array.fraction_bits = fraction_bits_of(lowering, node);
  if (array.fraction_bits == 0 ||
      !add_written(lowering, node, array.fraction_bits, array.elements)) {
    return unsupported_expression(lowering, node);
  }
  array.name = "fraction";
  array.place = place;
  return pool(lowering).site({add_constant(lowering, std::move(array)), {}}, place);
}

auto fixed_number(ItemLowering& lowering, types::Wide units, FileRange place) -> ExprId {
  const types::Wide unit = types::Wide{1} << lowering.program.fraction_bits;
  if (units % unit == 0) {
    return pool(lowering).literal(static_cast<int64_t>(units / unit), place);
  }
  Array array;
  array.name = "fraction";
  array.fraction_bits = lowering.program.fraction_bits;
  array.elements = {static_cast<int64_t>(units)};
  array.place = place;
  return pool(lowering).site({add_constant(lowering, std::move(array)), {}}, place);
}

/// Decimals are what the type has that is nearest, as on every device.
static auto add_written(ItemLowering& lowering, Node node, uint8_t fraction_bits,
                        std::vector<int64_t>& elements) -> bool {
  node = bare(node);
  if (static_cast<int64_t>(elements.size()) > kMostNumbers) {
    return false;
  }
  if (node.is(NodeKind::ArrayExpression)) {
    const std::vector<Node> parts = elements_of(node);
    return std::all_of(parts.begin(), parts.end(), [&](Node part) {
      return add_written(lowering, part, fraction_bits, elements);
    });
  }
  if (std::optional<int64_t> number = lets(lowering).constant(node)) {
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
  const names::ItemId item = text(lowering).body->names.item(node.index());
  if (item.has_value() && lowering.snapshot.item_key(item).kind == names::ItemKind::Const &&
      !has_mistakes(lowering, item)) {
    return in_frame(lowering, constant_frame(lowering, item, node), [&] {
      return add_written(lowering, text(lowering).result(), fraction_bits, elements);
    });
  }
  const uint32_t found = text(lowering).local_of(node);
  if (found == names::Local::kNone) {
    return false;
  }
  if (local_of(lowering, found).kind == LocalKind::Parameter && lowering.frame->caller != nullptr) {
    const Node value = lowering.frame->arguments.at(local_of(lowering, found).ordinal);
    return in_frame(lowering, *lowering.frame->caller,
                    [&] { return add_written(lowering, value, fraction_bits, elements); });
  }
  const Node value = lets(lowering).value_of(found);
  return value && add_written(lowering, value, fraction_bits, elements);
}

/// The elements of an array whose text says them all.
static auto written_elements(ItemLowering& lowering, Node node)
    -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> elements;
  const std::vector<int64_t> shape = extents(lowering, node);
  const bool are_written =
      !shape.empty() && add_written(lowering, node, fraction_bits_of(lowering, node), elements) &&
      static_cast<int64_t>(elements.size()) == n_elements(shape);
  return are_written ? std::optional(std::move(elements)) : std::nullopt;
}

static auto add_constant(ItemLowering& lowering, Array array) -> ArrayId {
  auto [known, is_new] =
      lowering.constant_arrays.try_emplace({array.extents, array.elements, array.fraction_bits});
  if (is_new) {
    array.owner = Owner::Constant;
    array.name = lowering.array_names.add(array.name);
    known->second = lowering.program.arrays.add(std::move(array));
  }
  return known->second;
}

auto constant_array(ItemLowering& lowering, Node node, const std::string& name, FileRange place)
    -> std::optional<ArrayId> {
  std::optional<std::vector<int64_t>> elements = written_elements(lowering, node);
  if (!elements) {
    return std::nullopt;
  }
  for (const int64_t element : *elements) {
    if (element < -kMaxConstant || element > kMaxConstant) {
      report(lowering, DiagnosticCode::T6003, place,
             fmt::format("array element {} exceeds {} in magnitude",
                         number_text(element, fraction_bits_of(lowering, node)),
                         number_text(kMaxConstant, fraction_bits_of(lowering, node))),
             "compute larger numbers, for example as a product of two smaller ones");
      break;
    }
  }
  Array array;
  array.name = name;
  array.extents = extents(lowering, node);
  array.place = place;
  array.elements = std::move(*elements);
  array.fraction_bits = fraction_bits_of(lowering, node);
  return add_constant(lowering, std::move(array));
}

auto numbers_below(ItemLowering& lowering, int64_t n, Node node) -> std::optional<ArrayId> {
  if (n > kMostNumbers) {
    unsupported(lowering, node, fmt::format("using more than {} consecutive numbers", kMostNumbers),
                "pass the numbers 0, 1, 2, … as an input from `server`");
    return std::nullopt;
  }
  const FileRange place = text(lowering).place(node);
  Array array;
  array.name = "numbers";
  array.extents = {n};
  array.place = place;
  array.elements.resize(static_cast<size_t>(n));
  std::iota(array.elements.begin(), array.elements.end(), int64_t{0});
  return add_constant(lowering, std::move(array));
}

auto index_variable(ItemLowering& lowering, Node node) -> ExprId {
  const FileRange place = text(lowering).place(node);
  const uint32_t found = text(lowering).local_of(node);
  const ArrayIndex& index = lowering.scope->variables.at(variable(lowering, found));
  if (index.terms.empty()) {
    return pool(lowering).literal(index.offset, place);
  }
  const std::optional<ArrayId> numbers =
      numbers_below(lowering, lets(lowering).extent_of(found), node);
  return numbers ? pool(lowering).site({*numbers, {index}}, place) : nothing(lowering, place);
}

auto array_literal(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  const FileRange place = text(lowering).place(node);
  if (!check_size(lowering, extents(lowering, node), place)) {
    return nothing(lowering, place);
  }
  if (std::optional<ArrayId> constant = constant_array(lowering, node, "written", place)) {
    return pool(lowering).site({*constant, at}, place);
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
    const std::optional<int64_t> number = lets(lowering).constant(elements[k]);
    const bool is_known = number && -kMaxConstant <= *number && *number <= kMaxConstant;
    numbers.elements[k] = is_known ? *number : 0;
  }
  const std::vector<int64_t> known = numbers.elements;
  const auto element = [&](size_t k) {
    return expression(lowering, elements[k],
                      extents(lowering, elements[k]).empty() ? Indices() : rest);
  };
  if (at.front().terms.empty()) {
    return element(static_cast<size_t>(at.front().offset));
  }
  Array one;
  one.name = "one";
  one.extents = {1};
  one.place = place;
  one.elements = {1};
  const ArrayId one_id = add_constant(lowering, std::move(one));
  const bool has_numbers =
      std::any_of(known.begin(), known.end(), [](int64_t n) { return n != 0; });
  ExprId sum = has_numbers ? pool(lowering).site(
                                 {add_constant(lowering, std::move(numbers)), {at.front()}}, place)
                           : nothing(lowering, place);
  for (size_t k = 0; k < elements.size(); ++k) {
    if (known[k] != 0) {
      continue;
    }
    // The difference of an index that is inside and a place inside fits.
    const ArrayIndex there = *add(at.front(), constant_index(-static_cast<int64_t>(k)));
    const ExprId is_there = pool(lowering).site({one_id, {there}}, place);
    sum = pool(lowering).operation(
        Operator::Add, sum,
        pool(lowering).operation(Operator::Multiply, is_there, element(k), place), place);
  }
  return sum;
}

}  // namespace tacet::array
