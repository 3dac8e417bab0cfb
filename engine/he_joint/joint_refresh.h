#pragma once

#include "engine/he_joint/joint_decryption.h"

/// A ciphertext opened under masks of all parties, and encrypted again: for new primes, or for
/// shares of the message.
namespace tacet::he::joint {

/// What makes the uniform polynomial of a fresh ciphertext one of its own. The parties agree on a
/// number that they never use again in the session, a count for instance; `Party` refuses to use
/// one twice.
using FreshNumber = uint64_t;

/// A party's share of a ciphertext of the same message modulo all data primes, one round: with the
/// mask M_i and a of the session,
///   s_i c_1 - M_i, with the noise of a decryption, and -s_i a + M_i + e_i.
/// BFV and BGV: M_i is a uniform message, and the result exact. CKKS: M_i has uniform coefficients
/// that are 2^40 N times as wide as those of the message with its noise, which they hide instead of
/// the noise; slots change by the errors e_i alone, and the scale stays. An error if the modulus
/// holds neither. O(k n log n).
auto share_refresh(const Context& context, Party& party, const Ciphertext& ciphertext,
                   FreshNumber number, const DecryptionTerms& terms, SecureRandom& random)
    -> Result<Message>;
auto combine_refresh(const Context& context, const Session& session, const Ciphertext& ciphertext,
                     FreshNumber number, const DecryptionTerms& terms,
                     std::span<const Message> shares) -> Result<Ciphertext>;

/// BFV, BGV: additive shares modulo t of a message, one round. Each participant draws its own, and
/// sends what lets all others learn just the message less the sum of those; the one with the lowest
/// number adds it to its share.
struct OpenedShare {
  Message message;
  Plaintext share;  ///< wiped when freed
};
auto share_to_shares(const Context& context, const Party& party, const Ciphertext& ciphertext,
                     const DecryptionTerms& terms, SecureRandom& random) -> Result<OpenedShare>;
/// The final share of party `number`, from its own and the messages of all participants.
auto finish_share(const Context& context, const Session& session, unsigned number,
                  const Ciphertext& ciphertext, const DecryptionTerms& terms, Plaintext share,
                  std::span<const Message> messages) -> Result<Plaintext>;

/// BFV, BGV: a ciphertext modulo all data primes of the sum of the parties' shares, one round. All
/// parties take part, or those of `participants`, at least as many as decrypt.
auto share_from_shares(const Context& context, Party& party, const Plaintext& share,
                       FreshNumber number, PartySet participants, SecureRandom& random)
    -> Result<Message>;
auto combine_from_shares(const Context& context, const Session& session, FreshNumber number,
                         PartySet participants, std::span<const Message> messages)
    -> Result<Ciphertext>;

}  // namespace tacet::he::joint
