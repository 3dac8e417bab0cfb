#include "compiler/views/he/bundle.h"

#include <algorithm>

namespace tacet::he_views {

auto computed_result(const he_lower::Compiled& compiled) -> ComputedResult {
  return {&compiled.program, compiled.parts, compiled.result, compiled.error, compiled.within};
}

static auto input_field(const interpret::EntryParameter& parameter, const array::Program& program)
    -> engine::HeField {
  const auto& arrays = program.arrays.values();
  const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const array::Array& a) {
    return is_input(a.owner) && a.name == parameter.name;
  });
  const array::Interval range = array->range.value_or(array::Interval{INT64_MIN, INT64_MAX});
  return {.name = parameter.name,
          .type = interpret::type_text(parameter.type, {}),
          .low = range.low,
          .high = range.high,
          .norm = array->norm};
}

/// What computes one of the results, and how large its elements are.
static void add_parts(const ComputedResult& computed, const interpret::EntryResult& result,
                      engine::HeBundle& bundle) {
  bundle.results.push_back({.name = computed.parts.front().program.outputs.front().name,
                            .type = interpret::type_text(result.type, {}),
                            .low = computed.range.low,
                            .high = computed.range.high,
                            .error = computed.error,
                            .tolerance = computed.within});
  for (const he_lower::Encryption& part : computed.parts) {
    bundle.parts.push_back({.data_prime_bits = part.data_prime_bits,
                            .special_prime_bits = part.special_prime_bits,
                            .budget = part.budget,
                            .microseconds = part.microseconds,
                            .noise_bound = part.noise_bound,
                            .program = part.program});
  }
}

auto bundle_of(std::string name, const std::vector<interpret::EntryParameter>& parameters,
               const std::vector<interpret::EntryResult>& results,
               std::span<const ComputedResult> computed) -> engine::HeBundle {
  const he_lower::Encryption& first = computed.front().parts.front();
  engine::HeBundle bundle{.name = std::move(name),
                          .scheme = first.scheme,
                          .security = first.security,
                          .is_unhidden = first.is_unhidden,
                          .n_key_holders = first.n_key_holders,
                          .inputs = {},
                          .results = {},
                          .parts = {}};
  for (const interpret::EntryParameter& parameter : parameters) {
    bundle.inputs.push_back(input_field(parameter, *computed.front().program));
  }
  for (size_t i = 0; i < computed.size(); ++i) {
    add_parts(computed[i], results.at(i), bundle);
  }
  return bundle;
}

}  // namespace tacet::he_views
