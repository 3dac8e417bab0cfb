#pragma once

#include <memory>
#include <vector>

#include "base/cpu.h"
#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/objects.h"
#include "engine/masked_products/crt_base.h"

namespace tacet::masked_products {

using Bytes = std::vector<std::byte>;

/// What products are computed with: BFV in dimension 8192 with three data primes and a special one
/// of 50 bits each (128 bits of security by the 2024 guidelines, which allow 214), once for each
/// prime of a `CrtBase` as the plain modulus. Both sides have the same. Immutable.
class Setting {
 public:
  /// For factors of up to 128 bits. An error if the parameters cannot be had.
  static auto make(Isa isa) -> Result<std::shared_ptr<const Setting>>;

  /// The numbers that one encryption holds.
  [[nodiscard]] auto n_slots() const -> size_t { return contexts_[0]->n(); }
  [[nodiscard]] auto n_contexts() const -> size_t { return contexts_.size(); }
  [[nodiscard]] auto context(size_t i) const -> const he::Context& { return *contexts_[i]; }
  /// The first `n_primes` plain moduli.
  [[nodiscard]] auto base(size_t n_primes) const -> const CrtBase& { return bases_[n_primes - 1]; }
  /// How many plain moduli sums of `n_terms` products of two numbers of `bits` bits need, with the
  /// 41 bits by which the mask is wider: for two, 1 for single bits, 3, 4 and 7 for 32, 64 and 128.
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
