#pragma once

#include "engine/he/key_generation.h"
#include "engine/he/sampling.h"
#include "engine/he_joint/party.h"

/// The keys that anyone may have, made by all parties of a session. Each is what one party with the
/// sum of their secrets would make, but for its errors, which are larger (`NoiseModel`).
namespace tacet::he::joint {

/// Public key, one round: -(a s_i + e_i), which add up to -(a s + e). O(k n log n).
auto share_public_key(const Context& context, Party& party, SecureRandom& random)
    -> Result<Message>;
auto combine_public_key(const Context& context, const Session& session,
                        std::span<const Message> shares) -> Result<PublicKey>;

/// The ternary polynomial that a party draws for the two rounds of a relinearisation key. Wiped
/// when freed.
class EphemeralSecret {
 public:
  EphemeralSecret(SmallPolynomial polynomial, size_t n_primes)
      : polynomial_(std::move(polynomial)), n_primes_(n_primes) {}

  [[nodiscard]] auto polynomial() const -> const SmallPolynomial& { return polynomial_; }
  [[nodiscard]] auto n_primes() const -> size_t { return n_primes_; }

 private:
  SmallPolynomial polynomial_;
  size_t n_primes_;
};

struct RelinearisationFirst {
  Message message;
  EphemeralSecret ephemeral;
};

/// Relinearisation key for ciphertexts of up to `n_primes` data primes, or of all; two rounds. With
/// the ephemeral u_i and the gadget g, a party sends, for each digit,
///   first    h_i = -u_i a + g s_i + e_0i  and  k_i = s_i a + e_1i;  their sums over i are h and k;
///   second   s_i h + (u_i - s_i) k + e_2i.
/// The key is the sum of the latter, and k. It has the error s e_0 + u e_1 + e_2. Deviation from
/// protocol 2 of the paper: the parts s_i h and (u_i - s_i) k are sent as one sum, with one error
/// in place of two.
auto share_relinearisation_first(const Context& context, Party& party, SecureRandom& random,
                                 size_t n_primes = 0) -> Result<RelinearisationFirst>;
auto share_relinearisation_second(const Context& context, Party& party, EphemeralSecret ephemeral,
                                  std::span<const Message> first, SecureRandom& random)
    -> Result<Message>;
auto combine_relinearisation_key(const Context& context, const Session& session,
                                 std::span<const Message> first, std::span<const Message> second,
                                 size_t n_primes = 0) -> Result<RelinearisationKey>;

/// Keys for exactly these automorphisms, one round. All parties pass the same requests, which are
/// sorted and merged as `generate_requested_keys` does.
auto share_rotation_keys(const Context& context, Party& party,
                         std::vector<RotationKeyRequest> requests, SecureRandom& random)
    -> Result<Message>;
auto combine_rotation_keys(const Context& context, const Session& session,
                           std::vector<RotationKeyRequest> requests,
                           std::span<const Message> shares) -> Result<RotationKeys>;

}  // namespace tacet::he::joint
