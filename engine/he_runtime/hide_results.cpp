#include "engine/he_runtime/hide_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/wipe.h"
#include "engine/he/encoding.h"
#include "engine/he/hiding.h"
#include "engine/he/noise.h"
#include "engine/he_runtime/statistics.h"
#include "engine/program/common/element_type.h"
#include "engine/secure_random/samplers.h"

namespace tacet::engine {
namespace {

/// Uniform numbers modulo t where `is_read` is false, zero elsewhere.
auto integer_mask(const he::Context& context, const std::vector<bool>& is_read,
                  he::SecureRandom& random) -> Result<he::Plaintext> {
  SecureVector<uint64_t> residues(context.n());
  secure_random::sample_uniform(random, context.plain_modulus().value, residues, context.isa());
  SecureVector<int64_t> slots(context.n());
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = is_read[i] ? 0 : static_cast<int64_t>(residues[i]);
  }
  return he::IntegerEncoder(context).encode(slots);
}

/// Whether the number may be one that the type does not have. 64 bits hold every result.
auto may_wrap(const HeField& result) -> bool {
  ElementType type;
  return find_element_type(result.type, type) && is_integer(type.kind) &&
         bit_width(type.kind) != 64 &&
         (result.low < min_integer(type.kind) ||
          result.high > static_cast<int64_t>(max_integer(type.kind)));
}

}  // namespace

auto check_hiding(const HeBundle& bundle) -> Status {
  if (!hides_server_inputs(bundle)) {
    return std::monostate{};
  }
  if (bundle.scheme == he::Scheme::Ckks) {
    return Error{
        fmt::format("`{}` uses fixed-point inputs of the server, which CKKS cannot hide from the "
                    "client: the noise required would drown the results; use integers, `--device "
                    "mpc`, or `--unhidden` to reveal them",
                    bundle.name)};
  }
  for (const HeField& result : bundle.results) {
    if (may_wrap(result)) {
      return Error{
          fmt::format("result `{}` of `{}` is in {}..={} before it wraps to `{}`, so decryption "
                      "would reveal more of the server's inputs to the client; use a wider result "
                      "type, bound the parameters, or pass `--unhidden`",
                      result.name, bundle.name, result.low, result.high, result.type)};
    }
  }
  return std::monostate{};
}

auto output_slots(const HeProgram& program) -> std::vector<std::vector<bool>> {
  const std::vector<HeElement> elements = output_elements(program);
  std::map<HeElement, size_t> places;
  for (size_t i = 0; i < elements.size(); ++i) {
    places.emplace(elements[i], i);
  }
  std::vector<std::vector<bool>> slots(elements.size(), std::vector<bool>(program.n_slots()));
  for (const HeOutput& output : program.outputs) {
    for_each_number(program, output, [&](const HeOutputNumber& number) {
      slots[places.at({.reg = output.source.reg, .at = number.at})][number.slot] = true;
    });
  }
  return slots;
}

auto hide_results(const HeProgram& program, const he::Context& context,
                  std::vector<he::Ciphertext> results, const he::PublicKey& key,
                  he::SecureRandom& random, HidingCosts& costs)
    -> Result<std::vector<he::Ciphertext>> {
  const HeTimer timer(costs.seconds);
  const std::vector<std::vector<bool>> is_read = output_slots(program);
  for (size_t i = 0; i < results.size(); ++i) {
    const double bits = context.bounds().hiding_bits(results[i].metadata.bound, results.size());
    if (!(bits < context.noise().modulus_bits(results[i].n_primes()))) {
      return Error{fmt::format(
          "the modulus is too small for the noise that hides the server's inputs in result {}", i)};
    }
    costs.distance_bits = std::min(costs.distance_bits, he::kHidingBits);
    const double budget = he::estimated_budget(context, results[i]);
    Result<he::Plaintext> mask = integer_mask(context, is_read[i], random);
    if (!mask) {
      return mask.error();
    }
    Result<he::Ciphertext> result =
        he::hide(context, key, std::move(results[i]), *mask, static_cast<unsigned>(bits), random);
    if (!result) {
      return result.error();
    }
    costs.budget_bits =
        std::max(costs.budget_bits, budget - he::estimated_budget(context, *result));
    result = he::without_spare_primes(context, std::move(*result));
    if (!result) {
      return result.error();
    }
    results[i] = std::move(*result);
  }
  costs.n_ciphertexts += results.size();
  return results;
}

}  // namespace tacet::engine
