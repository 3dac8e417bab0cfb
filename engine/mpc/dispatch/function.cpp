#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/fixed_point/functions.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

auto ffunction(Context& context, MpcOpcode op, Share x, FixedPoint format) -> Task<Share> {
  Party& party = context.party;
  switch (op) {
    case MpcOpcode::Reciprocal:
      return reciprocal(party, std::move(x), format);
    case MpcOpcode::Sqrt:
      return square_root(party, std::move(x), format);
    case MpcOpcode::Rsqrt:
      return reciprocal_square_root(party, std::move(x), format);
    case MpcOpcode::Exp:
      return exponential(party, std::move(x), format);
    case MpcOpcode::Log:
      return logarithm(party, std::move(x), format);
    case MpcOpcode::Sigmoid:
      return sigmoid(party, std::move(x), format);
    default:
      return hyperbolic_tangent(party, std::move(x), format);
  }
}

}  // namespace

/// Real functions of fixed-point numbers; what they are exact to says `mpc_model::bound_of`.
auto function(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const Value x = operation.operands[0];
  // Inside, numbers are as large as the ring allows: truncation is exact whatever is asked for.
  const FixedPoint format{x.element().fraction_bits};
  Value result = secret_value(co_await ffunction(context, op, *x.secret->share, format));
  result.type.element = x.type.element;
  co_return result;
}

}  // namespace tacet::mpc
