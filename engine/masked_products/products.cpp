#include "engine/masked_products/products.h"

#include <cstring>

#include "base/check.h"
#include "engine/he/encryption.h"
#include "engine/he/key_generation.h"
#include "engine/he/packed_rows.h"
#include "engine/masked_products/hide.h"
#include "engine/secure_random/samplers.h"

namespace tacet::masked_products {
namespace {

constexpr size_t kSeedSize = sizeof(he::PublicSeed::bytes);
/// Primes of a reply.
constexpr size_t kReplyPrimes = 2;

/// `numbers` modulo the `i`-th plain modulus, and zeros behind them.
template <class Word>
void fill_slots(const Setting& setting, size_t i, std::span<const Word> numbers, uint64_t* row) {
  setting.base(i + 1).reduce(numbers, i, row);
  std::fill(row + numbers.size(), row + setting.n_slots(), 0);
}

/// Uniform residues, a row for each plain modulus, all of which `is_inside`.
auto draw_mask(const Setting& setting, size_t n_primes, size_t n_numbers, he::SecureRandom& random)
    -> he::Rows {
  const he::Context& context = setting.context(0);
  const CrtBase& base = setting.base(n_primes);
  he::Rows rows = context.rows(n_primes, he::Wipe::Yes);
  for (size_t i = 0; i < n_primes; ++i) {
    secure_random::sample_uniform(random, base.modulus(i).value,
                                  std::span(rows.row(i), setting.n_slots()), context.isa());
  }
  const std::vector<uint64_t*> out = rows.row_pointers();
  const std::vector<const uint64_t*> in(out.begin(), out.end());
  for (size_t k = 0; k < n_numbers; ++k) {
    // What is drawn anew is independent of what was: that it was tells nothing of the mask.
    while (!base.is_inside(in, k)) {
      for (size_t i = 0; i < n_primes; ++i) {
        secure_random::sample_uniform(random, base.modulus(i).value, std::span(out[i] + k, 1),
                                      context.isa());
      }
    }
  }
  return rows;
}

/// Both parts of a reply, `reply_size` bytes.
void pack_reply(const Setting& setting, const he::Context& context, const he::Ciphertext& reply,
                std::byte* out) {
  const std::vector<Modulus> moduli = setting.data_moduli(kReplyPrimes);
  for (const he::Rows& part : reply.parts) {
    he::pack_rows(context, part.row_pointers(), moduli, out);
    out += setting.reply_size() / 2;
  }
}

auto unpack_reply(const Setting& setting, const he::Context& context, const he::SecretKey& key,
                  const std::byte* in) -> Result<he::Ciphertext> {
  const std::vector<Modulus> moduli = setting.data_moduli(kReplyPrimes);
  he::Ciphertext reply;
  for (size_t k = 0; k < 2; ++k) {
    Result<he::Rows> rows =
        he::unpack_rows(context, in + k * setting.reply_size() / 2, moduli, "reply");
    if (!rows) {
      return rows.error();
    }
    reply.parts.push_back(std::move(rows).value());
  }
  reply.noise = hidden_noise(context);
  reply.key_id = key.id;
  reply.parameters = context.parameters().digest();
  return reply;
}

}  // namespace

template <class Word>
auto encrypt(const Keys& keys, size_t n_primes, std::span<const Word> numbers,
             he::SecureRandom& random) -> Result<Bytes> {
  const Setting& setting = keys.setting();
  TACET_CHECK(numbers.size() <= setting.n_slots(), "more numbers than slots");
  const std::vector<Modulus> moduli = setting.data_moduli(setting.context(0).n_data());
  Bytes bytes(n_primes * setting.factor_size());
  std::byte* out = bytes.data();
  for (size_t i = 0; i < n_primes; ++i, out += setting.factor_size()) {
    const he::Context& context = setting.context(i);
    he::Plaintext message{.rows = context.rows(1, he::Wipe::Yes),
                          .parameters = context.parameters().digest()};
    fill_slots(setting, i, numbers, message.rows.row(0));
    context.kernels().inverse_ntt(message.rows.row(0), *context.plain_tables());
    const Result<he::Ciphertext> ciphertext = he::encrypt(context, keys.secret(i), message, random);
    if (!ciphertext) {
      return ciphertext.error();
    }
    std::memcpy(out, ciphertext.value().seed->bytes.data(), kSeedSize);
    he::pack_rows(context, ciphertext.value().parts[0].row_pointers(), moduli, out + kSeedSize);
  }
  return bytes;
}

auto read_factor(const Setting& setting, size_t n_primes, std::span<const std::byte> bytes)
    -> Result<Factor> {
  if (bytes.size() != n_primes * setting.factor_size()) {
    return Error{"an encryption of another size was sent"};
  }
  const std::vector<Modulus> moduli = setting.data_moduli(setting.context(0).n_data());
  Factor factor;
  const std::byte* in = bytes.data();
  for (size_t i = 0; i < n_primes; ++i, in += setting.factor_size()) {
    const he::Context& context = setting.context(i);
    Result<he::Rows> rows = he::unpack_rows(context, in + kSeedSize, moduli, "encryption");
    if (!rows) {
      return rows.error();
    }
    he::PublicSeed seed;
    std::memcpy(seed.bytes.data(), in, kSeedSize);
    he::Ciphertext ciphertext;
    ciphertext.parts.push_back(std::move(rows).value());
    ciphertext.parts.push_back(he::expand_ciphertext_seed(context, seed, context.n_data()));
    ciphertext.noise = context.noise().fresh_symmetric();
    ciphertext.parameters = context.parameters().digest();
    factor.ciphertexts.push_back(std::move(ciphertext));
  }
  return factor;
}

template <class Word>
ProductSums<Word>::ProductSums(const PublicKeys& keys, size_t n_primes) : keys_(keys) {
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = keys.setting().context(i);
    he::Ciphertext sum;
    sum.parts.push_back(context.rows(context.n_data()));
    sum.parts.push_back(context.rows(context.n_data()));
    sum.key_id = keys.key(i).key_id;
    sum.parameters = context.parameters().digest();
    sums_.push_back(std::move(sum));
  }
}

