#include "engine/he_joint_runtime/run_to_shares.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/he/serialisation.h"
#include "engine/he_joint/joint_refresh.h"
#include "engine/he_joint_runtime/decrypt_jointly.h"
#include "engine/he_joint_runtime/make_joint_keys.h"
#include "engine/he_runtime/bundle_values.h"
#include "engine/he_runtime/contributed_inputs.h"
#include "engine/he_runtime/part_parameters.h"
#include "engine/he_runtime/server.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

using he::joint::Message;
using he::joint::Party;
using he::joint::Session;

namespace {

/// For what estimates of noise are rounded by.
constexpr double kEstimateSlack = 0.01;

class SharedRun {
 public:
  SharedRun(JointLinks& links, const HeBundle& bundle, const SharedInputs& inputs,
            he::ContextRef context, he::SecureRandom& random)
      : links_(links),
        bundle_(bundle),
        part_(bundle.parts.front()),
        inputs_(inputs),
        context_(std::move(context)),
        random_(random) {}

  auto run(SharedOutputs& outputs) -> Status {
    Result<HeServer> server =
        HeServer::make(part_.program, context_, values_for(bundle_, part_, inputs_.common));
    if (!server) {
      return links_.fail(server.error());
    }
    const BundleDigest digest = digest_of(bundle_);
    Result<he::PublicSeed> seed = agree_on_seed(links_, digest, random_);
    if (!seed) {
      return seed.error();
    }
    Result<Session> session = Session::make(*context_, seed_of_part(*seed, 0));
    if (!session) {
      return links_.fail(session.error());
    }
    Result<JointKeys> keys = make_joint_keys(links_, server->facts(), *context_, *session, random_);
    if (!keys) {
      return keys.error();
    }
    outputs.key_bytes_sent = links_.bytes_sent() - bytes_before_;
    Result<std::vector<he::Ciphertext>> arguments = exchange_inputs(keys->keys.encryption);
    if (!arguments) {
      return arguments.error();
    }
    Result<std::vector<he::Ciphertext>> results =
        server->evaluate(std::move(*arguments), keys->keys, statistics_);
    if (!results) {
      return links_.fail(results.error());
    }
    return take_shares_of(keys->party, *results, outputs);
  }

 private:
  /// Who supplies an array of the client's; nothing of others.
  [[nodiscard]] auto supplier_of(const HeArray& array) const -> std::optional<net::Rank> {
    const auto found = inputs_.suppliers.find(array.name);
    return array.owner == HeOwner::Client && found != inputs_.suppliers.end()
               ? std::optional(found->second)
               : std::nullopt;
  }

  /// All arrays of this party, encrypted, one behind the other.
  auto own_contributions(const he::PublicKey& key) -> Result<SecureBytes> {
    const HeValues values = values_for(bundle_, part_, inputs_.own);
    SecureBytes bytes;
    for (const HeArray& array : part_.program.arrays) {
      if (supplier_of(array) != links_.rank()) {
        continue;
      }
      const auto found = values.find(array.name);
      if (found == values.end()) {
        return Error{fmt::format("there are no numbers for `{}`", array.name)};
      }
      Result<std::vector<he::Ciphertext>> ciphertexts = encrypt_contribution(
          part_.program, *context_, key, array.name, found->second, random_, statistics_);
      if (!ciphertexts) {
        return ciphertexts.error();
      }
      for (const he::Ciphertext& ciphertext : *ciphertexts) {
        Result<he::Bytes> object = he::serialise(*context_, ciphertext);
        if (!object) {
          return object.error();
        }
        bytes.insert(bytes.end(), object->begin(), object->end());
      }
    }
    return bytes;
  }

  /// No party has more to send than ciphertexts of all arrays.
  [[nodiscard]] auto most_bytes() const -> size_t {
    constexpr size_t kMostOverhead = 4096;
    size_t n = 0;
    for (const HeArray& array : part_.program.arrays) {
      n +=
          array.owner == HeOwner::Client ? contributed_places(part_.program, array.name).size() : 0;
    }
    return n * (2 * context_->n_data() * context_->n() * sizeof(uint64_t) + kMostOverhead);
  }

  /// The parts of an array's ciphertexts that precede the rest of `bytes`, which must be fresh.
  auto read_contribution(const std::string& array, std::span<const std::byte>& bytes)
      -> Result<std::vector<he::Ciphertext>> {
    std::vector<he::Ciphertext> parts(contributed_places(part_.program, array).size());
    const double most_noise = context_->noise().fresh_public() + kEstimateSlack;
    for (he::Ciphertext& part : parts) {
      const Result<he::ObjectHeader> header = he::read_object_header(bytes);
      if (!header || header.value().size > bytes.size()) {
        return Error{"sent inputs that are damaged"};
      }
      Result<he::Ciphertext> read =
          he::deserialise_ciphertext(*context_, bytes.first(header.value().size));
      if (!read) {
        return Error{fmt::format("sent inputs that are damaged: {}", read.error().message)};
      }
      if (!(read->metadata.noise <= most_noise)) {
        return Error{"sent an input that says that it has more noise than new ones"};
      }
      part = std::move(*read);
      bytes = bytes.subspan(header.value().size);
    }
    return parts;
  }

