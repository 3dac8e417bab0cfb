#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/cggi_model/noise_model.h"

namespace tacet::cggi {

/// Gates on bits. An inverter costs nothing and is a property of an input. `XorAnd` is
/// inputs[0] ^ (inputs[1] & inputs[2]).
enum class GateKind : uint8_t {
#define TACET_GATE(Kind, name, n_inputs, w0, w1, w2, offset, squared_weights, bound) Kind,
#include "engine/cggi_model/gates.def"
#undef TACET_GATE
  /// inputs[0] ? inputs[1] : inputs[2]: two bootstraps, whose sum has twice the noise of one. (No
  /// sum of bits that are ±1/8 has the selected bit as its sign.)
  Mux,
};

/// A gate as the sign of a weighted sum; a multiplexer is the sum of two `And`s.
struct GateForm {
  std::string_view name;
  unsigned n_inputs = 0;
  std::array<int, 3> weights{};
  int offset_eighths = 0;
  /// For inputs that come from one bootstrap each and are independent.
  Decision decision{};
};

auto gate_form(GateKind kind) -> const GateForm&;

/// Bootstraps that a gate takes, and how many times the noise of one its output has.
constexpr auto n_bootstraps(GateKind kind) -> unsigned {
  return kind == GateKind::Mux ? 2 : 1;
}

}  // namespace tacet::cggi
