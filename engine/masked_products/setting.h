#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/cpu.h"
#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/objects.h"
#include "engine/masked_products/crt_base.h"

namespace tacet::masked_products {

using Bytes = std::vector<std::byte>;

/// How well replies hide what they were made of. Every reply modulo one plain modulus is within
/// 2^-67 of one that says nothing but the masked sums:
///
/// * A mask is uniform in an interval that is 2^81 times as long as what the sums can be, so that a
///   masked number is within 2^-81 of a distribution that does not depend on the sum, and 8192 of
///   them within 2^-68; there are as many plain moduli as that takes, at least two.
/// * The noise of a ciphertext depends on the own numbers too: after k products its deviation is
///   sqrt(k) 2^49.5, 2^53 at most. To each of 8192 coefficients a uniform number of 134 bits is
///   added, so that all are within 8192 · 2^53 / 2^134 = 2^-68.
///
/// By the union bound, `kMaxReplies` replies, of all parties of a run, are within 2^-40; who
/// replies counts them, and does not give more.
struct Slack {
  static constexpr double kLogOfReply = -67;
  static constexpr double kLogOfRun = -40;
  static constexpr uint64_t kMaxReplies = uint64_t{1} << 27;

  static constexpr unsigned kMaskBits = 81;    ///< by which a mask is longer than a sum
  static constexpr unsigned kNoiseBits = 134;  ///< of what hides the noise
  static constexpr size_t kMaxProducts = 128;  ///< that a reply may be the sum of

  /// log2 of the distance of so many replies; nothing if there are none.
  [[nodiscard]] static auto of(uint64_t n_replies) -> std::optional<double>;
};

/// What products are computed with: BFV in dimension 8192 with four data primes of 46 bits each
/// (128 bits of security by the 2024 guidelines, which allow 214), once for each prime of a
/// `CrtBase` as the plain modulus. Both sides have the same. Immutable.
class Setting {
 public:
  /// For factors of up to 128 bits. An error if no such parameters exist.
  static auto make(Isa isa) -> Result<std::shared_ptr<const Setting>>;

  /// The numbers that one encryption holds.
  [[nodiscard]] auto n_slots() const -> size_t { return contexts_[0]->n(); }
  [[nodiscard]] auto n_contexts() const -> size_t { return contexts_.size(); }
  [[nodiscard]] auto context(size_t i) const -> const he::Context& { return *contexts_[i]; }
  /// The first `n_primes` plain moduli.
  [[nodiscard]] auto base(size_t n_primes) const -> const CrtBase& { return bases_[n_primes - 1]; }
  /// How many plain moduli sums of `n_terms` products of two numbers of `bits` bits need, with the
  /// bits by which the mask is longer: for two, 2 for single bits, 4, 5 and 8 for 32, 64 and 128.
  static auto primes_for(unsigned bits, size_t n_terms) -> size_t;
  /// The most terms that there are enough moduli for: 2^20, of 128 bits each.
  static constexpr size_t kMaxTerms = size_t{1} << 20;

  /// Bytes of the encryption of `n_slots` numbers modulo one prime, of a reply, and of a key.
  [[nodiscard]] auto factor_size() const -> size_t;
  [[nodiscard]] auto reply_size() const -> size_t;
  /// Bytes of a reply modulo one prime of which `n_wanted` coefficients can be opened.
  [[nodiscard]] auto reply_size_of(size_t n_wanted) const -> size_t;
  [[nodiscard]] auto key_size() const -> size_t;
  /// The moduli of the rows of a polynomial over the first `n_primes` data primes.
  [[nodiscard]] auto data_moduli(size_t n_primes) const -> std::vector<Modulus>;

 private:
  std::vector<he::ContextRef> contexts_;
  std::vector<CrtBase> bases_;
};

using SettingRef = std::shared_ptr<const Setting>;

/// What the side that encrypts keeps: a secret and a public key for each plain modulus.
class Keys {
 public:
  static auto generate(SettingRef setting, he::SecureRandom& random) -> Result<Keys>;

  [[nodiscard]] auto setting() const -> const Setting& { return *setting_; }
  [[nodiscard]] auto secret(size_t i) const -> const he::SecretKey& { return secrets_[i]; }
  /// The public keys as bytes, `n_contexts` times `key_size` of them.
  [[nodiscard]] auto public_bytes() const -> Bytes;

 private:
  SettingRef setting_;
  std::vector<he::SecretKey> secrets_;
  std::vector<he::PublicKey> publics_;
};

/// What the side that replies has of the other one.
class PublicKeys {
 public:
  /// An error if these are not keys of this setting.
  static auto read(SettingRef setting, std::span<const std::byte> bytes) -> Result<PublicKeys>;

  [[nodiscard]] auto setting() const -> const Setting& { return *setting_; }
  [[nodiscard]] auto key(size_t i) const -> const he::PublicKey& { return keys_[i]; }

 private:
  SettingRef setting_;
  std::vector<he::PublicKey> keys_;
};

}  // namespace tacet::masked_products
