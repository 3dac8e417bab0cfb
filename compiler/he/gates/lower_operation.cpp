#include <algorithm>

#include "compiler/he/gates/lowering.h"

namespace tacet::gates {

using engine::BinaryOperation;
using engine::ElementKind;
using engine::ElementType;

namespace {

/// As wide as the operands need, since a quotient is never longer than its dividend, but for the
/// sign of one.
auto quotient_and_remainder(KernelLowering& lowering, ElementType type, const Word& left,
                            const Word& right) -> Division {
  const Signedness signedness = signedness_of(type);
  const size_t needed =
      std::max(significant_bits(left, signedness), significant_bits(right, signedness)) + 1;
  const size_t width = std::min(needed, left.size());
  Division division =
      divide(lowering.build, resized(left, width, signedness), resized(right, width, signedness),
             signedness, lowering.options.carries);
  division.quotient = resized(division.quotient, left.size(), signedness);
  division.remainder = resized(division.remainder, left.size(), signedness);
  return division;
}

/// Of numbers with a fraction: the dividend is moved to the left first.
auto fixed_quotient(KernelLowering& lowering, ElementType type, const Word& left, const Word& right)
    -> Word {
  const size_t width = left.size() + type.fraction_bits;
  Word moved(type.fraction_bits, kFalse);
  moved.insert(moved.end(), left.begin(), left.end());
  const Word divisor = resized(right, width, Signedness::Signed);
  return resized(quotient_and_remainder(lowering, type, moved, divisor).quotient, left.size(),
                 Signedness::Signed);
}

auto product(KernelLowering& lowering, ElementType type, const Word& left, const Word& right)
    -> Word {
  const Signedness signedness = signedness_of(type);
  Word whole = multiply(lowering.build, left, right, signedness, left.size() + type.fraction_bits,
                        lowering.options.carries);
  whole.erase(whole.begin(), whole.begin() + type.fraction_bits);
  return whole;
}

/// Fractions are in the left operand alone; distances are integers.
auto shifted(KernelLowering& lowering, BinaryOperation operation, ElementType type,
             const Word& left, const Word& right) -> Word {
  const bool repeats_sign =
      operation == BinaryOperation::ShrArithmetic || signedness_of(type) == Signedness::Signed;
  const Shift direction = operation == BinaryOperation::Shl ? Shift::Left
                          : repeats_sign                    ? Shift::RightArithmetic
                                                            : Shift::Right;
  return shift(lowering.build, direction, left, right);
}

template <class Combine>
auto bit_by_bit(const Word& left, const Word& right, const Combine& combine) -> Word {
  Word result;
  for (size_t i = 0; i < left.size(); ++i) {
    result.push_back(combine(left[i], right[i]));
  }
  return result;
}

}  // namespace

auto binary(KernelLowering& lowering, BinaryOperation operation, ElementType type, const Word& left,
            const Word& right) -> Word {
  GraphBuilder& builder = lowering.build;
  const Carries carries = lowering.options.carries;
  const auto is_less = [&](const Word& a, const Word& b) {
    return less(builder, a, b, signedness_of(type), carries);
  };
  switch (operation) {
    case BinaryOperation::Add:
      return add(builder, left, right, kFalse, carries).bits;
    case BinaryOperation::Sub:
      return subtract(builder, left, right, carries).bits;
    case BinaryOperation::Mul:
      return product(lowering, type, left, right);
    case BinaryOperation::Div:
    case BinaryOperation::TotalDiv:
      return type.kind == ElementKind::Fxp
                 ? fixed_quotient(lowering, type, left, right)
                 : quotient_and_remainder(lowering, type, left, right).quotient;
    case BinaryOperation::Rem:
    case BinaryOperation::TotalRem:
      return quotient_and_remainder(lowering, type, left, right).remainder;
    case BinaryOperation::And:
      return bit_by_bit(left, right, [&](Signal a, Signal b) { return builder.conjunction(a, b); });
    case BinaryOperation::Or:
      return bit_by_bit(left, right, [&](Signal a, Signal b) { return builder.disjunction(a, b); });
    case BinaryOperation::Xor:
      return bit_by_bit(left, right, [&](Signal a, Signal b) { return builder.exclusive(a, b); });
    case BinaryOperation::Shl:
    case BinaryOperation::Shr:
    case BinaryOperation::ShrArithmetic:
    case BinaryOperation::TotalShl:
    case BinaryOperation::TotalShr:
    case BinaryOperation::TotalShrArithmetic:
      return shifted(lowering, engine::partial(operation), type, left, right);
    case BinaryOperation::Less:
      return {is_less(left, right)};
    case BinaryOperation::LessEqual:
      return {!is_less(right, left)};
    case BinaryOperation::Greater:
      return {is_less(right, left)};
    case BinaryOperation::GreaterEqual:
      return {!is_less(left, right)};
    case BinaryOperation::Equal:
      return {equal(builder, left, right)};
    case BinaryOperation::NotEqual:
      return {!equal(builder, left, right)};
  }
  TACET_CHECK(false, "unknown operation");
}

}  // namespace tacet::gates