  auto exchange_inputs(const he::PublicKey& key) -> Result<std::vector<he::Ciphertext>> {
    Result<SecureBytes> own = own_contributions(key);
    if (!own) {
      return links_.fail(own.error());
    }
    Result<std::vector<SecureBytes>> all = links_.share_out(*own, most_bytes());
    if (!all) {
      return all.error();
    }
    std::vector<std::optional<he::Ciphertext>> sums(input_elements(part_.program).size());
    for (net::Rank from = 0; from < links_.n_parties(); ++from) {
      std::span<const std::byte> rest = (*all)[from];
      for (const HeArray& array : part_.program.arrays) {
        if (supplier_of(array) != from) {
          continue;
        }
        Result<std::vector<he::Ciphertext>> parts = read_contribution(array.name, rest);
        Status added =
            parts ? add_contribution(part_.program, *context_, array.name, std::move(*parts), sums)
                  : Status(parts.error());
        if (!added) {
          return links_.fail(from, added.error().message);
        }
      }
      if (!rest.empty()) {
        return links_.fail(from, "sent more inputs than it has");
      }
    }
    Result<std::vector<he::Ciphertext>> inputs = added_up(std::move(sums));
    return inputs ? std::move(inputs)
                  : Result<std::vector<he::Ciphertext>>(links_.fail(inputs.error()));
  }

  /// Each party sends what leaves it with its share.
  auto take_shares_of(const Party& party, const std::vector<he::Ciphertext>& results,
                      SharedOutputs& outputs) -> Status {
    const he::joint::DecryptionTerms terms{.participants = party.session().parties(),
                                           .noise_bound = part_.noise_bound};
    std::vector<Message> messages;
    std::vector<he::Plaintext> masks;
    for (const he::Ciphertext& result : results) {
      Status is_good = check_joint_result(part_, *context_, party.session(), result);
      Result<he::joint::OpenedShare> opened =
          is_good ? share_to_shares(*context_, party, result, terms, random_)
                  : Result<he::joint::OpenedShare>(is_good.error());
      if (!opened) {
        return links_.fail(opened.error());
      }
      messages.push_back(std::move(opened->message));
      masks.push_back(std::move(opened->share));
    }
    Result<std::vector<std::vector<Message>>> all = links_.exchange(*context_, messages);
    if (!all) {
      return all.error();
    }
    std::vector<HeSlots> slots;
    for (size_t i = 0; i < results.size(); ++i) {
      Result<he::Plaintext> share = finish_share(*context_, party.session(), party.number(),
                                                 results[i], terms, std::move(masks[i]), (*all)[i]);
      Result<HeSlots> decoded =
          share ? SlotCodec(*context_).decode(*share) : Result<HeSlots>(share.error());
      if (!decoded) {
        return links_.fail(decoded.error());
      }
      slots.push_back(std::move(*decoded));
    }
    take_outputs(outputs_of_slots(part_.program, std::move(slots)), outputs);
    return std::monostate{};
  }

  /// Outputs are sums of slots modulo t: those of shares are shares of those.
  void take_outputs(const HeValues& values, SharedOutputs& outputs) const {
    const auto modulus = static_cast<int64_t>(part_.program.modulus);
    for (const auto& [name, residues] : values) {
      std::vector<uint64_t>& shares = outputs.shares[name];
      for (const double residue : residues) {
        const int64_t rest = static_cast<int64_t>(residue) % modulus;
        shares.push_back(static_cast<uint64_t>(rest + (rest >> 63 & modulus)));
      }
    }
  }

  JointLinks& links_;
  const HeBundle& bundle_;
  const HeBundlePart& part_;
  const SharedInputs& inputs_;
  he::ContextRef context_;
  he::SecureRandom& random_;
  HeStatistics statistics_;
  uint64_t bytes_before_ = links_.bytes_sent();
};

}  // namespace

auto check_sharable(const HeBundle& bundle, unsigned n_parties) -> Status {
  if (bundle.parts.empty() || !bundle.parts.front().program.is_integer()) {
    return Error{
        "results under CKKS are approximate and have no shares; compute with integers, or mark the "
        "function `fn(he, mpc)`, which computes it on shares"};
  }
  if (bundle.parts.size() > 1) {
    return Error{fmt::format(
        "its results need {} plaintext moduli, and shares are taken of one, of up to {} bits; "
        "narrow the bounds of its parameters, or mark the function `fn(he, mpc)`, which computes "
        "it on shares",
        bundle.parts.size(), he::kMaxPlainBits)};
  }
  if (bundle.n_key_holders != n_parties) {
    return Error{fmt::format("it was compiled for {} holders of the key, but there are {} parties",
                             bundle.n_key_holders, n_parties)};
  }
  return std::monostate{};
}

auto run_to_shares(JointLinks& links, const HeBundle& bundle, const SharedInputs& inputs,
                   he::SecureRandom& random) -> Result<SharedOutputs> {
  if (Status sharable = check_sharable(bundle, links.n_parties()); !sharable) {
    return links.fail(sharable.error());
  }
  Result<he::Parameters> parameters = parameters_of(bundle, bundle.parts.front());
  if (!parameters) {
    return links.fail(parameters.error());
  }
  he::Context::Options options;
  options.n_threads = inputs.n_threads;
  SharedOutputs outputs;
  const uint64_t rounds_before = links.n_rounds();
  const uint64_t bytes_before = links.bytes_sent();
  SharedRun run(links, bundle, inputs, he::Context::make(std::move(*parameters), options), random);
  if (Status status = run.run(outputs); !status) {
    return status.error();
  }
  outputs.rounds = links.n_rounds() - rounds_before;
  outputs.bytes_sent = links.bytes_sent() - bytes_before;
  return outputs;
}

}  // namespace tacet::engine
