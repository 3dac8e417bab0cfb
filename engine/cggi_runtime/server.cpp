#include "engine/cggi_runtime/server.h"

#include <fmt/format.h>

#include "engine/cggi/encryption.h"

namespace tacet::engine {

namespace {

using cggi::Ciphertexts;

/// Puts the inputs where the plan wants them.
auto place_inputs(const CggiProgram& program, const CggiPlan& plan, const cggi::ServerKey& key,
                  const cggi::FreshCiphertexts& inputs, std::span<const uint8_t> server_bits,
                  Ciphertexts& values) -> Status {
  Ciphertexts given(key.parameters(), key.id(), inputs.bodies.size());
  if (Status status = cggi::expand(inputs, 0, given, key.kernels().isa); !status) {
    return status;
  }
  size_t at = 0;
  size_t n_client = 0;
  size_t n_server = 0;
  for (const CggiField& field : program.inputs) {
    const bool is_client = field.owner == CggiOwner::Client;
    for (size_t i = 0; i < n_elements(field) * field.width; ++i) {
      const uint32_t place = plan.inputs[at++];
      if (is_client) {
        std::copy_n(given.at(n_client++), values.n_words(), values.at(place));
      } else {
        cggi::set_bit(server_bits[n_server++], place, values);
      }
    }
  }
  return std::monostate{};
}

auto take_outputs(const CggiPlan& plan, const cggi::ServerKey& key, const Ciphertexts& values)
    -> Ciphertexts {
  Ciphertexts results(key.parameters(), key.id(), plan.outputs.size());
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const cggi::Torus* const from = values.at(plan.outputs[i].index);
    cggi::Torus* const to = results.at(i);
    for (size_t j = 0; j < results.n_words(); ++j) {
      to[j] = plan.outputs[i].inverted ? cggi::Torus{0} - from[j] : from[j];
    }
  }
  return results;
}

}  // namespace

auto evaluate(const CggiProgram& program, const cggi::ServerKey& key,
              const cggi::FreshCiphertexts& inputs, const CggiValues& values,
              const cggi::Batching& batching, const CggiProgress& progress)
    -> Result<cggi::Ciphertexts> {
  if (key.parameters() != program.parameters) {
    return Error{"the evaluation key is of other parameters than the program"};
  }
  Result<SecureVector<uint8_t>> server_bits = input_bits(program, CggiOwner::Server, values);
  if (!server_bits) {
    return server_bits.error();
  }
  const CggiPlan plan = plan_of(program);
  if (inputs.bodies.size() + server_bits->size() != plan.inputs.size()) {
    return Error{fmt::format("there are {} encrypted input bits instead of {}",
                             inputs.bodies.size(), plan.inputs.size() - server_bits->size())};
  }
  Ciphertexts wires(key.parameters(), key.id(), plan.n_ciphertexts);
  if (Status status = place_inputs(program, plan, key, inputs, *server_bits, wires); !status) {
    return status.error();
  }
  cggi::set_bit(0, plan.zero, wires);
  size_t n_done = 0;
  const size_t n_gates = n_bootstraps(program);
  for (const CggiLevel& level : plan.levels) {
    if (Status status = cggi::evaluate(key, level.gates, wires, batching); !status) {
      return status.error();
    }
    for (const CggiSum& sum : level.sums) {
      cggi::sum_bits(std::span(sum.inputs).first(sum.n_inputs), sum.output, wires);
    }
    n_done += level.gates.size();
    if (progress) {
      progress(n_done, n_gates);
    }
  }
  return take_outputs(plan, key, wires);
}

}  // namespace tacet::engine
