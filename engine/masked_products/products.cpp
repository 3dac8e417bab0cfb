#include "engine/masked_products/products.h"

#include <cstring>

#include "base/check.h"
#include "engine/he/encryption.h"
#include "engine/he/key_generation.h"
#include "engine/he/packed_rows.h"
#include "engine/masked_products/hide.h"
#include "engine/masked_products/uniform_numbers.h"

namespace tacet::masked_products {
namespace {

constexpr size_t kSeedSize = sizeof(he::PublicSeed::bytes);
/// Primes of a reply.
constexpr size_t kReplyPrimes = 2;

/// The polynomial that stands for `numbers` modulo the `i`-th plain modulus, by its coefficients.
template <class Word>
void fill_polynomial(const Setting& setting, size_t i, Packing packing,
                     std::span<const Word> numbers, uint64_t* row) {
  setting.base(i + 1).reduce(numbers, i, row);
  std::fill(row + numbers.size(), row + setting.n_slots(), 0);
  if (packing == Packing::Slots) {
    const he::Context& context = setting.context(i);
    context.kernels().inverse_ntt(row, *context.plain_tables());
  }
}

/// Uniform numbers of an interval of length 2^(43 c - 3), where c is the number of plain moduli,
/// whose beginning is as far from zero: `lift` is exact for them, and for them plus any sum.
auto draw_mask(const Setting& setting, size_t n_primes, he::SecureRandom& random) -> he::Rows {
  const he::Context& context = setting.context(0);
  const CrtBase& base = setting.base(n_primes);
  const auto n_bits = static_cast<unsigned>(43 * n_primes - 3);
  const UniformNumbers numbers(context, n_bits, random);
  he::Rows rows = context.rows(n_primes, he::Wipe::Yes);
  for (size_t i = 0; i < n_primes; ++i) {
    const Modulus& p = base.modulus(i);
    uint64_t* row = rows.row(i);
    numbers.residues(context, p, row);
    const uint64_t begin = ring::power(2, n_bits, p);
    for (size_t k = 0; k < context.n(); ++k) {
      row[k] = ring::add(row[k], begin, p);
    }
  }
  return rows;
}

/// What stands at `places` of `row`, at the beginning of another one.
void gather(std::span<const uint32_t> places, const uint64_t* row, uint64_t* out) {
  for (size_t i = 0; i < places.size(); ++i) {
    out[i] = row[places[i]];
  }
}

/// The numbers whose residues are at the beginning of `residues`, a row for each plain modulus.
template <class Word>
void lift(const Setting& setting, const he::Rows& residues, std::span<Word> numbers) {
  const std::vector<const uint64_t*> rows = residues.row_pointers();
  setting.base(rows.size()).lift(std::span<const uint64_t* const>(rows), numbers);
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

/// The second half of a reply, and of the first one the coefficients at the places `wanted`.
void pack_wanted(const Setting& setting, const he::Context& context, he::Ciphertext reply,
                 std::span<const uint32_t> wanted, std::byte* out) {
  const std::vector<Modulus> moduli = setting.data_moduli(kReplyPrimes);
  he::pack_rows(context, reply.parts[1].row_pointers(), moduli, out);
  out += setting.reply_size() / 2;
  std::vector<uint64_t> coefficients((wanted.size() + 63) / 64 * 64);
  for (size_t prime = 0; prime < moduli.size(); ++prime) {
    context.transform_back(reply.parts[0].row(prime), prime);
    gather(wanted, reply.parts[0].row(prime), coefficients.data());
    he::pack_row(context.isa(), coefficients, moduli[prime], out);
    out += he::packed_size(coefficients.size(), moduli[prime]);
  }
}

auto reply_of(const he::Context& context, const he::SecretKey& key, he::Rows first, he::Rows second)
    -> he::Ciphertext {
  he::Ciphertext reply;
  reply.parts.push_back(std::move(first));
  reply.parts.push_back(std::move(second));
  reply.metadata.noise = hidden_noise(context);
  reply.metadata.key_id = key.id;
  reply.metadata.parameters = context.parameters().digest();
  return reply;
}

auto unpack_reply(const Setting& setting, const he::Context& context, const he::SecretKey& key,
                  const std::byte* in) -> Result<he::Ciphertext> {
  const std::vector<Modulus> moduli = setting.data_moduli(kReplyPrimes);
  Result<he::Rows> first = he::unpack_rows(context, in, moduli, "reply");
  Result<he::Rows> second =
      he::unpack_rows(context, in + setting.reply_size() / 2, moduli, "reply");
  if (!first || !second) {
    return first ? second.error() : first.error();
  }
  return reply_of(context, key, std::move(first).value(), std::move(second).value());
}

/// What `pack_wanted` wrote; the coefficients of the first half that were not sent are zero, so
/// that those of the message at their places mean nothing.
auto unpack_wanted(const Setting& setting, const he::Context& context, const he::SecretKey& key,
                   std::span<const uint32_t> wanted, const std::byte* in)
    -> Result<he::Ciphertext> {
  const std::vector<Modulus> moduli = setting.data_moduli(kReplyPrimes);
  Result<he::Rows> second = he::unpack_rows(context, in, moduli, "reply");
  if (!second) {
    return second.error();
  }
  in += setting.reply_size() / 2;
  he::Rows first = context.rows(kReplyPrimes);
  std::vector<uint64_t> coefficients((wanted.size() + 63) / 64 * 64);
  for (size_t prime = 0; prime < kReplyPrimes; ++prime) {
    if (!he::unpack_row(context.isa(), in, moduli[prime], coefficients)) {
      return Error{"the reply has a residue that is not less than its modulus"};
    }
    in += he::packed_size(coefficients.size(), moduli[prime]);
    uint64_t* row = first.row(prime);
    std::fill(row, row + context.n(), 0);
    for (size_t i = 0; i < wanted.size(); ++i) {
      row[wanted[i]] = coefficients[i];
    }
    context.transform(row, prime);
  }
  return reply_of(context, key, std::move(first), std::move(second).value());
}

/// The message of a reply, by its coefficients.
auto decrypt_reply(const he::Context& context, const he::SecretKey& key,
                   const Result<he::Ciphertext>& reply, he::SecureRandom& random)
    -> Result<he::Rows> {
  if (!reply) {
    return reply.error();
  }
  Result<he::Plaintext> message = he::decrypt(context, key, reply.value(), random);
  if (!message) {
    return message.error();
  }
  return std::move(message).value().rows;
}

}  // namespace

template <class Word>
auto encrypt(const Keys& keys, size_t n_primes, Packing packing, std::span<const Word> numbers,
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
    fill_polynomial(setting, i, packing, numbers, message.rows.row(0));
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
    return Error{"encryption of the wrong size"};
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
    ciphertext.metadata.noise = context.noise().fresh_symmetric();
    ciphertext.metadata.parameters = context.parameters().digest();
    factor.ciphertexts.push_back(std::move(ciphertext));
  }
  return factor;
}

template <class Word>
ProductSums<Word>::ProductSums(const PublicKeys& keys, size_t n_primes, Packing packing)
    : keys_(keys), packing_(packing) {
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = keys.setting().context(i);
    he::Ciphertext sum;
    sum.parts.push_back(context.rows(context.n_data()));
    sum.parts.push_back(context.rows(context.n_data()));
    sum.metadata.key_id = keys.key(i).key_id;
    sum.metadata.parameters = context.parameters().digest();
    sums_.push_back(std::move(sum));
  }
}

