#include "engine/cggi/key_generation.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cggi/decomposition.h"
#include "engine/cggi/kernels.h"
#include "engine/cggi/sampling.h"

namespace tacet::cggi {
namespace {

/// A bit as a mask: zero or all ones.
auto mask_of(uint8_t bit) -> uint64_t {
  return uint64_t{0} - bit;
}

auto masks_of(std::span<const uint8_t> bits) -> SecureVector<uint64_t> {
  SecureVector<uint64_t> masks(bits.size());
  std::transform(bits.begin(), bits.end(), masks.begin(), mask_of);
  return masks;
}

/// Words of a GLWE ciphertext's mask.
auto glwe_mask_size(const Parameters& p) -> size_t {
  return size_t{p.glwe_dimension} * p.polynomial_size;
}

/// Adds the product of each polynomial of a mask with the key's polynomial.
void add_mask_products(const Parameters& p, const Kernels& kernels, std::span<const uint64_t> mask,
                       std::span<const uint64_t> key_masks, uint64_t* body) {
  const size_t n = p.polynomial_size;
  std::vector<uint64_t> extended(2 * n);
  for (size_t c = 0; c < p.glwe_dimension; ++c) {
    for (size_t j = 0; j < n; ++j) {
      extended[n + j] = mask[c * n + j];
      extended[j] = uint64_t{0} - mask[c * n + j];
    }
    kernels.add_binary_product(body, extended.data(), key_masks.data() + c * n, n);
  }
}

/// Adds what row (`component`, `level`) of a GGSW ciphertext has in its phase: the bit times the
/// digit's weight, times minus the component's key, if it has one.
void add_row_message(const Parameters& p, uint64_t bit_mask, size_t component, unsigned level,
                     std::span<const uint64_t> key_masks, uint64_t* body) {
  const uint64_t message = bit_mask & digit_weight(p.rotation, level);
  if (component == p.glwe_dimension) {
    body[0] += message;
    return;
  }
  const uint64_t* const key = key_masks.data() + component * p.polynomial_size;
  for (size_t j = 0; j < p.polynomial_size; ++j) {
    body[j] -= message & key[j];
  }
}

/// The bodies of the GGSW encryption of a bit.
void encrypt_element(const Parameters& p, const Kernels& kernels, const PublicSeed& seed,
                     uint64_t stream, uint64_t bit_mask, std::span<const uint64_t> key_masks,
                     SecureRandom& random, std::span<uint64_t> bodies) {
  const size_t n = p.polynomial_size;
  const size_t n_rows = bodies.size() / n;
  std::vector<uint64_t> masks(n_rows * glwe_mask_size(p));
  expand_words(seed, stream, std::span(masks), kernels.isa);
  // Filled apart: until the errors are in, a body gives the key away.
  SecureVector<uint64_t> body(n);
  for (size_t row = 0; row < n_rows; ++row) {
    sample_errors(random, p.glwe_variance, std::span(body));
    add_row_message(p, bit_mask, row / p.rotation.n_levels,
                    static_cast<unsigned>(row % p.rotation.n_levels), key_masks, body.data());
    add_mask_products(p, kernels,
                      std::span(masks).subspan(row * glwe_mask_size(p), glwe_mask_size(p)),
                      key_masks, body.data());
    std::copy(body.begin(), body.end(), bodies.begin() + static_cast<ptrdiff_t>(row * n));
  }
}

/// The bodies of the encryptions of a bit's digits under the LWE key.
void encrypt_switch_rows(const Parameters& p, const PublicSeed& seed, uint64_t stream,
                         uint64_t bit_mask, std::span<const uint64_t> key_masks,
                         std::span<const uint32_t> errors, std::span<uint32_t> bodies, Isa isa) {
  std::vector<uint32_t> masks(bodies.size() * p.lwe_dimension);
  expand_words(seed, stream, std::span(masks), isa);
  for (size_t level = 0; level < bodies.size(); ++level) {
    const uint64_t weight = digit_weight(p.key_switch, static_cast<unsigned>(level));
    uint32_t body =
        errors[level] + static_cast<uint32_t>((bit_mask & weight) >> kLog2SwitchedModulus);
    const uint32_t* const mask = masks.data() + level * p.lwe_dimension;
    for (size_t j = 0; j < p.lwe_dimension; ++j) {
      body += mask[j] & static_cast<uint32_t>(key_masks[j]);
    }
    bodies[level] = body;
  }
}

/// A number that is never 0, which means "no key".
auto draw_id(SecureRandom& random) -> KeyId {
  KeyId id = 0;
  random.fill_words(std::span(&id, 1));
  return id | 1;
}

void generate_rotation_key(const SecretKey& secret, SecureRandom& random, Executor& executor,
                           Isa isa, EvaluationKey& key) {
  const Parameters& p = secret.parameters;
  const size_t size = ggsw_bodies_size(p);
  const SecureVector<uint64_t> lwe_masks = masks_of(secret.lwe);
  const SecureVector<uint64_t> glwe_masks = masks_of(secret.glwe);
  std::vector<SecureRandom> randoms;
  for (size_t i = 0; i < p.lwe_dimension; ++i) {
    randoms.push_back(random.fork());
  }
  key.rotation_bodies.resize(p.lwe_dimension * size);
  executor.for_each(p.lwe_dimension, [&](size_t i) {
    encrypt_element(p, kernels_for(isa), key.seed, i, lwe_masks[i], glwe_masks, randoms[i],
                    std::span(key.rotation_bodies).subspan(i * size, size));
  });
}

void generate_switch_key(const SecretKey& secret, SecureRandom& random, Executor& executor, Isa isa,
                         EvaluationKey& key) {
  const Parameters& p = secret.parameters;
  const size_t n_levels = p.key_switch.n_levels;
  const SecureVector<uint64_t> lwe_masks = masks_of(secret.lwe);
  SecureVector<uint32_t> errors(secret.glwe.size() * n_levels);
  sample_errors(random, p.lwe_variance, std::span(errors));
  key.key_switch_bodies.resize(errors.size());
  executor.for_each(secret.glwe.size(), [&](size_t i) {
    encrypt_switch_rows(p, key.seed, p.lwe_dimension + i, mask_of(secret.glwe[i]), lwe_masks,
                        std::span(errors).subspan(i * n_levels, n_levels),
                        std::span(key.key_switch_bodies).subspan(i * n_levels, n_levels), isa);
  });
}

}  // namespace

auto ggsw_bodies_size(const Parameters& p) -> size_t {
  return size_t{p.glwe_dimension + 1} * p.rotation.n_levels * p.polynomial_size;
}

auto ggsw_size(const Parameters& p) -> size_t {
  return ggsw_bodies_size(p) * (p.glwe_dimension + 1);
}

auto generate_secret_key(const Parameters& parameters, SecureRandom& random) -> Result<SecretKey> {
  if (Status status = check_parameters(parameters); !status) {
    return status.error();
  }
  SecretKey key;
  key.parameters = parameters;
  key.id = draw_id(random);
  key.lwe.resize(parameters.lwe_dimension);
  key.glwe.resize(parameters.extracted_dimension());
  sample_bits(random, key.lwe);
  sample_bits(random, key.glwe);
  return key;
}

auto generate_evaluation_key(const SecretKey& secret, SecureRandom& random, Executor& executor,
                             Isa isa) -> EvaluationKey {
  EvaluationKey key;
  key.parameters = secret.parameters;
  key.id = secret.id;
  key.seed = PublicSeed::draw(random);
  generate_rotation_key(secret, random, executor, isa, key);
  generate_switch_key(secret, random, executor, isa, key);
  return key;
}

void expand_rotation_element(const EvaluationKey& key, size_t element, std::span<uint64_t> out,
                             Isa isa) {
  const Parameters& p = key.parameters;
  const size_t n = p.polynomial_size;
  const size_t mask_size = glwe_mask_size(p);
  const size_t n_rows = ggsw_bodies_size(p) / n;
  TACET_CHECK(out.size() == ggsw_size(p), "a GGSW ciphertext of another size");
  std::vector<uint64_t> masks(n_rows * mask_size);
  expand_words(key.seed, element, std::span(masks), isa);
  const uint64_t* body = key.rotation_bodies.data() + element * n_rows * n;
  uint64_t* to = out.data();
  for (size_t row = 0; row < n_rows; ++row) {
    to = std::copy_n(masks.data() + row * mask_size, mask_size, to);
    to = std::copy_n(body + row * n, n, to);
  }
}

void expand_key_switch_rows(const EvaluationKey& key, size_t input, size_t stride, uint32_t* out,
                            Isa isa) {
  const Parameters& p = key.parameters;
  const size_t n_levels = p.key_switch.n_levels;
  std::vector<uint32_t> masks(n_levels * p.lwe_dimension);
  expand_words(key.seed, p.lwe_dimension + input, std::span(masks), isa);
  for (size_t level = 0; level < n_levels; ++level) {
    uint32_t* const row = out + level * stride;
    std::copy_n(masks.data() + level * p.lwe_dimension, p.lwe_dimension, row);
    row[p.lwe_dimension] = key.key_switch_bodies[input * n_levels + level];
    std::fill(row + p.lwe_dimension + 1, row + stride, 0);
  }
}

}  // namespace tacet::cggi
