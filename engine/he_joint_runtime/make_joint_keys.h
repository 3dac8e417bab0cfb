#pragma once

#include "engine/he_joint/party.h"
#include "engine/he_joint_runtime/joint_links.h"
#include "engine/he_runtime/keys.h"

namespace tacet::engine {

/// A seed for sessions that nobody chose: all parties commit themselves to random bytes before any
/// shows them. `binding` is what all have alike, a digest of the program for instance. Two rounds.
auto agree_on_seed(JointLinks& links, std::span<const std::byte> binding, he::SecureRandom& random)
    -> Result<he::PublicSeed>;

/// That of one of the parts of a program.
auto seed_of_part(const he::PublicSeed& seed, size_t part) -> he::PublicSeed;

/// What a key holder has at the end: its share of the secret, and the keys that all have.
struct JointKeys {
  he::joint::Party party;
  HeEvaluationKeys keys;
};

/// Makes a secret of this party, and with all others the keys that a program needs, the public one
/// always: one round for it, one for the shares of secrets if there is a threshold, two for a
/// relinearisation key, one for every few rotation keys. All parties are at the links, by number.
auto make_joint_keys(JointLinks& links, const HeFacts& facts, const he::Context& context,
                     const he::joint::Session& session, he::SecureRandom& random,
                     const HeProgress& progress = {}) -> Result<JointKeys>;

}  // namespace tacet::engine
