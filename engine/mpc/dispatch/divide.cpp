#include <algorithm>

#include "engine/mpc/circuits/division.h"
#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/fixed_point/integer_division.h"
#include "engine/program/common/power_of_two.h"

namespace tacet::mpc {

namespace {

/// By 2^k, towards zero: what is negative is raised by 2^k - 1 before it is shifted.
auto divide_by_power(Context& context, Share x, unsigned k, IntegerType type) -> Task<Share> {
  const Party::Scope scope = context.party.scope("div_power");
  if (k == 0) {
    co_return x;
  }
  if (type.signedness == Signedness::Signed) {
    const Ring ring = x.ring();
    Bits sign = co_await is_negative(context.party, x, type.width);
    const Share below = co_await to_number(context.party, std::move(sign), ring);
    x = add(x, scale(below, (Word128{1} << k) - 1));
  }
  co_return co_await shift_right(context.party, std::move(x), k, type);
}

auto idivide(Context& context, Value x, Value y, bool wants_remainder) -> Task<Value> {
  const Party::Scope scope = context.party.scope("idiv");
  const engine::ElementType element = x.element();
  const IntegerType type = integer_type_of(element);
  Share dividend = as_share(context, x, context.ring_of(element));
  if (!y.is_secret()) {
    if (const std::optional<unsigned> k = engine::common_power_of_two(*y.cells, element)) {
      const Share quotient = co_await divide_by_power(context, dividend, *k, type);
      co_return secret_value(wants_remainder ? subtract(dividend, shift_left(quotient, *k))
                                             : quotient);
    }
  }
  Share divisor = as_share(context, y, context.ring_of(element));
  co_return secret_value(co_await divide_integers(
      context.party, std::move(dividend), std::move(divisor), type,
      wants_remainder ? mpc_model::DivisionPart::Remainder : mpc_model::DivisionPart::Quotient));
}

auto fdivide(Context& context, Value x, Value y, unsigned f) -> Task<Value> {
  const Party::Scope scope = context.party.scope("fdiv");
  Share dividend = as_share(context, x, context.fixed_ring);
  Share divisor = as_share(context, y, context.fixed_ring);
  // Inside, numbers are as large as the ring allows: truncation is exact whatever is requested.
  co_return secret_value(
      co_await divide(context.party, std::move(dividend), std::move(divisor), FixedPoint{f}));
}

/// Digit by digit, of x 2^f: whatever the quotient is, its low bits are right.
auto fdivide_wide(Context& context, Value x, Value y, unsigned f) -> Task<Value> {
  const Party::Scope scope = context.party.scope("fdiv_wide");
  const Share dividend = shift_left(as_share(context, x, Ring::Z128), f);
  const Share divisor = as_share(context, y, Ring::Z128);
  const Quotient found =
      co_await divide(context.party, dividend, divisor, {64 + f, Signedness::Signed});
  co_return secret_value(found.quotient);
}

}  // namespace

auto divide(Context& context, Operation operation) -> Task<Value> {
  const bool wants_remainder = operation.instruction->op == engine::MpcOpcode::Mod;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(operation.instruction->op));
  const auto n = static_cast<size_t>(n_elements(operation.type));
  Value x = repeated(context, operation.operands[0], n);
  Value y = repeated(context, operation.operands[1], n);
  const engine::ElementType element = operation.operands[0].element();
  Value result;
  const bool is_wrong = !y.is_secret() && std::any_of(y.cells->begin(), y.cells->end(),
                                                      [](engine::Cell cell) { return cell == 0; });
  if (is_wrong) {
    if (context.fault == engine::MpcRunFault::None) {
      context.fault = engine::MpcRunFault::DivisionByZero;
    }
    result = x;
    result.type.extents = operation.type.extents;
  } else if (operation.instruction->op == engine::MpcOpcode::DivWide &&
             context.fixed_ring == Ring::Z128) {
    result = co_await fdivide_wide(context, std::move(x), std::move(y), element.fraction_bits);
  } else if (x.is_fixed()) {
    result = co_await fdivide(context, std::move(x), std::move(y), element.fraction_bits);
  } else {
    result = co_await idivide(context, std::move(x), std::move(y), wants_remainder);
  }
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
