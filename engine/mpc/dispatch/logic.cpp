#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

auto and_bits(Context& context, const Value& x, const Value& y) -> Task<Bits> {
  if (x.is_secret() && y.is_secret()) {
    co_return co_await conjunction(context.party, *x.secret->bits, *y.secret->bits);
  }
  const Value& secret = x.is_secret() ? x : y;
  const Value& known = x.is_secret() ? y : x;
  co_return conjunction_public(*secret.secret->bits,
                               planes_of(*known.cells, context.party.memory()));
}

/// On truth values. x or y = x xor y xor (x and y).
auto blogic(Context& context, MpcOpcode op, Value x, Value y) -> Task<Value> {
  const bool is_and = op == MpcOpcode::And || op == MpcOpcode::Land;
  const bool is_xor = op == MpcOpcode::Xor;
  Bits result;
  if (is_and) {
    result = co_await and_bits(context, x, y);
  } else {
    result = exclusive_or(as_bits(context, x), as_bits(context, y));
    if (!is_xor) {
      const Bits both = co_await and_bits(context, x, y);
      result = exclusive_or(result, both);
    }
  }
  co_return secret_value(std::move(result));
}

/// On the bits of integers.
auto ilogic(Context& context, MpcOpcode op, Value x, Value y) -> Task<Value> {
  const Ring ring = context.ring_of(x.element());
  const unsigned width = engine::bit_width(x.element().kind);
  Share left = as_share(context, x, ring);
  Share right = as_share(context, y, ring);
  Party& party = context.party;
  if (op == MpcOpcode::And) {
    co_return secret_value(co_await bitwise_and(party, std::move(left), std::move(right), width));
  }
  if (op == MpcOpcode::Or) {
    co_return secret_value(co_await bitwise_or(party, std::move(left), std::move(right), width));
  }
  co_return secret_value(co_await bitwise_xor(party, std::move(left), std::move(right), width));
}

}  // namespace

auto logic(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const auto n = static_cast<size_t>(n_elements(operation.type));
  const engine::ElementType element = operation.operands[0].element();
  Value result;
  if (op == MpcOpcode::Not) {
    result = secret_value(
        context.protocol().complement(context.party, *operation.operands[0].secret->bits));
  } else if (op == MpcOpcode::Invert) {
    // All bits inverted: -x - 1.
    result = secret_value(context.protocol().add_constant(
        context.party, negate(*operation.operands[0].secret->share), ~Word128{0}));
  } else {
    Value x = repeated(context, operation.operands[0], n);
    Value y = repeated(context, operation.operands[1], n);
    if (element == engine::kBool) {
      result = co_await blogic(context, op, std::move(x), std::move(y));
    } else {
      result = co_await ilogic(context, op, std::move(x), std::move(y));
    }
  }
  result.type.element = element;
  co_return result;
}

}  // namespace tacet::mpc
