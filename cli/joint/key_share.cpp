#include "cli/joint/key_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/he_joint/message.h"
#include "engine/he_joint_runtime/make_joint_keys.h"

// Behind the header: the holder's number, the number of holders, the threshold (1 byte each), the
// seed (32); of each part, the secret key, and with a threshold below the number of holders a joint
// share for this holder alone, of the step in which secrets are shared.
namespace tacet::cli {

namespace {

using he::joint::Message;
using he::joint::Party;
using he::joint::Session;

constexpr size_t kFields = 3 + 32;

auto no_key_share(const std::string& name) -> Error {
  return Error{fmt::format("`{}` is not a share of a joint key of this program", name)};
}

auto has_secret_shares(const KeyShare& share, const engine::HeBundle& bundle) -> bool {
  return share.threshold < bundle.n_key_holders;
}

auto read_part_of_share(const he::Context& context, const Session& session, const KeyShare& share,
                        bool is_shared, ObjectRow& row) -> Result<Party> {
  Result<std::span<const std::byte>> stored = row.next();
  if (!stored) {
    return stored.error();
  }
  Result<he::SecretKey> secret = he::deserialise_secret_key(context, *stored);
  if (!secret) {
    return secret.error();
  }
  if (secret->id != session.key_id()) {
    return Error{"its secret is of another key"};
  }
  he::Rows rows;
  if (is_shared) {
    stored = row.next();
    if (!stored) {
      return stored.error();
    }
    Result<Message> message = he::joint::deserialise_message(context, *stored);
    if (!message) {
      return message.error();
    }
    if (message->step != he::joint::Step::SecretShare || message->session != session.digest() ||
        message->receiver != share.number || message->polynomials.size() != 1) {
      return Error{"its share of the others' secrets is of another key"};
    }
    rows = std::move(message->polynomials.front().rows);
  }
  return Party::restore(context, session, share.number, std::move(secret->rows), std::move(rows));
}

}  // namespace

auto bytes_of_share(const KeyShare& share) -> Result<SecureBytes> {
  SecureBytes objects;
  for (const unsigned number :
       {share.number, share.parties.front().session().n_parties(), share.threshold}) {
    objects.push_back(static_cast<std::byte>(number));
  }
  const auto seed = std::as_bytes(std::span(share.seed.bytes));
  objects.insert(objects.end(), seed.begin(), seed.end());
  for (size_t i = 0; i < share.parties.size(); ++i) {
    const he::Context& context = *share.contexts[i];
    const Party& party = share.parties[i];
    Result<SecureBytes> secret =
        he::serialise(context, he::SecretKey{.rows = party.secret(),
                                             .id = party.session().key_id(),
                                             .parameters = context.parameters().digest()});
    if (!secret) {
      return secret.error();
    }
    objects.insert(objects.end(), secret->begin(), secret->end());
    if (party.share().n_rows() == 0) {
      continue;
    }
    Message message = party.message(he::joint::Step::SecretShare, {}, party.session().parties());
    message.senders = party.session().parties();
    message.receiver = share.number;
    message.polynomials.push_back({.shape = {.n_primes = context.n_data()}, .rows = party.share()});
    Result<SecureBytes> stored = he::joint::serialise(context, message);
    if (!stored) {
      return stored.error();
    }
    objects.insert(objects.end(), stored->begin(), stored->end());
  }
  return file_of(ExchangeFile::KeyShare, share.belonging, objects);
}

auto read_key_share(const engine::HeBundle& bundle, const std::string& path, unsigned n_threads)
    -> Result<KeyShare> {
  Result<ExchangedFile> file = read_exchanged(path, {});
  if (!file) {
    return file.error();
  }
  Result<Belonging> belonging = read_header(file->named(), ExchangeFile::KeyShare);
  if (!belonging) {
    return belonging.error();
  }
  if (belonging->program != engine::digest_of(bundle)) {
    return foreign(path, "another program; the holders made keys for one that was built otherwise");
  }
  const std::span<const std::byte> objects = behind_header(file->content);
  if (objects.size() < kFields) {
    return no_key_share(path);
  }
  KeyShare share;
  share.belonging = *belonging;
  share.number = static_cast<unsigned>(objects[0]);
  share.threshold = static_cast<unsigned>(objects[2]);
  std::memcpy(share.seed.bytes.data(), &objects[3], sizeof(share.seed.bytes));
  if (static_cast<unsigned>(objects[1]) != bundle.n_key_holders) {
    return no_key_share(path);
  }
  ObjectRow row(objects.subspan(kFields));
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    Result<he::ContextRef> context = make_context(bundle, bundle.parts[i], n_threads);
    if (!context) {
      return context.error();
    }
    Result<Session> session =
        Session::make(**context, engine::seed_of_part(share.seed, i), share.threshold);
    Result<Party> party = session ? read_part_of_share(**context, *session, share,
                                                       has_secret_shares(share, bundle), row)
                                  : Result<Party>(session.error());
    if (!party) {
      return of_file(path, party.error());
    }
    share.contexts.push_back(std::move(*context));
    share.parties.push_back(std::move(*party));
  }
  return row.is_empty() ? Result<KeyShare>(std::move(share)) : Result<KeyShare>(no_key_share(path));
}

}  // namespace tacet::cli
