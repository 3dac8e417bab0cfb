#include "engine/mpc/dispatch/dispatch.h"

namespace tacet::mpc {

namespace {

auto add_ss(const Share& x, const Share& y, bool subtracts) -> Value {
  return secret_value(subtracts ? subtract(x, y) : add(x, y));
}

auto add_sp(Context& context, const Share& x, const RingArray& y, bool subtracts) -> Value {
  return secret_value(context.protocol().add_public(context.party, x, subtracts ? negate(y) : y));
}

/// On words of a ring, of whatever type. x - y of a public x is (-y) + x.
auto radd(Context& context, const Value& x, const Value& y, Ring ring, bool subtracts) -> Value {
  if (x.is_secret() && y.is_secret()) {
    return add_ss(*x.secret->share, *y.secret->share, subtracts);
  }
  if (x.is_secret()) {
    return add_sp(context, *x.secret->share, as_words(context, y, ring), subtracts);
  }
  const Share other = subtracts ? negate(*y.secret->share) : *y.secret->share;
  return add_sp(context, other, as_words(context, x, ring), false);
}

}  // namespace

/// Integers and fixed point alike: operands have one type.
auto add(Context& context, Operation operation) -> Task<Value> {
  const bool subtracts = operation.instruction->op == engine::MpcOpcode::Sub;
  const Party::Scope scope = context.party.scope(subtracts ? "sub" : "add");
  const engine::ElementType element = operation.operands[0].element();
  const auto n = static_cast<size_t>(n_elements(operation.type));
  Value sum =
      radd(context, repeated(context, operation.operands[0], n),
           repeated(context, operation.operands[1], n), context.ring_of(element), subtracts);
  sum.type.element = element;
  co_return sum;
}

auto negate(Context& context, Operation operation) -> Task<Value> {
  const Party::Scope scope = context.party.scope("neg");
  Value result = secret_value(negate(*operation.operands[0].secret->share));
  result.type.element = operation.operands[0].type.element;
  co_return result;
}

}  // namespace tacet::mpc
