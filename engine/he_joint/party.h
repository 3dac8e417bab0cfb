#pragma once

#include <set>

#include "engine/he_joint/message.h"

namespace tacet::he::joint {

/// What one party holds: its share of the secret key. Every message that it sends about a uniform
/// polynomial of the session may be made once: many encryptions of one secret with the same
/// polynomial would average the errors away. The object is the memory of that, so it must live as
/// long as the session. Everything in it that is secret is wiped with it.
class Party {
 public:
  Party(const Party&) = delete;  // two would not know what the other sent
  auto operator=(const Party&) -> Party& = delete;
  Party(Party&&) noexcept = default;
  auto operator=(Party&&) noexcept -> Party& = default;
  ~Party() = default;

  /// Number `number`, from 0; draws a ternary secret.
  static auto make(const Context& context, const Session& session, unsigned number,
                   SecureRandom& random) -> Result<Party>;

  /// A party whose keys were made and stored: its secret, a row for each data and special prime,
  /// and with a threshold its share over the data primes. It decrypts, but makes no more messages
  /// about uniform polynomials, as nobody knows which it made.
  static auto restore(const Context& context, const Session& session, unsigned number, Rows secret,
                      Rows share) -> Result<Party>;

  [[nodiscard]] auto session() const -> const Session& { return session_; }
  [[nodiscard]] auto number() const -> unsigned { return number_; }
  /// Transformed, a row for each data and special prime. The joint secret is the sum of all.
  [[nodiscard]] auto secret() const -> const Rows& { return secret_; }

  /// Its part of the joint secret where just `participants` add theirs, over all data primes: its
  /// secret where all do; else its share of a sharing (threshold.h) times Lagrange's weight. An
  /// error if these cannot decrypt, or there was no sharing.
  auto part_of_secret(const Context& context, PartySet participants) const -> Result<Rows>;

  /// An empty message of this party.
  [[nodiscard]] auto message(Step step, const Digest& subject, PartySet participants) const
      -> Message;
  /// Notes that it sends its only message of this step and subject; an error if it did before.
  auto claim(Step step, const Digest& subject) -> Status;

  /// Its share of a sharing (secret_sharing.h), over the data primes; empty without one.
  [[nodiscard]] auto share() const -> const Rows& { return share_; }
  /// Takes the sum of all shares of secrets for it.
  void set_share(Rows share) { share_ = std::move(share); }

 private:
  explicit Party(Session session) : session_(std::move(session)) {}

  Session session_;
  unsigned number_ = 0;
  Rows secret_;
  Rows share_;  ///< empty without a sharing
  std::set<std::pair<Step, Digest>> sent_;
  bool is_restored_ = false;
};

/// Whether a context is that of the session.
auto check_session(const Context& context, const Session& session) -> Status;
/// Whether the ciphertext is one of the joint key, of degree one.
auto check_ciphertext(const Context& context, const Session& session, const Ciphertext& ciphertext)
    -> Status;
/// `participants`, or all parties if they are empty; an error if they are too few to decrypt.
auto participants_of(const Session& session, PartySet participants) -> Result<PartySet>;

}  // namespace tacet::he::joint
