#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/dispatch/dispatch.h"

namespace tacet::mpc {

namespace {

auto mul_ss(Context& context, Share x, Share y) -> Task<Value> {
  const Party::Scope scope = context.party.scope("mul_ss");
  co_return secret_value(
      co_await context.protocol().multiply(context.party, std::move(x), std::move(y)));
}

auto mul_sp(const Share& x, const RingArray& y) -> Value {
  return secret_value(multiply_public(x, y));
}

/// On words of a ring, of whatever type. Products commute.
auto rmul(Context& context, Value x, Value y, Ring ring) -> Task<Value> {
  const Party::Scope scope = context.party.scope("rmul");
  if (x.is_secret() && y.is_secret()) {
    co_return co_await mul_ss(context, *x.secret->share, *y.secret->share);
  }
  co_return x.is_secret() ? mul_sp(*x.secret->share, as_words(context, y, ring))
                          : mul_sp(*y.secret->share, as_words(context, x, ring));
}

/// rmul and truncation of two secrets in one kernel, where the protocol has it.
auto rmul_trunc_ss(Context& context, Share x, Share y, unsigned f) -> Task<Value> {
  const Party::Scope scope = context.party.scope("mul_trunc_ss");
  co_return secret_value(co_await context.protocol().multiply_truncate(
      context.party, std::move(x), std::move(y), f, context.truncation));
}

auto rtrunc(Context& context, Value x, unsigned f) -> Task<Value> {
  const Party::Scope scope = context.party.scope("rtrunc");
  co_return secret_value(co_await truncate(context.party, *x.secret->share, f, context.truncation));
}

auto imul(Context& context, Value x, Value y) -> Task<Value> {
  const Party::Scope scope = context.party.scope("imul");
  const engine::ElementType element = x.element();
  Value product = co_await rmul(context, std::move(x), std::move(y), context.ring_of(element));
  product.type.element = element;
  co_return product;
}

auto fmul(Context& context, Value x, Value y) -> Task<Value> {
  const Party::Scope scope = context.party.scope("fmul");
  const engine::ElementType element = x.element();
  Value product;
  if (x.is_secret() && y.is_secret()) {
    product =
        co_await rmul_trunc_ss(context, *x.secret->share, *y.secret->share, element.fraction_bits);
  } else {
    product = co_await rmul(context, std::move(x), std::move(y), context.fixed_ring);
    product = co_await rtrunc(context, std::move(product), element.fraction_bits);
  }
  product.type.element = element;
  co_return product;
}

/// An integer in the ring of fixed-point numbers, as it is.
auto in_wide_ring(Context& context, Value x) -> Task<Value> {
  const engine::ElementType element = x.element();
  if (!x.is_secret() || context.ring_of(element) == context.fixed_ring) {
    co_return x;
  }
  const IntegerType type{engine::bit_width(element.kind), engine::is_signed_integer(element.kind)
                                                              ? Signedness::Signed
                                                              : Signedness::Unsigned};
  Value wide = secret_value(co_await cast_integer(context.party, *x.secret->share, type,
                                                  n_bits(context.fixed_ring), context.fixed_ring));
  wide.type.element = element;
  co_return wide;
}

}  // namespace

/// Declared rule `int-times-fixed`: an integer beside a fixed-point number multiplies it as it is,
/// without lift and truncation.
auto mul(Context& context, Operation operation) -> Task<Value> {
  const bool is_wide = operation.instruction->op == engine::MpcOpcode::MulWide;
  const Party::Scope scope = context.party.scope(is_wide ? "mul_wide" : "mul");
  const auto n = static_cast<size_t>(n_elements(operation.type));
  Value x = repeated(context, operation.operands[0], n);
  Value y = repeated(context, operation.operands[1], n);
  if (x.is_fixed() != y.is_fixed()) {
    const engine::ElementType element = x.is_fixed() ? x.element() : y.element();
    x = co_await in_wide_ring(context, std::move(x));
    y = co_await in_wide_ring(context, std::move(y));
    Value product = co_await rmul(context, std::move(x), std::move(y), context.fixed_ring);
    product.type.element = element;
    co_return product;
  }
  if (is_wide) {
    Value product = co_await rmul(context, std::move(x), std::move(y), context.fixed_ring);
    product.type.element = operation.type.element;
    co_return product;
  }
  if (x.is_fixed()) {
    co_return co_await fmul(context, std::move(x), std::move(y));
  }
  co_return co_await imul(context, std::move(x), std::move(y));
}

}  // namespace tacet::mpc
