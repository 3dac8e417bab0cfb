#pragma once

#include "engine/he_joint/party.h"

/// Sessions in which `threshold` of the parties decrypt (Mouchet, Bertrand and Hubaux, "An
/// Efficient Threshold Access-Structure for RLWE-Based Multiparty Homomorphic Encryption", eprint
/// 2022/780): each party shares its secret among all by Shamir's scheme over R_Q. Then a party's
/// part of the joint secret is the sum of its shares times a weight that depends on who takes part,
/// so that those are known before any sends its share of a decryption. All parties must make the
/// keys.
namespace tacet::he::joint {

/// A party's messages to all, itself included, each for the eyes of its receiver alone: encrypt
/// them on their way. threshold k n products for each.
auto share_secret(const Context& context, Party& party, SecureRandom& random)
    -> Result<std::vector<Message>>;
/// Gives a party the shares of all parties for it.
auto accept_shares(const Context& context, Party& party, std::span<const Message> shares) -> Status;

}  // namespace tacet::he::joint
