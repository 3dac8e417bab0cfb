#pragma once

#include <cstdint>
#include <vector>

#include "base/wipe.h"
#include "engine/cggi_model/parameters.h"
#include "engine/ring/aligned.h"
#include "engine/secure_random/secure_random.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::cggi {

using secure_random::PublicSeed;
using secure_random::SecureRandom;

/// A number x stands for the element x / 2^64 of the torus.
using Torus = uint64_t;

/// Names a secret key without saying anything of it: a random number. Objects made with a key carry
/// its name, so that using another one is an error and not rubbish.
using KeyId = uint64_t;

/// The two binary keys. Wiped when freed.
struct SecretKey {
  Parameters parameters{};
  KeyId id = 0;
  SecureVector<uint8_t> lwe;   ///< n bits, each 0 or 1: steers rotations
  SecureVector<uint8_t> glwe;  ///< k N bits, polynomial by polynomial: encrypts values
};

/// What a server needs to bootstrap, as it is stored and sent: the uniform parts are expanded from
/// the seed, streams 0 … n - 1 for the rotation key's elements, the next k N for the switching
/// key's rows.
struct EvaluationKey {
  Parameters parameters{};
  KeyId id = 0;
  PublicSeed seed{};
  /// For each bit of the LWE key, each component and level: N words.
  std::vector<uint64_t> rotation_bodies;
  /// For each bit of the GLWE key and each level: a word.
  std::vector<uint32_t> key_switch_bodies;
};

/// Fresh encryptions: stream i of the seed is the mask of ciphertext i.
struct FreshCiphertexts {
  KeyId id = 0;
  PublicSeed seed{};
  std::vector<Torus> bodies;
};

/// LWE ciphertexts under a GLWE key's coefficients: k N words of mask and the body each.
///
/// Different ciphertexts may be read and written by different threads.
class Ciphertexts {
 public:
  Ciphertexts() = default;
  /// `n` ciphertexts of zero, without noise.
  Ciphertexts(const Parameters& parameters, KeyId id, size_t n)
      : id_(id), n_words_(parameters.extracted_dimension() + size_t{1}), words_(n * n_words_) {}

  [[nodiscard]] auto id() const -> KeyId { return id_; }
  [[nodiscard]] auto size() const -> size_t { return n_words_ == 0 ? 0 : words_.size() / n_words_; }
  /// Words of a ciphertext.
  [[nodiscard]] auto n_words() const -> size_t { return n_words_; }
  [[nodiscard]] auto at(size_t i) -> Torus* { return words_.data() + i * n_words_; }
  [[nodiscard]] auto at(size_t i) const -> const Torus* { return words_.data() + i * n_words_; }

 private:
  KeyId id_ = 0;
  size_t n_words_ = 0;
  std::vector<Torus> words_;
};

}  // namespace tacet::cggi
