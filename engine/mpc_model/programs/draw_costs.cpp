#include "engine/mpc_model/programs/draw_costs.h"

#include "base/check.h"
#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/movement_costs.h"
#include "engine/mpc_model/programs/dispatch_costs.h"
#include "engine/program/mpc/draw.h"

namespace tacet::mpc_model {

using engine::DrawFunction;

namespace {

/// `count` kernels of equal cost side by side.
auto side_by_side(uint64_t count, Cost cost) -> Cost {
  return {.rounds = count == 0 ? 0 : cost.rounds,
          .bytes = count * cost.bytes,
          .record = repeated(count, cost.record, 0)};
}

/// A sum of a part for each party against all multiples that it may reach.
auto below(const ProtocolCosts& protocol, uint64_t n) -> Cost {
  const uint64_t n_multiples = protocol.n_parties() - 1;
  return then(side_by_side(n_multiples, less_fitting(protocol, 64, n)),
              side_by_side(n_multiples, protocol.bits_to_arithmetic(1, n, 64)));
}

auto drawn(const ProtocolCosts& protocol, DrawFunction function, const engine::MpcType& type)
    -> Cost {
  const auto n = static_cast<uint64_t>(engine::n_elements(type));
  switch (function) {
    case DrawFunction::U64:
    case DrawFunction::Normal:
      return {};
    case DrawFunction::Int:
    case DrawFunction::Uniform:
      return below(protocol, n);
    case DrawFunction::Bool:
      return then(below(protocol, n), less_fitting(protocol, 64, n));
    case DrawFunction::Permutation: {
      const auto width = static_cast<uint64_t>(type.extents.back());
      return side_by_side(width == 0 ? 0 : n / width, shuffle(protocol, width, 64, 1));
    }
  }
  return {};
}

}  // namespace

auto cost_of_secret_draw(const ProtocolCosts& protocol, DrawFunction function,
                         const engine::MpcType& type, unsigned fixed_ring) -> Cost {
  const Cost cost = drawn(protocol, function, type);
  if (type.element == engine::kBool || engine::ring_bits_of(type.element, fixed_ring) != 128) {
    return cost;
  }
  // Fixed point is drawn modulo 2^64.
  return then(cost, extend(protocol, 64, static_cast<uint64_t>(engine::n_elements(type)), 128));
}

void Dispatch::draw_secretly() {
  const auto draw = engine::find_draw(instruction_.numbers, operands_.size());
  TACET_CHECK(draw.has_value(), "a draw that was not validated");
  const Cost cost = cost_of_secret_draw(protocol_, draw->function, type_, fixed_ring_);
  if (cost.rounds == 0) {
    path({});
  } else if (draw->function == engine::DrawFunction::Permutation) {
    path({"shuffle"});
  } else if (draw->function == engine::DrawFunction::Normal) {
    path({"cast_integer"});
  } else {
    path({"less"});
  }
  then_rest(cost);
}

}  // namespace tacet::mpc_model
