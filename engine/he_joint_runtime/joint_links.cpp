#include "engine/he_joint_runtime/joint_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tacet::engine {

using he::joint::Message;
using he::joint::PartySet;
using net::Rank;

/// Less than links buffer for one peer, so that parties which all send do not wait for each other.
static constexpr size_t kChunk = size_t{4} << 20;

auto JointLinks::heard(const net::LinkStatus& status) -> Status {
  if (!status) {
    return std::monostate{};
  }
  failed_party_ = links_.name(status->party);
  return Error{net::describe(links_, *status)};
}

auto JointLinks::fail(Rank party, const std::string& reason) -> Error {
  if (failed_party_.empty()) {
    failed_party_ = links_.name(party);
    links_.abort(party == rank() ? reason : fmt::format("{} {}", failed_party_, reason));
  }
  return Error{fmt::format("{}: {}", links_.name(party), reason)};
}

auto JointLinks::bytes_sent() const -> uint64_t {
  uint64_t n = 0;
  for (Rank peer = 0; peer < n_parties(); ++peer) {
    n += peer == rank() ? 0 : links_.counters(peer).bytes_sent;
  }
  return n;
}

auto JointLinks::finish() -> Status {
  return heard(links_.finish());
}

auto JointLinks::transfer(const std::vector<const SecureBytes*>& outgoing,
                          const std::vector<bool>& incoming, size_t size)
    -> Result<std::vector<SecureBytes>> {
  std::vector<SecureBytes> received(n_parties());
  const uint64_t own_size = size;
  ++n_rounds_;
  for (Rank to = 0; to < n_parties(); ++to) {
    if (outgoing[to] != nullptr) {
      links_.send(to, std::as_bytes(std::span(&own_size, 1)));
    }
  }
  if (Status sent = heard(links_.flush()); !sent) {
    return sent.error();
  }
  for (Rank from = 0; from < n_parties(); ++from) {
    uint64_t their_size = own_size;
    if (!incoming[from]) {
      continue;
    }
    if (Status got = heard(links_.receive(from, std::as_writable_bytes(std::span(&their_size, 1))));
        !got) {
      return got.error();
    }
    if (their_size != own_size) {
      return fail(from, fmt::format("sent a message of {} bytes in place of {}", their_size, size));
    }
    received[from].resize(size);
  }
  for (size_t at = 0; at < size; at += kChunk) {
    const size_t n = std::min(kChunk, size - at);
    for (Rank to = 0; to < n_parties(); ++to) {
      if (outgoing[to] != nullptr) {
        links_.send(to, std::span(*outgoing[to]).subspan(at, n));
      }
    }
    if (Status sent = heard(links_.flush()); !sent) {
      return sent.error();
    }
    for (Rank from = 0; from < n_parties(); ++from) {
      if (!incoming[from]) {
        continue;
      }
      if (Status got = heard(links_.receive(from, std::span(received[from]).subspan(at, n)));
          !got) {
        return got.error();
      }
    }
  }
  return received;
}

auto JointLinks::exchange(const std::vector<SecureBytes>& outgoing)
    -> Result<std::vector<SecureBytes>> {
  std::vector<const SecureBytes*> to(n_parties());
  std::vector<bool> from(n_parties(), true);
  for (Rank other = 0; other < n_parties(); ++other) {
    to[other] = other == rank() ? nullptr : &outgoing[other];
  }
  from[rank()] = false;
  Result<std::vector<SecureBytes>> all = transfer(to, from, outgoing[rank()].size());
  if (all) {
    (*all)[rank()] = outgoing[rank()];
  }
  return all;
}

auto JointLinks::exchange(const SecureBytes& own) -> Result<std::vector<SecureBytes>> {
  std::vector<const SecureBytes*> to(n_parties(), &own);
  std::vector<bool> from(n_parties(), true);
  to[rank()] = nullptr;
  from[rank()] = false;
  Result<std::vector<SecureBytes>> all = transfer(to, from, own.size());
  if (all) {
    (*all)[rank()] = own;
  }
  return all;
}

