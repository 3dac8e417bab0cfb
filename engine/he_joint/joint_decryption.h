#pragma once

#include "engine/he_joint/party.h"

/// What the parties of a session do with a ciphertext: decrypt it, or hand it over to another key.
///
/// A share s_i c_1 of a decryption would reveal, with the message, the ciphertext's noise, which
/// depends on keys and on everything computed. Uniform noise is added to it that is 2^40 N times as
/// wide (`NoiseBounds::flooding_bits`), by each party, as all others might know each other's.
namespace tacet::he::joint {

/// What the parties agree on beside the ciphertext.
struct DecryptionTerms {
  /// Who takes part: all if it is empty; of a session with a threshold, at least so many.
  PartySet participants;
  /// log2 of a bound of the noise that parties know of the program that they agreed on. The noise
  /// to hide is taken to be as large as this, and as ten deviations of the ciphertext's own
  /// estimate, which is what its sender says.
  double noise_bound = 0;
};

/// What a party adds to its share of a decryption beside the noise: a message of BFV or BGV, zero
/// in the slots that all may read. As all others may know each other's, each draws its own.
using DecryptionMask = const Plaintext*;

/// The width of the noise that each participant adds, in bits. An error if the modulus does not
/// hold it; it says by how many bits.
auto flooding_bits(const Context& context, const Session& session, const Ciphertext& ciphertext,
                   const DecryptionTerms& terms) -> Result<unsigned>;

struct DecryptedMessage {
  Plaintext plaintext;
  /// CKKS: what no slot is off by more than, with the noise that hides the ciphertext's.
  double error = 0;
};

/// A party's share of a decryption: who has those of all participants has the message, or its sum
/// with the masks of those that gave one. To let one receiver alone have it, send it to that one
/// alone, or switch to the receiver's key. Errors for a ciphertext of another key or of degree two,
/// and where the noise does not fit. O(k n log n).
auto share_decryption(const Context& context, const Party& party, const Ciphertext& ciphertext,
                      const DecryptionTerms& terms, SecureRandom& random,
                      DecryptionMask mask = nullptr) -> Result<Message>;
auto combine_decryption(const Context& context, const Session& session,
                        const Ciphertext& ciphertext, const DecryptionTerms& terms,
                        std::span<const Message> shares) -> Result<DecryptedMessage>;

/// A party's share of the same message under a receiver's key, which may be one party's, an
/// outsider's, or a joint one: s_i c_1 + u_i p_0 and u_i p_1 with noise, for the public key p. The
/// receiver generates its key under the same parameters. What is combined belongs to that key, and
/// has the noise that hides the ciphertext's. Only the receiver learns the message.
auto share_key_switching(const Context& context, const Party& party, const Ciphertext& ciphertext,
                         const PublicKey& receiver, const DecryptionTerms& terms,
                         SecureRandom& random) -> Result<Message>;
auto combine_key_switching(const Context& context, const Session& session,
                           const Ciphertext& ciphertext, const PublicKey& receiver,
                           const DecryptionTerms& terms, std::span<const Message> shares)
    -> Result<Ciphertext>;

}  // namespace tacet::he::joint
