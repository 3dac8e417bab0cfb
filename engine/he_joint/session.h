#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/he/objects.h"

/// Keys that several parties make together, so that none of them has the secret key (Mouchet,
/// Troncoso-Pastoriza, Bossuat and Hubaux, "Multiparty Homomorphic Encryption from
/// Ring-Learning-with-Errors", eprint 2020/304). The evaluator uses them as it uses all others.
///
/// Functions of this folder are computed by one party, or by anyone, from messages of all; how
/// these travel is left to the caller. Parties are expected to follow the protocol: what they see
/// shows them nothing else, but what one of them sends is not proven to be right.
namespace tacet::he::joint {

using Digest = std::array<std::byte, 32>;

/// A set of parties, by their numbers from 0.
class PartySet {
 public:
  constexpr PartySet() = default;
  constexpr explicit PartySet(uint64_t bits) : bits_(bits) {}
  /// The first `n`, at most 64.
  static constexpr auto first(unsigned n) -> PartySet {
    return PartySet(n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
  }
  static constexpr auto of(unsigned party) -> PartySet { return PartySet(uint64_t{1} << party); }

  [[nodiscard]] constexpr auto bits() const -> uint64_t { return bits_; }
  [[nodiscard]] constexpr auto size() const -> unsigned {
    return static_cast<unsigned>(std::popcount(bits_));
  }
  [[nodiscard]] constexpr auto contains(unsigned party) const -> bool {
    return party < 64 && ((bits_ >> party) & 1) != 0;
  }
  [[nodiscard]] constexpr auto is_within(PartySet other) const -> bool {
    return (bits_ & ~other.bits_) == 0;
  }
  /// The party with the smallest number, of a set that is not empty.
  [[nodiscard]] constexpr auto lowest() const -> unsigned {
    return static_cast<unsigned>(std::countr_zero(bits_));
  }
  /// Their numbers, rising.
  [[nodiscard]] auto members() const -> std::vector<unsigned>;

  friend constexpr auto operator|(PartySet a, PartySet b) -> PartySet {
    return PartySet(a.bits_ | b.bits_);
  }
  friend constexpr auto operator&(PartySet a, PartySet b) -> PartySet {
    return PartySet(a.bits_ & b.bits_);
  }
  friend constexpr auto operator-(PartySet a, PartySet b) -> PartySet {
    return PartySet(a.bits_ & ~b.bits_);
  }
  friend constexpr auto operator==(PartySet a, PartySet b) -> bool = default;

 private:
  uint64_t bits_ = 0;
};

/// What all parties have in common before they make keys: parameters, their number, how many of
/// them decrypt together, and a random seed. Public.
class Session {
 public:
  /// As many parties as the context's parameters have key holders, at least two. `seed` is random
  /// and was used for no other session: all uniform polynomials that the parties share are expanded
  /// from it. Any `threshold` parties can decrypt; 0 stands for all of them.
  static auto make(const Context& context, const PublicSeed& seed, unsigned threshold = 0)
      -> Result<Session>;

  [[nodiscard]] auto n_parties() const -> unsigned { return n_parties_; }
  [[nodiscard]] auto threshold() const -> unsigned { return threshold_; }
  [[nodiscard]] auto parties() const -> PartySet { return PartySet::first(n_parties_); }
  [[nodiscard]] auto parameters() const -> const ParameterDigest& { return parameters_; }
  /// What identifies it.
  [[nodiscard]] auto digest() const -> const Digest& { return digest_; }
  /// The name of the joint key.
  [[nodiscard]] auto key_id() const -> KeyId;

  /// What the uniform polynomials that belong to `subject` are expanded from.
  [[nodiscard]] auto seed_of(const Digest& subject) const -> PublicSeed;

 private:
  Session() = default;

  unsigned n_parties_ = 0;
  unsigned threshold_ = 0;
  PublicSeed seed_;
  ParameterDigest parameters_{};
  Digest digest_{};
};

/// The digest of what a message is about: a word, and numbers.
auto subject_of(std::string_view what, std::initializer_list<uint64_t> numbers = {}) -> Digest;

/// The digest of a ciphertext, with all that travels with it but `CiphertextMetadata::bound`.
auto digest_of(const Context& context, const Ciphertext& ciphertext) -> Digest;
/// The digest of a public key.
auto digest_of(const Context& context, const PublicKey& key) -> Digest;

}  // namespace tacet::he::joint
