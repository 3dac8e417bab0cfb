#include "engine/he_runtime/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/he/evaluation.h"

namespace tacet::engine {
namespace {

auto fits(const he::Context& context, const he::KeySwitchKey& key, size_t n_primes) -> bool {
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
  const HeFacts facts = facts_of(program);
  if (!needs_bootstrapping(facts)) {
    return std::monostate{};
  }
  const he::BootstrappingShape shape = he::bootstrapping_shape(context.n());
  if (facts.n_bootstrapped_primes < shape.n_operand_primes()) {
    return Error{fmt::format("a ciphertext of {} primes is bootstrapped, but {} are needed",
                             facts.n_bootstrapped_primes, shape.n_operand_primes())};
  }
  return he::check_bootstrapping(context, shape, program.n_primes);
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
  if (!needs_bootstrapping(facts)) {
    return requests;
  }
  std::map<uint64_t, size_t> most;
  const auto raise = [&](const std::vector<he::RotationKeyRequest>& more) {
    for (const auto& [element, n_primes] : more) {
      most[element] = std::max(most[element], n_primes);
    }
  };
  raise(requests);
  raise(he::bootstrapping_rotations(context, he::bootstrapping_shape(context.n())));
  requests.clear();
  for (const auto& [element, n_primes] : most) {
    requests.push_back({element, n_primes});
  }
  return requests;
}

auto relinearisation_primes(const HeFacts& facts, const he::Context& context) -> size_t {
  const size_t own = facts.needs_relinearisation ? facts.n_relinearisation_primes : 0;
  return needs_bootstrapping(facts)
             ? std::max(own, he::bootstrapping_relinearisation_primes(
                                 context, he::bootstrapping_shape(context.n())))
             : own;
}

auto needs_public_key(const HeFacts& facts, const he::Context& context) -> bool {
  return facts.has_server_inputs || context.parameters().n_key_holders() > 1;
}

auto needs_bootstrapping(const HeFacts& facts) -> bool {
  return facts.n_bootstrapped_primes != 0;
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
  if (const size_t n_primes = relinearisation_primes(facts, context); n_primes != 0) {
    Result<he::RelinearisationKey> key =
        he::generate_relinearisation_key(context, secret, random, n_primes);
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
  if (needs_bootstrapping(facts)) {
    Result<he::BootstrappingKeys> bootstrapping =
        he::generate_bootstrapping_keys(context, secret, random);
    if (!bootstrapping) {
      return bootstrapping.error();
    }
    keys.bootstrapping = std::move(*bootstrapping);
  }
  return keys;
}

auto check_keys(const HeFacts& facts, const he::Context& context, const HeEvaluationKeys& keys)
    -> Status {
  const size_t n_relinearised = relinearisation_primes(facts, context);
  if (n_relinearised != 0 && !fits(context, keys.relinearisation.key, n_relinearised)) {
    return Error{
        fmt::format("the program needs a relinearisation key for {} primes", n_relinearised)};
  }
  if (needs_bootstrapping(facts) &&
      keys.bootstrapping.parameters != context.parameters().digest()) {
    return Error{"the program needs keys for bootstrapping"};
  }
  const auto has = [&](uint64_t element, size_t n_primes) {
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
  for (const auto& [element, n_primes] : rotation_keys(facts, context)) {
    if (!has(element, n_primes)) {
      return Error{fmt::format("the program needs a key for the Galois element {} with {} primes",
                               element, n_primes)};
    }
  }
  return std::monostate{};
}

}  // namespace tacet::engine
