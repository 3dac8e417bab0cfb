#include "engine/he_joint_runtime/run_jointly.h"

#include <algorithm>
#include <iterator>

#include "base/cpu.h"
#include "engine/he_joint/joint_decryption.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint_runtime/decrypt_jointly.h"
#include "engine/he_runtime/hide_results.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

using he::joint::Message;
using he::joint::Party;
using he::joint::Session;

namespace {

/// The sum of what all parties send in a step, each as it is made: many would not fit the memory.
class LocalStep {
 public:
  LocalStep(const he::Context& context, LocalHolders& holders)
      : context_(context), holders_(holders) {}

  template <class Share>
  auto sum(const Share& share) -> Result<Message> {
    std::vector<Message> sum;
    for (Party& party : holders_.parties) {
      Result<Message> message = share(party);
      if (!message) {
        return message.error();
      }
      if (Status counted = count(*message, party); !counted) {
        return counted.error();
      }
      sum.push_back(std::move(*message));
      if (sum.size() == 2) {
        Result<Message> merged = merge(context_, sum);
        if (!merged) {
          return merged.error();
        }
        sum.clear();
        sum.push_back(std::move(*merged));
      }
    }
    return std::move(sum.front());
  }

 private:
  /// All parties' messages are of the same length.
  auto count(const Message& message, const Party& party) -> Status {
    if (party.number() != 0) {
      return std::monostate{};
    }
    const Result<SecureBytes> bytes = he::joint::serialise(context_, message);
    if (!bytes) {
      return bytes.error();
    }
    holders_.bytes_sent += bytes.value().size() * (holders_.parties.size() - 1);
    return std::monostate{};
  }

  const he::Context& context_;
  LocalHolders& holders_;
};

template <class Key>
auto take(Result<Key> made, Key& key) -> Status {
  if (!made) {
    return made.error();
  }
  key = std::move(*made);
  return std::monostate{};
}

auto make_relinearisation_key(const he::Context& context, LocalHolders& holders, size_t n_primes,
                              he::SecureRandom& random) -> Status {
  const Session session = holders.parties.front().session();
  std::vector<he::joint::EphemeralSecret> ephemeral;
  Result<Message> first = LocalStep(context, holders).sum([&](Party& party) -> Result<Message> {
    auto made = share_relinearisation_first(context, party, random, n_primes);
    if (!made) {
      return made.error();
    }
    ephemeral.push_back(std::move(made->ephemeral));
    return std::move(made->message);
  });
  if (!first) {
    return first.error();
  }
  const std::span<const Message> sum(&*first, 1);
  Result<Message> second = LocalStep(context, holders).sum([&](Party& party) {
    return share_relinearisation_second(context, party, std::move(ephemeral[party.number()]), sum,
                                        random);
  });
  return second ? take(combine_relinearisation_key(context, session, sum,
                                                   std::span<const Message>(&*second, 1), n_primes),
                       holders.keys.relinearisation)
                : Status(second.error());
}

/// One at a time: messages of all would not fit the memory.
auto make_rotation_key(const he::Context& context, LocalHolders& holders,
                       const he::RotationKeyRequest& request, he::SecureRandom& random) -> Status {
  Result<Message> sum = LocalStep(context, holders).sum([&](Party& party) {
    return share_rotation_keys(context, party, {request}, random);
  });
  he::RotationKeys made;
  Status taken = sum ? take(combine_rotation_keys(context, holders.parties.front().session(),
                                                  {request}, std::span<const Message>(&*sum, 1)),
                            made)
                     : Status(sum.error());
  if (!taken) {
    return taken;
  }
  he::RotationKeys& keys = holders.keys.rotations;
  std::move(made.entries.begin(), made.entries.end(), std::back_inserter(keys.entries));
  keys.key_id = made.key_id;
  keys.parameters = made.parameters;
  return std::monostate{};
}

}  // namespace

auto make_keys_here(const HeFacts& facts, const he::Context& context) -> Result<LocalHolders> {
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  Result<Session> session = Session::make(context, he::PublicSeed::draw(*random));
  if (!session) {
    return session.error();
  }
  LocalHolders holders;
  for (unsigned number = 0; number < session->n_parties(); ++number) {
    Result<Party> party = Party::make(context, *session, number, *random);
    if (!party) {
      return party.error();
    }
    holders.parties.push_back(std::move(*party));
  }
  Result<Message> sum = LocalStep(context, holders).sum([&](Party& party) {
    return share_public_key(context, party, *random);
  });
  Status made =
      sum ? take(combine_public_key(context, *session, std::span<const Message>(&*sum, 1)),
                 holders.keys.encryption)
          : Status(sum.error());
  if (const size_t n_primes = relinearisation_primes(facts, context); made && n_primes != 0) {
    made = make_relinearisation_key(context, holders, n_primes, *random);
  }
  std::vector<he::RotationKeyRequest> requests = rotation_keys(facts, context);
  std::sort(requests.begin(), requests.end(),
            [](const auto& a, const auto& b) { return a.galois_element < b.galois_element; });
  for (size_t i = 0; made && i < requests.size(); ++i) {
    made = make_rotation_key(context, holders, requests[i], *random);
  }
  return made ? Result<LocalHolders>(std::move(holders)) : Result<LocalHolders>(made.error());
}

auto decrypt_here(const HeBundlePart& part, const he::Context& context, LocalHolders& holders,
                  const std::vector<he::Ciphertext>& results) -> Result<HeValues> {
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  const Result<ResultMasks> hiding = ResultMasks::make(part.program, context);
  if (!hiding) {
    return hiding.error();
  }
  std::vector<std::vector<he::Plaintext>> masks;  // by party
  for (size_t i = 0; i < holders.parties.size(); ++i) {
    Result<std::vector<he::Plaintext>> own = hiding.value().draw(*random);
    if (!own) {
      return own.error();
    }
    masks.push_back(std::move(*own));
  }
  const Session session = holders.parties.front().session();
  const he::joint::DecryptionTerms terms{.participants = session.parties(),
                                         .noise_bound = part.noise_bound};
  std::vector<HeSlots> slots;
  for (size_t i = 0; i < results.size(); ++i) {
    if (Status good = check_joint_result(part, context, session, results[i]); !good) {
      return good.error();
    }
    Result<Message> sum = LocalStep(context, holders).sum([&](Party& party) {
      return share_decryption(context, party, results[i], terms, *random,
                              &masks[party.number()][i]);
    });
    if (!sum) {
      return sum.error();
    }
    Result<he::joint::DecryptedMessage> message =
        combine_decryption(context, session, results[i], terms, std::span<const Message>(&*sum, 1));
    Result<HeSlots> decoded =
        message ? SlotCodec(context).decode(message->plaintext) : Result<HeSlots>(message.error());
    if (!decoded) {
      return decoded.error();
    }
    slots.push_back(std::move(*decoded));
  }
  return outputs_of_slots(part.program, std::move(slots));
}

}  // namespace tacet::engine
