#include "engine/he_runtime/keys.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/he/evaluation.h"

namespace tacet::engine {
namespace {

auto fits(const he::Context& context, const he::KeySwitchKey& key, uint32_t n_primes) -> bool {
  return key.n_primes >= n_primes && key.n_primes <= context.n_data();
}

}  // namespace

auto check_fits(const HeProgram& program, const he::Context& context) -> Status {
  const he::Parameters& parameters = context.parameters();
  if (program.is_integer() != (context.scheme() != he::Scheme::Ckks)) {
    return Error{fmt::format("the program computes on {}, which {} does not support",
                             program.is_integer() ? "integers" : "reals",
                             he::scheme_name(context.scheme()))};
  }
  if (parameters.plain_modulus() != program.modulus) {
    return Error{fmt::format("the program computes modulo {}, but the parameters are for {}",
                             program.modulus, parameters.plain_modulus())};
  }
  const size_t n_slots = program.is_integer() ? context.n() : context.n() / 2;
  if (!parameters.has_slots() || program.n_slots() != n_slots) {
    return Error{fmt::format("the program needs {} slots, but the parameters have {}",
                             program.n_slots(), parameters.has_slots() ? n_slots : 0)};
  }
  if (context.n_data() < program.n_primes) {
    return Error{fmt::format("the program needs {} primes, but the parameters have {}",
                             program.n_primes, context.n_data())};
  }
  return std::monostate{};
}

auto scales_of(const HeProgram& program, const he::Context& context) -> std::vector<double> {
  std::vector<double> primes;
  for (size_t i = 0; i < program.n_primes; ++i) {
    primes.push_back(context.modulus(i).as_double);
  }
  return he::level_scales(std::exp2(program.scale_bits), primes);
}

auto rotation_keys(const HeFacts& facts, const he::Context& context)
    -> std::vector<he::RotationKeyRequest> {
  std::vector<he::RotationKeyRequest> requests;
  for (const auto& [steps, n_primes] : facts.rotations) {
    requests.push_back({he::galois_element_of(context, steps), n_primes});
  }
  if (facts.needs_swap) {
    requests.push_back({he::galois_element_of_swap(context), facts.n_swap_primes});
  }
  return requests;
}

auto make_evaluation_keys(const HeFacts& facts, const he::Context& context,
                          const he::SecretKey& secret, he::SecureRandom& random,
                          const HeProgress& progress) -> Result<HeEvaluationKeys> {
  HeEvaluationKeys keys;
  if (facts.has_server_inputs) {
    Result<he::PublicKey> key = he::generate_public_key(context, secret, random);
    if (!key) {
      return key.error();
    }
    keys.encryption = std::move(*key);
  }
  if (facts.needs_relinearisation) {
    Result<he::RelinearisationKey> key =
        he::generate_relinearisation_key(context, secret, random, facts.n_relinearisation_primes);
    if (!key) {
      return key.error();
    }
    keys.relinearisation = std::move(*key);
  }
  if (std::vector<he::RotationKeyRequest> requests = rotation_keys(facts, context);
      !requests.empty()) {
    Result<he::RotationKeys> rotations =
        he::generate_requested_keys(context, secret, std::move(requests), random, progress);
    if (!rotations) {
      return rotations.error();
    }
    keys.rotations = std::move(*rotations);
  }
  return keys;
}

auto check_keys(const HeFacts& facts, const he::Context& context, const HeEvaluationKeys& keys)
    -> Status {
  if (facts.needs_relinearisation &&
      !fits(context, keys.relinearisation.key, facts.n_relinearisation_primes)) {
    return Error{fmt::format("the program needs a relinearisation key for {} primes",
                             facts.n_relinearisation_primes)};
  }
  const auto has = [&](uint64_t element, uint32_t n_primes) {
    const he::KeySwitchKey* key = keys.rotations.find(element);
    return key != nullptr && fits(context, *key, n_primes);
  };
  for (const auto& [steps, n_primes] : facts.rotations) {
    if (!has(he::galois_element_of(context, steps), n_primes)) {
      return Error{fmt::format("the program needs a key for rotations by {} with {} primes", steps,
                               n_primes)};
    }
  }
  if (facts.needs_swap && !has(he::galois_element_of_swap(context), facts.n_swap_primes)) {
    return Error{fmt::format("the program needs a key for swapping rows with {} primes",
                             facts.n_swap_primes)};
  }
  return std::monostate{};
}

}  // namespace tacet::engine
