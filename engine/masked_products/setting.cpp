#include "engine/masked_products/setting.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "engine/he/key_generation.h"
#include "engine/he/packed_rows.h"
#include "engine/ring/primes.h"

namespace tacet::masked_products {
namespace {

constexpr size_t kDimension = 8192;
constexpr size_t kMaxPrimes = 9;
constexpr size_t kSeedSize = sizeof(he::PublicSeed::bytes);
/// What a reply is modulo: two data primes less than a factor.
constexpr size_t kReplyPrimes = 2;

/// The rows of `polynomial`, packed, to `out`.
void pack(const he::Context& context, const he::Rows& polynomial, std::span<const Modulus> moduli,
          std::byte* out) {
  const std::vector<const uint64_t*> rows = polynomial.row_pointers();
  he::pack_rows(context, rows, moduli, out);
}

}  // namespace

auto Slack::of(uint64_t n_replies) -> std::optional<double> {
  return n_replies == 0 ? std::nullopt
                        : std::optional(kLogOfReply + std::log2(static_cast<double>(n_replies)));
}

auto Setting::make(Isa isa) -> Result<std::shared_ptr<const Setting>> {
  const std::vector<uint64_t> plain = ring::largest_primes(43, 2 * kDimension, kMaxPrimes);
  auto setting = std::make_shared<Setting>();
  for (size_t i = 0; i < plain.size(); ++i) {
    Result<he::Parameters> parameters = he::make_parameters({.scheme = he::Scheme::Bfv,
                                                             .ring_dimension = kDimension,
                                                             .data_prime_bits = {46, 46, 46, 46},
                                                             .special_prime_bits = {},
                                                             .plain_modulus = plain[i]});
    if (!parameters) {
      return parameters.error();
    }
    setting->contexts_.push_back(
        he::Context::make(std::move(parameters).value(), {.isa = isa, .n_threads = 1}));
    setting->bases_.emplace_back(std::span(plain).first(i + 1));
  }
  return std::shared_ptr<const Setting>(std::move(setting));
}

auto Setting::primes_for(unsigned bits, size_t n_terms) -> size_t {
  // A mask has 43 c - 3 bits and begins at 2^(43 c - 3): with a sum it is less than half of the
  // product of c moduli.
  const auto term_bits = static_cast<unsigned>(std::bit_width(n_terms - 1));
  const unsigned sum_bits = bits == 1 ? term_bits : 2 * bits + term_bits;
  return (sum_bits + Slack::kMaskBits + 3 + 42) / 43;
}

auto Setting::data_moduli(size_t n_primes) const -> std::vector<Modulus> {
  std::vector<Modulus> moduli;
  for (size_t i = 0; i < n_primes; ++i) {
    moduli.push_back(context(0).modulus(i));
  }
  return moduli;
}

auto Setting::factor_size() const -> size_t {
  return kSeedSize + he::packed_size(n_slots(), data_moduli(context(0).n_data()));
}

auto Setting::reply_size() const -> size_t {
  return 2 * he::packed_size(n_slots(), data_moduli(kReplyPrimes));
}

auto Setting::reply_size_of(size_t n_wanted) const -> size_t {
  const std::vector<Modulus> moduli = data_moduli(kReplyPrimes);
  return he::packed_size(n_slots(), moduli) + he::packed_size((n_wanted + 63) / 64 * 64, moduli);
}

auto Setting::key_size() const -> size_t {
  return factor_size();
}

auto Keys::generate(SettingRef setting, he::SecureRandom& random) -> Result<Keys> {
  Keys keys;
  keys.setting_ = std::move(setting);
  for (size_t i = 0; i < keys.setting_->n_contexts(); ++i) {
    const he::Context& context = keys.setting_->context(i);
    keys.secrets_.push_back(he::generate_secret_key(context, random));
    Result<he::PublicKey> key = he::generate_public_key(context, keys.secrets_[i], random);
    if (!key) {
      return key.error();
    }
    keys.publics_.push_back(std::move(key).value());
  }
  return keys;
}

auto Keys::public_bytes() const -> Bytes {
  const size_t size = setting_->key_size();
  Bytes bytes(size * publics_.size());
  const std::vector<Modulus> moduli = setting_->data_moduli(setting_->context(0).n_data());
  for (size_t i = 0; i < publics_.size(); ++i) {
    std::byte* out = bytes.data() + i * size;
    std::memcpy(out, publics_[i].seed.bytes.data(), kSeedSize);
    pack(setting_->context(i), publics_[i].parts[0], moduli, out + kSeedSize);
  }
  return bytes;
}

auto PublicKeys::read(SettingRef setting, std::span<const std::byte> bytes) -> Result<PublicKeys> {
  const size_t size = setting->key_size();
  if (bytes.size() != size * setting->n_contexts()) {
    return Error{"public keys of the wrong size"};
  }
  const std::vector<Modulus> moduli = setting->data_moduli(setting->context(0).n_data());
  PublicKeys keys;
  for (size_t i = 0; i < setting->n_contexts(); ++i) {
    const he::Context& context = setting->context(i);
    const std::byte* in = bytes.data() + i * size;
    he::PublicKey key;
    std::memcpy(key.seed.bytes.data(), in, kSeedSize);
    Result<he::Rows> rows = he::unpack_rows(context, in + kSeedSize, moduli, "public key");
    if (!rows) {
      return rows.error();
    }
    key.parts[0] = std::move(rows).value();
    key.parameters = context.parameters().digest();
    he::expand_seed(context, key);
    keys.keys_.push_back(std::move(key));
  }
  keys.setting_ = std::move(setting);
  return keys;
}

}  // namespace tacet::masked_products