template <class Word>
void ProductSums<Word>::add(const Factor& factor, std::span<const Word> numbers) {
  const Setting& setting = keys_.setting();
  for (size_t i = 0; i < sums_.size(); ++i) {
    const he::Context& context = setting.context(i);
    he::Rows polynomial = context.rows(1, he::Wipe::Yes);
    fill_polynomial(setting, i, packing_, numbers, polynomial.row(0));
    const he::Rows rows = prepare_factor(context, polynomial.row(0));
    for (size_t part = 0; part < 2; ++part) {
      for (size_t prime = 0; prime < context.n_data(); ++prime) {
        const Modulus& q = context.modulus(prime);
        const uint64_t* a = factor.ciphertexts[i].parts[part].row(prime);
        uint64_t* out = sums_[i].parts[part].row(prime);
        if (n_products_ == 0) {
          context.kernels().multiply(out, a, rows.row(prime), context.n(), q);
        } else {
          context.kernels().multiply_add(out, a, rows.row(prime), out, context.n(), q);
        }
      }
    }
  }
  ++n_products_;
  TACET_CHECK(n_products_ <= Slack::kMaxProducts, "more products than their noise is hidden for");
}

template <class Word>
auto ProductSums<Word>::hide_sums(he::Rows masks, he::SecureRandom& random)
    -> Result<std::vector<he::Ciphertext>> {
  TACET_CHECK(n_products_ > 0, "no products to hide");
  const Setting& setting = keys_.setting();
  std::vector<he::Ciphertext> replies;
  for (size_t i = 0; i < sums_.size(); ++i) {
    Result<he::Ciphertext> hidden = masked_products::hide(
        setting.context(i), keys_.key(i), std::move(sums_[i]), masks.row(i), random);
    if (!hidden) {
      return hidden.error();
    }
    replies.push_back(std::move(hidden).value());
  }
  return replies;
}

