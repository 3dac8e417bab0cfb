#include "engine/he_joint_runtime/decrypt_jointly.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/he_joint/joint_decryption.h"
#include "engine/he_runtime/hide_results.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

using he::joint::Message;
using he::joint::Party;

/// In bits, for what estimates are rounded by.
static constexpr double kNoiseSlack = 0.05;

auto check_joint_result(const HeBundlePart& part, const he::Context& context,
                        const he::joint::Session& session, const he::Ciphertext& result) -> Status {
  if (Status status = he::joint::check_ciphertext(context, session, result); !status) {
    return status;
  }
  const double largest = result.metadata.noise + std::log2(10);
  if (largest > part.noise_bound + kNoiseSlack) {
    return Error{
        fmt::format("a ciphertext says that it has up to {:.1f} bits of noise, but results of the "
                    "program have at most {:.1f}; it was computed otherwise",
                    largest, part.noise_bound)};
  }
  return std::monostate{};
}

/// What the slots of one result are, with masks.
static auto slots_of(const he::Context& context, const Party& party,
                     const he::joint::DecryptionTerms& terms, const he::Ciphertext& result,
                     const std::vector<Message>& shares) -> Result<HeSlots> {
  Result<he::joint::DecryptedMessage> message =
      combine_decryption(context, party.session(), result, terms, shares);
  return message ? SlotCodec(context).decode(message->plaintext) : Result<HeSlots>(message.error());
}

auto decrypt_jointly(JointLinks& links, const HeBundlePart& part, const he::Context& context,
                     const Party& party, const JointDecryption& how,
                     const std::vector<he::Ciphertext>& results, he::SecureRandom& random)
    -> Result<std::optional<HeValues>> {
  const size_t n_results = output_elements(part.program).size();
  if (results.size() != n_results) {
    return links.fail(Error{
        fmt::format("the program returns {} ciphertexts, but got {}", n_results, results.size())});
  }
  const Result<ResultMasks> hiding = ResultMasks::make(part.program, context);
  if (!hiding) {
    return links.fail(hiding.error());
  }
  Result<std::vector<he::Plaintext>> masks = hiding.value().draw(random);
  if (!masks) {
    return links.fail(masks.error());
  }
  const he::joint::DecryptionTerms terms{.participants = how.participants,
                                         .noise_bound = part.noise_bound};
  std::vector<Message> own;
  for (size_t i = 0; i < results.size(); ++i) {
    Status is_good = check_joint_result(part, context, party.session(), results[i]);
    Result<Message> share =
        is_good ? share_decryption(context, party, results[i], terms, random, &(*masks)[i])
                : Result<Message>(is_good.error());
    if (!share) {
      return links.fail(share.error());
    }
    own.push_back(std::move(*share));
  }
  Result<std::vector<std::vector<Message>>> shares = links.exchange(context, own, how.receiver);
  if (!shares) {
    return shares.error();
  }
  if (how.receiver && *how.receiver != links.rank()) {
    return std::optional<HeValues>();
  }
  std::vector<HeSlots> slots;
  for (size_t i = 0; i < results.size(); ++i) {
    Result<HeSlots> decrypted = slots_of(context, party, terms, results[i], (*shares)[i]);
    if (!decrypted) {
      return links.fail(decrypted.error());
    }
    slots.push_back(std::move(*decrypted));
  }
  return std::optional(outputs_of_slots(part.program, std::move(slots)));
}

}  // namespace tacet::engine
