#include "engine/cggi_model/gates.h"

namespace tacet::cggi {

auto gate_form(GateKind kind) -> const GateForm& {
  static constexpr GateForm kForms[] = {
#define TACET_GATE(Kind, name, n_inputs, w0, w1, w2, offset, squared_weights, bound) \
  {name, n_inputs, {w0, w1, w2}, offset, {squared_weights, (bound) / 8.0}},
#include "engine/cggi_model/gates.def"
#undef TACET_GATE
      {"mux", 3, {1, 1, 0}, -1, {2, 0.125}},
  };
  return kForms[static_cast<size_t>(kind)];
}

}  // namespace tacet::cggi
