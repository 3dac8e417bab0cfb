#include "compiler/device/array/lowering.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/types/queries.h"

/// Slices, ranges, arrays in a row and elements of loops: other indices of the arrays that they are
/// parts of.
namespace tacet::array {

using syntax::bare;

static auto stride_of(const ItemLowering& lowering, Node node) -> check::Stride {
  return check::stride_of(
      lowering.snapshot.types(), *text(lowering).body, node,
      [&](names::ItemId item) { return lowering.snapshot.get<types::ValueOfConst>(item); });
}

auto slice(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  const check::Stride stride = stride_of(lowering, node);
  // What is within a slice is within its array, so nothing overflows.
  const ArrayIndex first = *add(*scale(at.front(), stride.step), constant_index(stride.first));
  return part_of(lowering, node.child(Field::Array), {first}, Indices(at.begin() + 1, at.end()),
                 text(lowering).place(node));
}

auto range_array(ItemLowering& lowering, Node node, const Indices& at) -> ExprId {
  const FileRange place = text(lowering).place(node);
  const int64_t first = stride_of(lowering, check::range_in(node)).first;
  const std::vector<int64_t> shape = extents(lowering, node);
  if (!check_size(lowering, shape, place)) {
    return nothing(lowering, place);
  }
  if (at.front().terms.empty()) {
    return pool(lowering).literal(first + at.front().offset, place);
  }
  const std::optional<ArrayId> numbers = numbers_below(lowering, shape.front(), node);
  if (!numbers) {
    return nothing(lowering, place);
  }
  const ExprId number = pool(lowering).site({*numbers, at}, place);
  return first == 0 ? number
                    : pool(lowering).operation(Operator::Add, number,
                                               pool(lowering).literal(first, place), place);
}

/// There is 0 outside of each of the arrays, so that their sum has the elements of one of them.
auto concatenation(ItemLowering& lowering, Node call, const std::vector<Node>& arrays,
                   const Indices& at) -> ExprId {
  const FileRange place = text(lowering).place(call);
  const Indices rest(at.begin() + 1, at.end());
  const bool is_constant = at.front().terms.empty();
  std::optional<ExprId> sum;
  int64_t begin = 0;
  for (const Node array : arrays) {
    const int64_t end = begin + extents(lowering, array).front();
    const bool is_here = begin <= at.front().offset && at.front().offset < end;
    if (!is_constant || is_here) {
      const ArrayIndex there = *add(at.front(), constant_index(-begin));
      const ExprId part = part_of(lowering, array, {there}, rest, place);
      sum = sum ? pool(lowering).operation(Operator::Add, *sum, part, place) : part;
    }
    begin = end;
  }
  return sum ? *sum : nothing(lowering, place);
}

auto element(ItemLowering& lowering, uint32_t local, const Indices& at, FileRange place) -> ExprId {
  const Node array = check::array_of(*text(lowering).tree, local_of(lowering, local));
  Indices all = {lowering.scope->variables.at(variable(lowering, local))};
  all.insert(all.end(), at.begin(), at.end());  // which may be outside of the element
  return part_of(lowering, array, std::move(all), {}, place);
}

}  // namespace tacet::array
