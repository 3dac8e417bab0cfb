#pragma once

#include <string>
#include <vector>

#include "engine/he_joint/message.h"
#include "engine/net/links.h"

/// Joint keys for compiled programs, made and used by parties over the links of `engine/net`.
namespace tacet::engine {

/// Messages of key holders over links, each step at once: everybody sends, then everybody reads.
/// What a party sends in a step is as long as what all others send, but in
/// `share_out`; nothing else is allocated for.
/// The first failure ends the links, and is the error of all calls from then on.
class JointLinks {
 public:
  explicit JointLinks(net::Links& links) : links_(links) {}

  [[nodiscard]] auto rank() const -> net::Rank { return links_.rank(); }
  [[nodiscard]] auto n_parties() const -> net::Rank { return links_.n_parties(); }
  [[nodiscard]] auto name(net::Rank rank) const -> std::string { return links_.name(rank); }

  /// `outgoing` by receiver, all of the same length, the own one included; what came, by sender,
  /// with the own one.
  auto exchange(const std::vector<SecureBytes>& outgoing) -> Result<std::vector<SecureBytes>>;
  /// The same bytes to all.
  auto exchange(const SecureBytes& own) -> Result<std::vector<SecureBytes>>;
  /// To all, each as many bytes as it likes, up to `most`; what came, by sender.
  auto share_out(const SecureBytes& own, size_t most) -> Result<std::vector<SecureBytes>>;
  /// To `receiver` alone, which gets what all sent; the others get nothing.
  auto gather(net::Rank receiver, const SecureBytes& own) -> Result<std::vector<SecureBytes>>;

  /// Sends messages of a step to all, or to `receiver` alone, and reads those of the others, which
  /// must be about the same as the own ones: `[i]` of the result has the i-th of all parties.
  auto exchange(const he::Context& context, const std::vector<he::joint::Message>& own,
                std::optional<net::Rank> receiver = {})
      -> Result<std::vector<std::vector<he::joint::Message>>>;
  /// One message.
  auto exchange(const he::Context& context, const he::joint::Message& own)
      -> Result<std::vector<he::joint::Message>>;
  /// A party's messages to each, itself included, for the eyes of the receiver alone; those for
  /// this party.
  auto distribute(const he::Context& context, const std::vector<he::joint::Message>& by_receiver)
      -> Result<std::vector<he::joint::Message>>;

  /// Of a party that sent what it should not have, or of this one: ends the links of all.
  auto fail(net::Rank party, const std::string& reason) -> Error;
  /// This party's own failure, with an error from elsewhere.
  auto fail(const Error& error) -> Error { return fail(rank(), error.message); }
  /// Waits until all are done.
  auto finish() -> Status;
  /// How often everybody sent.
  [[nodiscard]] auto n_rounds() const -> uint64_t { return n_rounds_; }
  /// To all others, over these links, by whomever.
  [[nodiscard]] auto bytes_sent() const -> uint64_t;
  /// Whose fault it was, by name; empty if nothing failed.
  [[nodiscard]] auto failed_party() const -> const std::string& { return failed_party_; }

 private:
  auto heard(const net::LinkStatus& status) -> Status;
  /// Sends the lengths, and puts what others sent in `sizes`.
  auto exchange_sizes(uint64_t own, std::vector<uint64_t>& sizes) -> Status;
  auto transfer(const std::vector<const SecureBytes*>& outgoing, const std::vector<bool>& incoming,
                size_t size) -> Result<std::vector<SecureBytes>>;
  auto read(const he::Context& context, net::Rank from, std::span<const std::byte> bytes,
            const std::vector<he::joint::Message>& own) -> Result<std::vector<he::joint::Message>>;

  net::Links& links_;
  std::string failed_party_;
  uint64_t n_rounds_ = 0;
};

}  // namespace tacet::engine