template <class Word>
void ProductSums<Word>::add(const Factor& factor, std::span<const Word> numbers) {
  const Setting& setting = keys_.setting();
  for (size_t i = 0; i < sums_.size(); ++i) {
    const he::Context& context = setting.context(i);
    he::Rows slots = context.rows(1, he::Wipe::Yes);
    fill_slots(setting, i, numbers, slots.row(0));
    const he::Rows rows = prepare_slots(context, slots.row(0));
    for (size_t part = 0; part < 2; ++part) {
      for (size_t prime = 0; prime < context.n_data(); ++prime) {
        const Modulus& q = context.modulus(prime);
        const uint64_t* a = factor.ciphertexts[i].parts[part].row(prime);
        uint64_t* out = sums_[i].parts[part].row(prime);
        if (is_empty_) {
          context.kernels().multiply(out, a, rows.row(prime), context.n(), q);
        } else {
          context.kernels().multiply_add(out, a, rows.row(prime), out, context.n(), q);
        }
      }
    }
  }
  is_empty_ = false;
}

template <class Word>
auto ProductSums<Word>::hide(std::span<Word> mask, he::SecureRandom& random) -> Result<Bytes> {
  TACET_CHECK(!is_empty_, "no products to hide");
  const Setting& setting = keys_.setting();
  const size_t n_primes = sums_.size();
  he::Rows mask_rows = draw_mask(setting, n_primes, mask.size(), random);
  const he::Rows& masks = mask_rows;
  setting.base(n_primes).lift(std::span<const uint64_t* const>(masks.row_pointers()), mask);
  Bytes bytes(n_primes * setting.reply_size());
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = setting.context(i);
    Result<he::Ciphertext> hidden =
        masked_products::hide(context, keys_.key(i), std::move(sums_[i]), mask_rows.row(i), random);
    if (!hidden) {
      return hidden.error();
    }
    pack_reply(setting, context, hidden.value(), bytes.data() + i * setting.reply_size());
  }
  return bytes;
}

template <class Word>
auto open(const Keys& keys, size_t n_primes, std::span<const std::byte> bytes,
          std::span<Word> numbers, he::SecureRandom& random) -> Status {
  const Setting& setting = keys.setting();
  if (bytes.size() != n_primes * setting.reply_size()) {
    return Error{"a reply of another size was sent"};
  }
  std::vector<he::Rows> opened;
  std::vector<const uint64_t*> rows;
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = setting.context(i);
    const Result<he::Ciphertext> ciphertext =
        unpack_reply(setting, context, keys.secret(i), bytes.data() + i * setting.reply_size());
    if (!ciphertext) {
      return ciphertext.error();
    }
    Result<he::Plaintext> message =
        he::decrypt(context, keys.secret(i), ciphertext.value(), random);
    if (!message) {
      return message.error();
    }
    opened.push_back(std::move(message).value().rows);
    context.kernels().forward_ntt(opened.back().row(0), *context.plain_tables());
    rows.push_back(opened.back().row(0));
  }
  setting.base(n_primes).lift(std::span<const uint64_t* const>(rows), numbers);
  return std::monostate{};
}

#define TACET_INSTANTIATE(Word)                                                        \
  template class ProductSums<Word>;                                                    \
  template auto encrypt(const Keys&, size_t, std::span<const Word>, he::SecureRandom&) \
      ->Result<Bytes>;                                                                 \
  template auto open(const Keys&, size_t, std::span<const std::byte>, std::span<Word>, \
                     he::SecureRandom&)                                                \
      ->Status;
TACET_INSTANTIATE(uint64_t)
TACET_INSTANTIATE(Uint128)
#undef TACET_INSTANTIATE

}  // namespace tacet::masked_products
