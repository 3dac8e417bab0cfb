#include "engine/he_joint_runtime/make_joint_keys.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "engine/he/digest.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint/secret_sharing.h"

namespace tacet::engine {

using he::joint::Digest;
using he::joint::Message;
using he::joint::Party;
using he::joint::Session;

namespace {

constexpr size_t kSeedBytes = 32;

/// Of so many at a time messages are in memory, of all parties.
constexpr size_t kKeysARound = 8;

auto secure(std::span<const std::byte> bytes) -> SecureBytes {
  return {bytes.begin(), bytes.end()};
}

auto commitment_of(net::Rank party, std::span<const std::byte> binding,
                   std::span<const std::byte> nonce) -> Digest {
  he::Digester digester;
  digester.add("tacet joint commitment 1");
  digester.add_bytes(binding);
  digester.add(party);
  digester.add_bytes(nonce);
  return digester.finish();
}

auto seed_from(he::Digester& digester) -> he::PublicSeed {
  const Digest digest = digester.finish();
  he::PublicSeed seed;
  static_assert(sizeof(seed.bytes) == sizeof(digest));
  std::memcpy(seed.bytes.data(), digest.data(), digest.size());
  return seed;
}

/// The steps of one part.
class KeyMaking {
 public:
  KeyMaking(JointLinks& links, const he::Context& context, const Session& session, Party& party,
            he::SecureRandom& random)
      : links_(links), context_(context), session_(session), party_(party), random_(random) {}

  auto share_secrets() -> Status {
    Result<std::vector<Message>> own = share_secret(context_, party_, random_);
    if (!own) {
      return links_.fail(own.error());
    }
    Result<std::vector<Message>> received = links_.distribute(context_, *own);
    if (!received) {
      return received.error();
    }
    Status accepted = accept_shares(context_, party_, *received);
    return accepted ? accepted : Status(links_.fail(accepted.error()));
  }

  auto public_key(he::PublicKey& key) -> Status {
    Result<std::vector<Message>> all = exchange(share_public_key(context_, party_, random_));
    return all ? take(combine_public_key(context_, session_, *all), key) : Status(all.error());
  }

  auto relinearisation_key(size_t n_primes, he::RelinearisationKey& key) -> Status {
    Result<he::joint::RelinearisationFirst> own =
        share_relinearisation_first(context_, party_, random_, n_primes);
    if (!own) {
      return links_.fail(own.error());
    }
    Result<std::vector<Message>> first = links_.exchange(context_, own->message);
    if (!first) {
      return first.error();
    }
    Result<std::vector<Message>> second = exchange(
        share_relinearisation_second(context_, party_, std::move(own->ephemeral), *first, random_));
    return second ? take(combine_relinearisation_key(context_, session_, *first, *second, n_primes),
                         key)
                  : Status(second.error());
  }

  auto rotation_keys(std::vector<he::RotationKeyRequest> requests, he::RotationKeys& keys,
                     const HeProgress& progress) -> Status {
    std::sort(requests.begin(), requests.end(),
              [](const auto& a, const auto& b) { return a.galois_element < b.galois_element; });
    for (size_t at = 0; at < requests.size(); at += kKeysARound) {
      const auto begin = requests.begin() + static_cast<ptrdiff_t>(at);
      const std::vector<he::RotationKeyRequest> some(
          begin, begin + static_cast<ptrdiff_t>(std::min(kKeysARound, requests.size() - at)));
      Result<std::vector<Message>> all =
          exchange(share_rotation_keys(context_, party_, some, random_));
      if (!all) {
        return all.error();
      }
      he::RotationKeys made;
      if (Status taken = take(combine_rotation_keys(context_, session_, some, *all), made);
          !taken) {
        return taken;
      }
      std::move(made.entries.begin(), made.entries.end(), std::back_inserter(keys.entries));
      keys.key_id = made.key_id;
      keys.parameters = made.parameters;
      if (progress) {
        progress(std::min(at + kKeysARound, requests.size()), requests.size());
      }
    }
    return std::monostate{};
  }

 private:
  auto exchange(Result<Message> own) -> Result<std::vector<Message>> {
    return own ? links_.exchange(context_, *own)
               : Result<std::vector<Message>>(links_.fail(own.error()));
  }

  template <class Key>
  auto take(Result<Key> made, Key& key) -> Status {
    if (!made) {
      return links_.fail(made.error());
    }
    key = std::move(*made);
    return std::monostate{};
  }

  JointLinks& links_;
  const he::Context& context_;
  const Session& session_;
  Party& party_;
  he::SecureRandom& random_;
};

}  // namespace

auto agree_on_seed(JointLinks& links, std::span<const std::byte> binding, he::SecureRandom& random)
    -> Result<he::PublicSeed> {
  SecureBytes nonce(kSeedBytes);
  random.fill(nonce);
  Result<std::vector<SecureBytes>> commitments =
      links.exchange(secure(commitment_of(links.rank(), binding, nonce)));
  if (!commitments) {
    return commitments.error();
  }
  Result<std::vector<SecureBytes>> nonces = links.exchange(nonce);
  if (!nonces) {
    return nonces.error();
  }
  he::Digester digester;
  digester.add("tacet joint seed of parties 1");
  digester.add_bytes(binding);
  for (net::Rank party = 0; party < links.n_parties(); ++party) {
    if (secure(commitment_of(party, binding, (*nonces)[party])) != (*commitments)[party]) {
      return links.fail(party, "sent another random number than it had committed itself to");
    }
    digester.add_bytes((*nonces)[party]);
  }
  return seed_from(digester);
}

auto seed_of_part(const he::PublicSeed& seed, size_t part) -> he::PublicSeed {
  he::Digester digester;
  digester.add("tacet joint seed of part 1");
  digester.add_bytes(std::as_bytes(std::span(seed.bytes)));
  digester.add(part);
  return seed_from(digester);
}

auto make_joint_keys(JointLinks& links, const HeFacts& facts, const he::Context& context,
                     const Session& session, he::SecureRandom& random, const HeProgress& progress)
    -> Result<JointKeys> {
  if (session.n_parties() != links.n_parties()) {
    return links.fail(Error{"the key has another number of holders than there are parties"});
  }
  Result<Party> party = Party::make(context, session, links.rank(), random);
  if (!party) {
    return links.fail(party.error());
  }
  HeEvaluationKeys keys;
  KeyMaking making(links, context, session, *party, random);
  Status status =
      session.threshold() < session.n_parties() ? making.share_secrets() : Status(std::monostate{});
  if (status) {
    status = making.public_key(keys.encryption);
  }
  if (const size_t n_primes = relinearisation_primes(facts, context); status && n_primes != 0) {
    status = making.relinearisation_key(n_primes, keys.relinearisation);
  }
  if (status) {
    status = making.rotation_keys(rotation_keys(facts, context), keys.rotations, progress);
  }
  if (!status) {
    return status.error();
  }
  return JointKeys{.party = std::move(*party), .keys = std::move(keys)};
}

}  // namespace tacet::engine
