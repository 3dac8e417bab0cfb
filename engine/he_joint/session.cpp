#include "engine/he_joint/session.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "engine/he/digest.h"

namespace tacet::he::joint {

auto PartySet::members() const -> std::vector<unsigned> {
  std::vector<unsigned> result;
  for (uint64_t rest = bits_; rest != 0; rest &= rest - 1) {
    result.push_back(static_cast<unsigned>(std::countr_zero(rest)));
  }
  return result;
}

auto Session::make(const Context& context, const PublicSeed& seed, unsigned threshold)
    -> Result<Session> {
  const Parameters& parameters = context.parameters();
  const unsigned n = parameters.n_key_holders();
  if (n < 2) {
    return Error{
        "the parameters are for a key that one party holds; set `n_key_holders` to the number of "
        "parties"};
  }
  if (threshold > n || threshold == 1) {
    return Error{
        fmt::format("{} of {} parties cannot be required to decrypt; at least two must "
                    "be, and at most all",
                    threshold, n)};
  }
  Session session;
  session.n_parties_ = n;
  session.threshold_ = threshold == 0 ? n : threshold;
  session.seed_ = seed;
  session.parameters_ = parameters.digest();
  Digester digester;
  digester.add("tacet joint keys 1");
  digester.add_bytes(parameters.digest());
  digester.add(session.n_parties_);
  digester.add(session.threshold_);
  digester.add_bytes(seed.bytes);
  session.digest_ = digester.finish();
  return session;
}

auto Session::key_id() const -> KeyId {
  KeyId id = 0;
  std::memcpy(&id, digest_.data(), sizeof(id));
  return id;
}

auto Session::seed_of(const Digest& subject) const -> PublicSeed {
  Digester digester;
  digester.add("tacet joint seed 1");
  digester.add_bytes(digest_);
  digester.add_bytes(seed_.bytes);
  digester.add_bytes(subject);
  const Digest digest = digester.finish();
  PublicSeed seed;
  static_assert(sizeof(seed.bytes) == sizeof(digest));
  std::memcpy(seed.bytes.data(), digest.data(), digest.size());
  return seed;
}

auto subject_of(std::string_view what, std::initializer_list<uint64_t> numbers) -> Digest {
  Digester digester;
  digester.add(what);
  for (const uint64_t number : numbers) {
    digester.add(number);
  }
  return digester.finish();
}

static void digest_rows(Digester& digester, const Rows& rows) {
  digester.add(rows.n_rows());
  for (size_t i = 0; i < rows.n_rows(); ++i) {
    digester.add_bytes(std::as_bytes(std::span(rows.row(i), rows.n())));
  }
}

auto digest_of(const Context& context, const Ciphertext& ciphertext) -> Digest {
  Digester digester;
  digester.add("ciphertext");
  digester.add_bytes(context.parameters().digest());
  const CiphertextMetadata& metadata = ciphertext.metadata;
  digester.add(metadata.key_id);
  digester.add(metadata.correction);
  for (const double number :
       {metadata.scale, metadata.magnitude, metadata.noise, metadata.n_noise_factors}) {
    digester.add(std::bit_cast<uint64_t>(number));
  }
  digester.add(ciphertext.parts.size());
  for (const Rows& part : ciphertext.parts) {
    digest_rows(digester, part);
  }
  return digester.finish();
}

auto digest_of(const Context& context, const PublicKey& key) -> Digest {
  Digester digester;
  digester.add("public key");
  digester.add_bytes(context.parameters().digest());
  digester.add(key.key_id);
  for (const Rows& part : key.parts) {
    digest_rows(digester, part);
  }
  return digester.finish();
}

}  // namespace tacet::he::joint
