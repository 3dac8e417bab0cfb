#include <utility>

#include "base/check.h"
#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/fixed_point/functions.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

auto ffunction(Context& context, MpcOpcode op, Share x, FixedPoint format) -> Task<Share> {
  using Kernel = Task<Share> (*)(Party&, Share, FixedPoint);
  static constexpr std::pair<MpcOpcode, Kernel> kKernels[] = {
      {MpcOpcode::Reciprocal, reciprocal},
      {MpcOpcode::Sqrt, square_root},
      {MpcOpcode::Rsqrt, reciprocal_square_root},
      {MpcOpcode::Exp, exponential},
      {MpcOpcode::Log, logarithm},
      {MpcOpcode::Sigmoid, sigmoid},
      {MpcOpcode::Tanh, hyperbolic_tangent},
      {MpcOpcode::Erf, error_function},
      {MpcOpcode::Sin, sine},
      {MpcOpcode::Cos, cosine},
  };
  for (const auto& [opcode, kernel] : kKernels) {
    if (op == opcode) {
      return kernel(context.party, std::move(x), format);
    }
  }
  TACET_CHECK(false, "not a function of fixed-point numbers");
}

}  // namespace

/// Real functions of fixed-point numbers; what they are exact to says `mpc_model::bound_of`.
auto function(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  const Value x = operation.operands[0];
  // Inside, numbers are as large as the ring allows: truncation is exact whatever is requested.
  const FixedPoint format{x.element().fraction_bits};
  Value result = secret_value(co_await ffunction(context, op, *x.secret->share, format));
  result.type.element = x.type.element;
  co_return result;
}

}  // namespace tacet::mpc
