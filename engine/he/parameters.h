#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/he_model/noise_bounds.h"
#include "engine/he_model/noise_model.h"
#include "engine/ring/modulus.h"

namespace tacet::he {

using ring::Modulus;

/// What somebody wants; `make_parameters` says whether it can be had.
struct ParameterRequest {
  Scheme scheme = Scheme::Bfv;
  /// N, a power of two.
  size_t ring_dimension = 0;
  /// Bits of the primes that ciphertexts live modulo. They are dropped from the last to the first.
  std::vector<unsigned> data_prime_bits;
  /// Bits of the primes that only keys are modulo: as many as the data primes of one digit of key
  /// switching. None: no key switching, so neither relinearisation nor rotation.
  std::vector<unsigned> special_prime_bits;
  /// t, prime to the other primes. Slots need a prime that is 1 modulo 2N. None for CKKS.
  uint64_t plain_modulus = 0;
  Security security = Security::Bits128;
  /// Parties whose keys are added for one that only all of them have (`engine/he_joint`): secret
  /// and errors are as many times as large, which estimates of noise take into account.
  unsigned n_key_holders = 1;
};

/// What identifies parameters: two sides agree on objects if they agree on this.
using ParameterDigest = std::array<std::byte, 32>;

/// Parameters that keep their promise of security, or were made without one on purpose.
class Parameters {
 public:
  [[nodiscard]] auto scheme() const -> Scheme { return scheme_; }
  [[nodiscard]] auto ring_dimension() const -> size_t { return n_; }
  [[nodiscard]] auto data_primes() const -> const std::vector<uint64_t>& { return data_; }
  [[nodiscard]] auto special_primes() const -> const std::vector<uint64_t>& { return special_; }
  /// 0 for CKKS.
  [[nodiscard]] auto plain_modulus() const -> uint64_t { return plain_modulus_; }
  /// Whether vectors of N numbers modulo t can be encoded, or N/2 complex ones.
  [[nodiscard]] auto has_slots() const -> bool;
  /// log2 of the product of all primes.
  [[nodiscard]] auto modulus_bits() const -> double;
  /// Nothing: for tests alone.
  [[nodiscard]] auto security() const -> std::optional<Security> { return security_; }
  [[nodiscard]] auto n_key_holders() const -> unsigned { return n_key_holders_; }
  [[nodiscard]] auto digest() const -> const ParameterDigest& { return digest_; }

  friend auto operator==(const Parameters& a, const Parameters& b) -> bool {
    return a.digest_ == b.digest_;
  }

 private:
  friend auto make_parameters(const ParameterRequest& request) -> Result<Parameters>;
  friend auto insecure_test_parameters(const ParameterRequest& request) -> Result<Parameters>;
  friend class ParameterCodec;

  Scheme scheme_{};
  size_t n_ = 0;
  std::vector<uint64_t> data_;
  std::vector<uint64_t> special_;
  uint64_t plain_modulus_ = 0;
  std::optional<Security> security_;
  unsigned n_key_holders_ = 1;
  ParameterDigest digest_{};
};

/// The largest primes of the requested sizes, all different, 1 modulo 2N and below 2^50. An error
/// says what part of the request is impossible; too large a modulus for the security is one.
auto make_parameters(const ParameterRequest& request) -> Result<Parameters>;

/// The same without any promise of security, from N = 64 on: the switch that tests need. Secrets
/// under such parameters are no secrets.
auto insecure_test_parameters(const ParameterRequest& request) -> Result<Parameters>;

/// How noise grows under these parameters.
auto noise_model_of(const Parameters& parameters) -> NoiseModel;
/// What it can be at most.
auto noise_bounds_of(const Parameters& parameters) -> NoiseBounds;

/// A request of the largest modulus that `security` allows, split into primes of one size with one
/// special prime; t of `plain_bits` bits for slots (not for CKKS).
auto default_request(Scheme scheme, size_t ring_dimension, unsigned plain_bits = 20,
                     Security security = Security::Bits128) -> ParameterRequest;

}  // namespace tacet::he