auto JointLinks::exchange_sizes(uint64_t own, std::vector<uint64_t>& sizes) -> Status {
  sizes.assign(n_parties(), own);
  for (Rank to = 0; to < n_parties(); ++to) {
    if (to != rank()) {
      links_.send(to, std::as_bytes(std::span(&own, 1)));
    }
  }
  Status status = heard(links_.flush());
  for (Rank from = 0; status && from < n_parties(); ++from) {
    if (from != rank()) {
      status = heard(links_.receive(from, std::as_writable_bytes(std::span(&sizes[from], 1))));
    }
  }
  return status;
}

auto JointLinks::share_out(const SecureBytes& own, size_t most)
    -> Result<std::vector<SecureBytes>> {
  ++n_rounds_;
  std::vector<uint64_t> sizes;
  if (Status status = exchange_sizes(own.size(), sizes); !status) {
    return status.error();
  }
  std::vector<SecureBytes> all(n_parties());
  for (Rank from = 0; from < n_parties(); ++from) {
    if (sizes[from] > most) {
      return fail(
          from, fmt::format("sent a message of {} bytes; expected at most {}", sizes[from], most));
    }
    all[from].resize(from == rank() ? 0 : sizes[from]);
  }
  const size_t longest = *std::max_element(sizes.begin(), sizes.end());
  const auto part_of = [](auto& bytes, size_t at) {
    const size_t begin = std::min(at, bytes.size());
    return std::span(bytes).subspan(begin, std::min(kChunk, bytes.size() - begin));
  };
  for (size_t at = 0; at < longest; at += kChunk) {
    for (Rank to = 0; to < n_parties(); ++to) {
      if (to != rank() && at < own.size()) {
        links_.send(to, part_of(own, at));
      }
    }
    if (Status sent = heard(links_.flush()); !sent) {
      return sent.error();
    }
    for (Rank from = 0; from < n_parties(); ++from) {
      if (from == rank() || at >= all[from].size()) {
        continue;
      }
      if (Status got = heard(links_.receive(from, part_of(all[from], at))); !got) {
        return got.error();
      }
    }
  }
  all[rank()] = own;
  return all;
}

auto JointLinks::gather(Rank receiver, const SecureBytes& own) -> Result<std::vector<SecureBytes>> {
  const bool receives = rank() == receiver;
  std::vector<const SecureBytes*> to(n_parties());
  std::vector<bool> from(n_parties(), receives);
  from[rank()] = false;
  to[receiver] = receives ? nullptr : &own;
  Result<std::vector<SecureBytes>> all = transfer(to, from, own.size());
  if (all) {
    (*all)[rank()] = own;
  }
  return all;
}

/// Whether what another party sent is about what this one sent something about.
static auto difference(const Message& own, const Message& theirs) -> std::string {
  const auto shapes_differ = [&] {
    return !std::equal(own.polynomials.begin(), own.polynomials.end(), theirs.polynomials.begin(),
                       theirs.polynomials.end(),
                       [](const auto& a, const auto& b) { return a.shape == b.shape; });
  };
  if (theirs.session != own.session) {
    return "of another session";
  }
  if (theirs.step != own.step) {
    return fmt::format("of step '{}', expected '{}'", step_name(theirs.step), step_name(own.step));
  }
  if (theirs.participants != own.participants) {
    return "for other participants";
  }
  if (theirs.subject != own.subject || theirs.receiver.has_value() != own.receiver.has_value() ||
      shapes_differ()) {
    return fmt::format("in step '{}' about another ciphertext or key", step_name(own.step));
  }
  return {};
}

