#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "engine/he/bootstrapping/linear_transform.h"
#include "engine/he_model/bootstrapping.h"

namespace tacet::he {

/// What bootstrapping needs beside keys for products and rotations.
struct BootstrappingKeys {
  /// To a sparse secret that is drawn for this, modulo the first data prime and one special prime.
  KeySwitchKey to_sparse;
  /// And back, for all data primes.
  KeySwitchKey to_dense;
  KeyId key_id = 0;
  ParameterDigest parameters{};
};

/// Gives ciphertexts of real numbers under CKKS new primes: slots to coefficients while few primes
/// are left, so that one ciphertext carries all slots; then the modulus is raised under a sparse
/// secret ("encapsulation"), coefficients become slots, and a sine takes the multiples of the first
/// prime away.
///
/// Slots that are larger than the stated bound, or not real, give a wrong result, and nothing
/// tells.
class Bootstrapper {
 public:
  struct Options {
    BootstrappingShape shape;
    /// Data primes of results; all others beyond are for bootstrapping.
    size_t n_result_primes = 0;
    /// Of operands that are brought to `shape.n_operand_primes()` primes.
    double operand_scale = 1;
    /// Of results.
    double result_scale = 1;
    /// Of the slots of operands, the bounds that may be used; rounded up to powers of two.
    std::vector<double> bounds{1};
  };

  /// An error if the parameters are not CKKS, have no special primes, other numbers of primes than
  /// these, or a ring in which the sparse secret would not be secure though they promise security.
  /// Takes as long as some 100 plaintexts to encode. `context` must live as long.
  static auto make(const Context& context, const Options& options) -> Result<Bootstrapper>;

  /// The keys that are needed beside `BootstrappingKeys`.
  [[nodiscard]] auto rotation_requests() const -> std::vector<RotationKeyRequest>;
  [[nodiscard]] auto n_relinearisation_primes() const -> size_t;

  [[nodiscard]] auto generate_keys(const SecretKey& secret, SecureRandom& random) const
      -> Result<BootstrappingKeys>;

  /// `a` with `n_result_primes` primes. It must have at least `n_operand_primes()`, and where it
  /// has just as many, the operand scale. `bound` is a bound of all slots, one of
  /// `Options::bounds`.
  [[nodiscard]] auto bootstrap(Ciphertext a, double bound, const BootstrappingKeys& keys,
                               const RelinearisationKey& relinearisation,
                               const RotationKeys& rotations) const -> Result<Ciphertext>;

 private:
  [[nodiscard]] auto to_coefficients(Ciphertext a, int log_bound,
                                     const RotationKeys& rotations) const -> Result<Ciphertext>;
  [[nodiscard]] auto raised(const Ciphertext& a, const BootstrappingKeys& keys) const -> Ciphertext;

  const Context* context_ = nullptr;
  Options options_;
  ContextRef encapsulation_;                      ///< the first data prime and one special prime
  std::vector<LinearTransform> to_coefficients_;  ///< but for the last factor
  std::map<int, LinearTransform> last_to_coefficients_;  ///< by log2 of the bound
  std::vector<LinearTransform> to_slots_;
};

}  // namespace tacet::he
