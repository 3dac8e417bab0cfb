#pragma once

#include <string>

#include "engine/he_joint/joint_decryption.h"

namespace tacet::he::joint {

/// How shares of one ciphertext are flooded.
struct Flooding {
  PartySet participants;
  unsigned bits = 0;
  /// log2 of what noise with all floods is at most.
  double bound = 0;
  /// CKKS: log2 of the deviation of the same.
  double deviation = 0;
};

/// Checks ciphertext, participants and modulus.
auto flooding_of(const Context& context, const Session& session, const Ciphertext& ciphertext,
                 const DecryptionTerms& terms) -> Result<Flooding>;

/// How errors call a budget that is not positive: `3 bits are`.
auto missing_bits(double budget) -> std::string;

/// log2 of what the parties take the noise of the ciphertext for at most.
auto noise_bound_of(const Ciphertext& ciphertext, const DecryptionTerms& terms) -> double;

/// secret c_1 with uniform noise, over the ciphertext's primes.
auto flooded_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                   unsigned bits, SecureRandom& random) -> Polynomial;

/// Adds a BFV or BGV message to a transformed polynomial over the first primes, as many as it has
/// rows.
void add_to_rows(const Context& context, const Plaintext& message, uint64_t correction,
                 Rows& transformed);

/// c_0 + share
auto phase_with(const Context& context, const Ciphertext& ciphertext, Rows share) -> Rows;

/// Of a BFV or BGV phase, transformed.
auto message_of_phase(const Context& context, const Ciphertext& ciphertext, Rows phase)
    -> Plaintext;

}  // namespace tacet::he::joint