auto JointLinks::read(const he::Context& context, Rank from, std::span<const std::byte> bytes,
                      const std::vector<Message>& own) -> Result<std::vector<Message>> {
  const std::vector<unsigned> members = own.front().participants.members();
  std::vector<Message> messages;
  for (const Message& expected : own) {
    const Result<he::ObjectHeader> header = he::read_object_header(bytes);
    if (!header || header.value().size > bytes.size()) {
      return fail(from, "sent a message that is damaged");
    }
    Result<Message> message =
        he::joint::deserialise_message(context, bytes.first(header.value().size));
    if (!message) {
      return fail(from, fmt::format("sent a message that is damaged: {}", message.error().message));
    }
    if (const std::string what = difference(expected, *message); !what.empty()) {
      return fail(from, fmt::format("sent a message {}", what));
    }
    if (message->senders != PartySet::of(members[from]) ||
        (message->receiver && *message->receiver != members[rank()])) {
      return fail(from, "sent a message of, or for, another party");
    }
    bytes = bytes.subspan(header.value().size);
    messages.push_back(std::move(*message));
  }
  return messages;
}

static auto serialised(const he::Context& context, const std::vector<Message>& messages)
    -> Result<SecureBytes> {
  SecureBytes all;
  for (const Message& message : messages) {
    Result<SecureBytes> bytes = he::joint::serialise(context, message);
    if (!bytes) {
      return bytes.error();
    }
    all.insert(all.end(), bytes->begin(), bytes->end());
  }
  return all;
}

auto JointLinks::exchange(const he::Context& context, const std::vector<Message>& own,
                          std::optional<Rank> receiver)
    -> Result<std::vector<std::vector<Message>>> {
  std::vector<std::vector<Message>> by_message(own.size());
  const Result<SecureBytes> bytes = serialised(context, own);
  if (!bytes) {
    return fail(bytes.error());
  }
  Result<std::vector<SecureBytes>> received =
      receiver ? gather(*receiver, bytes.value()) : exchange(bytes.value());
  if (!received) {
    return received.error();
  }
  if (receiver && *receiver != rank()) {
    return by_message;
  }
  for (Rank from = 0; from < n_parties(); ++from) {
    if (from == rank()) {
      for (size_t i = 0; i < own.size(); ++i) {
        by_message[i].push_back(own[i]);
      }
      continue;
    }
    Result<std::vector<Message>> messages = read(context, from, (*received)[from], own);
    if (!messages) {
      return messages.error();
    }
    for (size_t i = 0; i < own.size(); ++i) {
      by_message[i].push_back(std::move((*messages)[i]));
    }
    (*received)[from] = {};
  }
  return by_message;
}

auto JointLinks::exchange(const he::Context& context, const Message& own)
    -> Result<std::vector<Message>> {
  Result<std::vector<std::vector<Message>>> all = exchange(context, std::vector<Message>{own});
  return all ? Result<std::vector<Message>>(std::move(all->front()))
             : Result<std::vector<Message>>(all.error());
}

auto JointLinks::distribute(const he::Context& context, const std::vector<Message>& by_receiver)
    -> Result<std::vector<Message>> {
  std::vector<SecureBytes> outgoing;
  for (const Message& message : by_receiver) {
    Result<SecureBytes> bytes = he::joint::serialise(context, message);
    if (!bytes) {
      return fail(bytes.error());
    }
    outgoing.push_back(std::move(*bytes));
  }
  Result<std::vector<SecureBytes>> received = exchange(outgoing);
  if (!received) {
    return received.error();
  }
  std::vector<Message> messages;
  for (Rank from = 0; from < n_parties(); ++from) {
    if (from == rank()) {
      messages.push_back(by_receiver[from]);
      continue;
    }
    Result<std::vector<Message>> read_of =
        read(context, from, (*received)[from], {by_receiver[rank()]});
    if (!read_of) {
      return read_of.error();
    }
    messages.push_back(std::move(read_of->front()));
  }
  return messages;
}

}  // namespace tacet::engine
