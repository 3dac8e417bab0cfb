#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "engine/he/bootstrapping/linear_transform.h"
#include "engine/he_model/bootstrapping.h"

namespace tacet::he {

/// Whether parameters can be used so: for CKKS, with special primes and these primes of results,
/// and, where they promise security, in a ring in which the sparse secret is secure.
auto check_bootstrapping(const Context& context, const BootstrappingShape& shape,
                         size_t n_result_primes) -> Status;

/// The keys that bootstrapping needs, for parameters that it can be used with: for rotations, for
/// relinearisation of up to so many primes, and its own.
auto bootstrapping_rotations(const Context& context, const BootstrappingShape& shape)
    -> std::vector<RotationKeyRequest>;
auto bootstrapping_relinearisation_primes(const Context& context, const BootstrappingShape& shape)
    -> size_t;
/// The parameters of the sparse secret: the first data prime and one special prime.
auto encapsulation_context(const Context& context) -> Result<ContextRef>;
auto generate_bootstrapping_keys(const Context& context, const SecretKey& secret,
                                 SecureRandom& random) -> Result<BootstrappingKeys>;

/// Gives ciphertexts of real numbers under CKKS new primes: slots to coefficients while few primes
/// are left, so that one ciphertext carries all slots; then the modulus is raised under a sparse
/// secret ("encapsulation"), coefficients become slots, and a sine takes the multiples of the first
/// prime away.
///
/// Slots that are larger than the stated bound, or not real, give a wrong result without an error:
/// they are encrypted.
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
    /// Of the slots of operands, the bounds that may be used; rounded up (`rounded_bound`).
    std::vector<double> bounds{1};
  };

  /// An error if `check_bootstrapping` finds one. Takes as long as some 100 plaintexts to encode.
  /// `context` must live as long.
  static auto make(const Context& context, const Options& options) -> Result<Bootstrapper>;

  /// `a` with `n_result_primes` primes. It must have at least `n_operand_primes()`, and where it
  /// has just as many, the operand scale. `bound` is a bound of all slots, one of
  /// `Options::bounds`.
  [[nodiscard]] auto bootstrap(Ciphertext a, double bound, const BootstrappingKeys& keys,
                               const RelinearisationKey& relinearisation,
                               const RotationKeys& rotations) const -> Result<Ciphertext>;

 private:
  [[nodiscard]] auto to_coefficients(Ciphertext a, int bound_step,
                                     const RotationKeys& rotations) const -> Result<Ciphertext>;
  [[nodiscard]] auto raised(const Ciphertext& a, const BootstrappingKeys& keys) const -> Ciphertext;

  const Context* context_ = nullptr;
  Options options_;
  ContextRef encapsulation_;                      ///< the first data prime and one special prime
  std::vector<LinearTransform> to_coefficients_;  ///< but for the last factor
  std::map<int, LinearTransform> last_to_coefficients_;  ///< by the step of the bound
  std::vector<LinearTransform> to_slots_;
};

}  // namespace tacet::he