template <class Word>
auto ProductSums<Word>::hide(std::span<Word> mask, he::SecureRandom& random) -> Result<Bytes> {
  TACET_CHECK(packing_ == Packing::Slots, "the sums are not in slots");
  const Setting& setting = keys_.setting();
  const size_t n_primes = sums_.size();
  he::Rows masks = draw_mask(setting, n_primes, random);
  lift(setting, masks, mask);
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = setting.context(i);
    context.kernels().inverse_ntt(masks.row(i), *context.plain_tables());
  }
  const Result<std::vector<he::Ciphertext>> replies = hide_sums(std::move(masks), random);
  if (!replies) {
    return replies.error();
  }
  Bytes bytes(n_primes * setting.reply_size());
  for (size_t i = 0; i < n_primes; ++i) {
    pack_reply(setting, setting.context(i), replies.value()[i],
               bytes.data() + i * setting.reply_size());
  }
  return bytes;
}

template <class Word>
auto ProductSums<Word>::hide_coefficients(std::span<const uint32_t> wanted, std::span<Word> mask,
                                          he::SecureRandom& random) -> Result<Bytes> {
  TACET_CHECK(packing_ == Packing::Coefficients, "the sums are not in coefficients");
  TACET_CHECK(wanted.size() == mask.size(), "a mask for each wanted coefficient");
  const Setting& setting = keys_.setting();
  const size_t n_primes = sums_.size();
  he::Rows masks = draw_mask(setting, n_primes, random);
  he::Rows gathered = setting.context(0).rows(n_primes, he::Wipe::Yes);
  for (size_t i = 0; i < n_primes; ++i) {
    gather(wanted, masks.row(i), gathered.row(i));
  }
  lift(setting, gathered, mask);
  Result<std::vector<he::Ciphertext>> replies = hide_sums(std::move(masks), random);
  if (!replies) {
    return replies.error();
  }
  const size_t size = setting.reply_size_of(wanted.size());
  Bytes bytes(n_primes * size);
  for (size_t i = 0; i < n_primes; ++i) {
    pack_wanted(setting, setting.context(i), std::move(replies.value()[i]), wanted,
                bytes.data() + i * size);
  }
  return bytes;
}

template <class Word>
auto open(const Keys& keys, size_t n_primes, std::span<const std::byte> bytes,
          std::span<Word> numbers, he::SecureRandom& random) -> Status {
  const Setting& setting = keys.setting();
  if (bytes.size() != n_primes * setting.reply_size()) {
    return Error{"reply of the wrong size"};
  }
  std::vector<he::Rows> opened;
  std::vector<const uint64_t*> rows;
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = setting.context(i);
    Result<he::Rows> message = decrypt_reply(
        context, keys.secret(i),
        unpack_reply(setting, context, keys.secret(i), bytes.data() + i * setting.reply_size()),
        random);
    if (!message) {
      return message.error();
    }
    opened.push_back(std::move(message).value());
    context.kernels().forward_ntt(opened.back().row(0), *context.plain_tables());
    rows.push_back(opened.back().row(0));
  }
  setting.base(n_primes).lift(std::span<const uint64_t* const>(rows), numbers);
  return std::monostate{};
}

template <class Word>
auto open_coefficients(const Keys& keys, size_t n_primes, std::span<const uint32_t> wanted,
                       std::span<const std::byte> bytes, std::span<Word> numbers,
                       he::SecureRandom& random) -> Status {
  const Setting& setting = keys.setting();
  const size_t size = setting.reply_size_of(wanted.size());
  if (bytes.size() != n_primes * size) {
    return Error{"reply of the wrong size"};
  }
  he::Rows gathered = setting.context(0).rows(n_primes, he::Wipe::Yes);
  for (size_t i = 0; i < n_primes; ++i) {
    const he::Context& context = setting.context(i);
    const Result<he::Rows> message = decrypt_reply(
        context, keys.secret(i),
        unpack_wanted(setting, context, keys.secret(i), wanted, bytes.data() + i * size), random);
    if (!message) {
      return message.error();
    }
    gather(wanted, message.value().row(0), gathered.row(i));
  }
  lift(setting, gathered, numbers);
  return std::monostate{};
}

#define TACET_INSTANTIATE(Word)                                                                   \
  template class ProductSums<Word>;                                                               \
  template auto encrypt(const Keys&, size_t, Packing, std::span<const Word>, he::SecureRandom&)   \
      ->Result<Bytes>;                                                                            \
  template auto open(const Keys&, size_t, std::span<const std::byte>, std::span<Word>,            \
                     he::SecureRandom&)                                                           \
      ->Status;                                                                                   \
  template auto open_coefficients(const Keys&, size_t, std::span<const uint32_t>,                 \
                                  std::span<const std::byte>, std::span<Word>, he::SecureRandom&) \
      ->Status;
TACET_INSTANTIATE(uint64_t)
TACET_INSTANTIATE(Uint128)
#undef TACET_INSTANTIATE

}  // namespace tacet::masked_products
