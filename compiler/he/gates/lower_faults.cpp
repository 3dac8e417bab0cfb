#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/he/gates/lowering.h"

namespace tacet::gates {

using types::Operator;

void rule_out(KernelLowering& lowering, Signal fault, const PublicFault& what) {
  const Signal happens = lowering.build.conjunction(lowering.reached, fault);
  if (happens == kFalse || lowering.problem) {
    return;
  }
  if (happens == kTrue) {
    lowering.problem = make_diagnostic(what.code, what.place, what.certain);
    return;
  }
  stick(lowering, what.place, what.possible, what.hint, DiagnosticCode::T6012);
}

static void check_divisor(KernelLowering& lowering, const kernel::Binary& node, FileRange place,
                          const Word& right) {
  if (lowering.ranges.is_nonzero(node.right)) {
    return;
  }
  rule_out(
      lowering, !any_of(lowering.build, right),
      {.code = DiagnosticCode::T8001,
       .place = place,
       .certain = "division by zero",
       .possible = "the divisor is public and may be 0",
       .hint = "bound it to exclude 0 (`in 1..10`), write `a / d if d != 0 else 0`, or make it "
               "`secret`: a quotient by a secret 0 is 0"});
}

static void check_distance(KernelLowering& lowering, const kernel::Binary& node, FileRange place,
                           const Word& right) {
  const engine::ElementType type = lowering.kernel.exprs[node.left].type.element;
  const size_t width = width_of(type);
  if (lowering.ranges.of(node.right).is_within({0, static_cast<__int128>(width) - 1})) {
    return;
  }
  // The width is a power of two: what is beyond it, or negative, has one of the higher bits.
  size_t n_bits = 0;
  while (size_t{1} << n_bits < width) {
    ++n_bits;
  }
  const Signal is_beyond =
      any_of(lowering.build, std::span(right).subspan(std::min(n_bits, right.size())));
  rule_out(lowering, is_beyond,
           {.code = DiagnosticCode::T8002,
            .place = place,
            .certain = fmt::format("shift of `{}` by a distance outside 0..{}",
                                   engine::element_type_name(type), width),
            .possible = "the shift distance is public and may be out of range",
            .hint = fmt::format("mask the distance to the width: `d & {}`", width - 1)});
}

void check_operand(KernelLowering& lowering, const kernel::Binary& node, FileRange place,
                   const Word& right) {
  const engine::ElementType type = lowering.kernel.exprs[node.right].type.element;
  if (node.is_total || !kernel::can_fault(node.op) || !engine::is_integer(type.kind)) {
    return;
  }
  if (node.op == Operator::Div || node.op == Operator::Mod) {
    check_divisor(lowering, node, place, right);
  } else {
    check_distance(lowering, node, place, right);
  }
}

void check_indices(KernelLowering& lowering, const kernel::StoreElement& node) {
  const std::vector<int64_t>& extents = lowering.kernel.variables[node.array].type.extents;
  for (size_t k = 0; k < node.indices.size(); ++k) {
    const kernel::Expr& index = lowering.kernel.exprs[node.indices[k]];
    const int64_t extent = extents[k];
    if ((node.lenient >> k & 1U) != 0 ||
        lowering.ranges.of(node.indices[k]).is_within({0, static_cast<__int128>(extent) - 1})) {
      continue;
    }
    const Word at = word(lowering, node.indices[k]);
    const auto n = static_cast<engine::Cell>(extent);
    const bool holds_extent = at.size() >= 64 || n >> at.size() == 0;
    const Signal is_negative =
        signedness_of(index.type.element) == Signedness::Signed ? at.back() : kFalse;
    const Signal is_below =
        holds_extent ? less(lowering.build, at, constant(n, at.size()), Signedness::Unsigned)
                     : kTrue;
    rule_out(
        lowering, lowering.build.disjunction(is_negative, !is_below),
        {.code = DiagnosticCode::T8003,
         .place = index.place,
         .certain = fmt::format("write is out of bounds for a dimension of size {}", extent),
         .possible = fmt::format(
             "the index is public and may be out of bounds for a dimension of size {}", extent),
         .hint = "write only inside the array"});
  }
}

}  // namespace tacet::gates
