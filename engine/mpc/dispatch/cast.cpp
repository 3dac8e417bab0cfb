#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

using engine::ElementKind;

namespace {

/// Between integers: fewer bits are kept where they are, more are extended.
auto i2i(Context& context, Value x, engine::ElementType to) -> Task<Value> {
  const Party::Scope scope = context.party.scope("i2i");
  const IntegerType type = integer_type_of(x.element());
  const Ring ring = context.ring_of(to);
  if (engine::bit_width(to.kind) <= type.width) {
    co_return secret_value(narrow(*x.secret->share, ring));
  }
  co_return secret_value(co_await cast_integer(context.party, *x.secret->share, type,
                                               engine::bit_width(to.kind), ring));
}

auto i2f(Context& context, Value x, engine::ElementType to) -> Task<Value> {
  const Party::Scope scope = context.party.scope("i2f");
  Share wide = *x.secret->share;
  const IntegerType type = integer_type_of(x.element());
  const Ring ring = context.fixed_ring;
  if (type.width < n_bits(ring)) {
    wide = co_await cast_integer(context.party, std::move(wide), type, n_bits(ring), ring);
  }
  co_return secret_value(shift_left(wide, to.fraction_bits));
}

/// Towards zero: what is negative is raised by just less than 1 before it is rounded down.
auto f2i(Context& context, Value x, engine::ElementType to) -> Task<Value> {
  const Party::Scope scope = context.party.scope("f2i");
  const unsigned f = x.element().fraction_bits;
  Share number = *x.secret->share;
  if (f > 0) {
    Bits sign = co_await is_negative(context.party, number, 64);
    const Share below = co_await to_number(context.party, std::move(sign), number.ring());
    number = add(number, scale(below, (Word128{1} << f) - 1));
    number = co_await shift_right(context.party, std::move(number), f, {64, Signedness::Signed});
  }
  co_return secret_value(narrow(number, context.ring_of(to)));
}

auto f2f(Context& context, Value x, engine::ElementType to) -> Task<Value> {
  const Party::Scope scope = context.party.scope("f2f");
  const unsigned from = x.element().fraction_bits;
  if (to.fraction_bits >= from) {
    co_return secret_value(shift_left(*x.secret->share, to.fraction_bits - from));
  }
  co_return secret_value(co_await truncate(context.party, *x.secret->share, from - to.fraction_bits,
                                           context.truncation));
}

auto to_truth(Context& context, Value x) -> Task<Value> {
  Bits zero =
      co_await is_zero(context.party, *x.secret->share, engine::bit_width(x.element().kind));
  co_return secret_value(context.protocol().complement(context.party, zero));
}

auto from_truth(Context& context, Value x, engine::ElementType to) -> Task<Value> {
  Share number = co_await number_of(context, std::move(x), context.ring_of(to));
  co_return secret_value(to.fraction_bits == 0 ? number : shift_left(number, to.fraction_bits));
}

}  // namespace

/// Modulo 2^64 there is nothing to do.
auto wrap(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("wrap");
  const Value x = operation.operands[0];
  Share number = *x.secret->share;
  if (const Ring ring = number.ring(); ring == Ring::Z128) {
    number = co_await cast_integer(context.party, std::move(number), integer_type_of(x.element()),
                                   n_bits(ring), ring);
  }
  Value result = secret_value(std::move(number));
  result.type.element = x.type.element;
  co_return result;
}

auto convert_type(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("cast");
  Value x = operation.operands[0];
  const engine::ElementType to = operation.type.element;
  Value result;
  if (x.element() == to) {
    result = x;
  } else if (to.kind == ElementKind::Bool) {
    result = co_await to_truth(context, std::move(x));
  } else if (x.is_bool()) {
    result = co_await from_truth(context, std::move(x), to);
  } else if (x.is_fixed()) {
    if (to.kind == ElementKind::Fxp) {
      result = co_await f2f(context, std::move(x), to);
    } else {
      result = co_await f2i(context, std::move(x), to);
    }
  } else if (to.kind == ElementKind::Fxp) {
    result = co_await i2f(context, std::move(x), to);
  } else {
    result = co_await i2i(context, std::move(x), to);
  }
  result.type.element = to;
  co_return result;
}

}  // namespace tacet::mpc
