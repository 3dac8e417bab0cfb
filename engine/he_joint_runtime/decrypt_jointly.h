#pragma once

#include "engine/he_format/bundle.h"
#include "engine/he_joint/party.h"
#include "engine/he_joint_runtime/joint_links.h"
#include "engine/program/he/gather.h"

namespace tacet::engine {

/// Who decrypts, and who learns the results.
struct JointDecryption {
  /// By rank at the links, rising.
  he::joint::PartySet participants;
  /// The only one that learns the results, by rank; or all.
  std::optional<net::Rank> receiver{};
};

/// Whether a ciphertext is what a part of a program gives: one of the joint key, of degree one,
/// with no more noise than the program's results have. Holders flood by the program's bound, and so
/// take nothing that says that it has more.
auto check_joint_result(const HeBundlePart& part, const he::Context& context,
                        const he::joint::Session& session, const he::Ciphertext& result) -> Status;

/// The outputs of a part from its ciphertexts, in the order of `output_elements`, to which this
/// party adds its share: noise, and a mask of slots that no output reads, so that nobody learns
/// more of the others' numbers than the outputs. One round. Nothing for those who are not to learn
/// them.
auto decrypt_jointly(JointLinks& links, const HeBundlePart& part, const he::Context& context,
                     const he::joint::Party& party, const JointDecryption& how,
                     const std::vector<he::Ciphertext>& results, he::SecureRandom& random)
    -> Result<std::optional<HeValues>>;

}  // namespace tacet::engine
