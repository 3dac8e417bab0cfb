#include "engine/cggi/encryption.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cggi/sampling.h"

namespace tacet::cggi {
namespace {

/// mask · key modulo 2^64.
auto inner_product(std::span<const uint8_t> key, const Torus* mask) -> Torus {
  Torus sum = 0;
  for (size_t j = 0; j < key.size(); ++j) {
    sum += mask[j] & (Torus{0} - key[j]);
  }
  return sum;
}

}  // namespace

auto encrypt(const SecretKey& secret, std::span<const Torus> messages, SecureRandom& random,
             Isa isa) -> FreshCiphertexts {
  FreshCiphertexts fresh;
  fresh.id = secret.id;
  fresh.seed = PublicSeed::draw(random);
  fresh.bodies.resize(messages.size());
  SecureVector<Torus> errors(messages.size());
  sample_errors(random, secret.parameters.glwe_variance, std::span(errors));
  std::vector<Torus> mask(secret.glwe.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    expand_words(fresh.seed, i, std::span(mask), isa);
    fresh.bodies[i] = messages[i] + errors[i] + inner_product(secret.glwe, mask.data());
  }
  return fresh;
}

auto encrypt_bits(const SecretKey& secret, std::span<const uint8_t> bits, SecureRandom& random,
                  Isa isa) -> FreshCiphertexts {
  SecureVector<Torus> messages(bits.size());
  std::transform(bits.begin(), bits.end(), messages.begin(), encode_bit);
  return encrypt(secret, messages, random, isa);
}

auto expand(const FreshCiphertexts& fresh, size_t first, Ciphertexts& out, Isa isa) -> Status {
  if (fresh.id != out.id()) {
    return Error{"the ciphertexts were encrypted with another key"};
  }
  if (first > out.size() || fresh.bodies.size() > out.size() - first) {
    return Error{fmt::format("{} ciphertexts from number {} do not fit into {}",
                             fresh.bodies.size(), first, out.size())};
  }
  for (size_t i = 0; i < fresh.bodies.size(); ++i) {
    Torus* const words = out.at(first + i);
    expand_words(fresh.seed, i, std::span(words, out.n_words() - 1), isa);
    words[out.n_words() - 1] = fresh.bodies[i];
  }
  return std::monostate{};
}

auto phase(const SecretKey& secret, const Torus* ciphertext) -> Torus {
  return ciphertext[secret.glwe.size()] - inner_product(secret.glwe, ciphertext);
}

auto decrypt_bits(const SecretKey& secret, const Ciphertexts& ciphertexts, size_t first, size_t n)
    -> Result<SecureVector<uint8_t>> {
  if (ciphertexts.id() != secret.id) {
    return Error{"the ciphertexts belong to another key"};
  }
  if (first > ciphertexts.size() || n > ciphertexts.size() - first) {
    return Error{fmt::format("there are {} ciphertexts, no {} from number {}", ciphertexts.size(),
                             n, first)};
  }
  SecureVector<uint8_t> bits(n);
  for (size_t i = 0; i < n; ++i) {
    bits[i] = decode_bit(phase(secret, ciphertexts.at(first + i)));
  }
  return bits;
}

}  // namespace tacet::cggi
