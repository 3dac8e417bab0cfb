#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace tacet::net {

/// Who a party is: an Ed25519 key and a certificate for it, signed with it, both PEM. Others know
/// the party by exactly this certificate; no authority is asked.
struct Credentials {
  std::string private_key;  ///< wiped at the end of its life
  std::string certificate;

  Credentials() = default;
  Credentials(std::string key, std::string certificate_)
      : private_key(std::move(key)), certificate(std::move(certificate_)) {}
  Credentials(const Credentials&) = default;
  auto operator=(const Credentials&) -> Credentials&;
  Credentials(Credentials&&) noexcept = default;
  auto operator=(Credentials&& other) noexcept -> Credentials&;
  ~Credentials();
};

/// New ones for a party called `name` (1 to 64 bytes), valid from a day ago, because clocks differ,
/// for so many days.
[[nodiscard]] auto make_credentials(const std::string& name, int n_days) -> Result<Credentials>;

/// SHA-256 in hexadecimal: what agreements have of long texts.
[[nodiscard]] auto digest_of(std::string_view text) -> std::string;

/// That of a certificate (of its DER) that is given as PEM, for people to compare; an error if it
/// is none.
[[nodiscard]] auto fingerprint(const std::string& certificate) -> Result<std::string>;

/// Why a certificate (PEM) is not valid now, said of the party that has it: `has a certificate that
/// expired on 2026-11-24`. Empty if it is.
[[nodiscard]] auto validity_problem(const std::string& certificate) -> std::string;

/// What makes TLS connections for one party: version 1.3 alone, both sides show certificates, and
/// only the given ones are accepted. A certificate that is not valid now is: its owner may still
/// say why it cannot take part, and participants are checked with `validity_problem`.
class TlsContext {
 public:
  /// What a connection reads into: large ones for few fast links, small ones, which are freed while
  /// nothing is sent, for many connections.
  enum class Buffers { Large, Small };

  /// `certificates` (PEM) are those of all parties, in their order; an error names what is wrong
  /// with which.
  [[nodiscard]] static auto make(const Credentials& own,
                                 const std::vector<std::string>& certificates,
                                 Buffers buffers = Buffers::Large) -> Result<TlsContext>;

  enum class Role { Connects, Accepts };
  /// For `Channel::start_tls`. Null when memory is out.
  [[nodiscard]] auto new_connection(Role role) const -> ssl_st*;

  /// Whose certificate the other side showed: its place in `certificates`, or their number if it is
  /// none of them. After the handshake.
  [[nodiscard]] auto peer_of(const ssl_st* tls) const -> size_t;

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  std::vector<std::string> encoded_;  ///< the certificates, DER
};

}  // namespace tacet::net
