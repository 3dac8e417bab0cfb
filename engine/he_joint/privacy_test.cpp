// What a coalition of all parties but one sees of the last one, at a size where arithmetic on whole
// numbers is an oracle that shares no code with the engine.

#include <gtest/gtest.h>

#include <cmath>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint/joint_refresh.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he::joint {
namespace {

__extension__ using Int128 = __int128;

constexpr unsigned kParties = 3;
constexpr size_t kN = 64;
constexpr uint64_t kT = 257;

/// Coefficients modulo the product of the first two primes, near zero.
using Numbers = std::vector<Int128>;

auto power_of(Int128 base, uint64_t exponent, Int128 q) -> Int128 {
  Int128 result = 1;
  for (; exponent != 0; exponent /= 2, base = base * base % q) {
    result = exponent % 2 != 0 ? result * base % q : result;
  }
  return result;
}

class Coalition : public testing::Test {
 protected:
  Coalition()
      : session_(value(Session::make(context_, PublicSeed::draw(random_)))), encoder_(context_) {
    for (unsigned i = 0; i < kParties; ++i) {
      parties_.push_back(value(Party::make(context_, session_, i, random_)));
    }
    std::vector<Message> shares;
    for (Party& party : parties_) {
      shares.push_back(value(share_public_key(context_, party, random_)));
    }
    key_ = value(combine_public_key(context_, session_, shares));
    q_[0] = static_cast<Int128>(context_.modulus(0).value);
    q_[1] = static_cast<Int128>(context_.modulus(1).value);
  }

  auto modulus() const -> Int128 { return q_[0] * q_[1]; }
  auto near_zero(Int128 x) const -> Int128 {
    x = ((x % modulus()) + modulus()) % modulus();
    return x > modulus() / 2 ? x - modulus() : x;
  }

  auto row_of(const Rows& transformed, size_t i) const -> std::vector<uint64_t> {
    Rows row = context_.rows(1);
    std::copy_n(transformed.row(i), kN, row.row(0));
    context_.transform_back(row.row(0), i);
    return {row.row(0), row.row(0) + kN};
  }
  auto numbers(const std::vector<uint64_t> (&rows)[2]) const -> Numbers {
    const Int128 inverse = power_of(q_[0] % q_[1], context_.modulus(1).value - 2, q_[1]);
    Numbers result;
    for (size_t i = 0; i < kN; ++i) {
      const auto low = static_cast<Int128>(rows[0][i]);
      const Int128 rest = ((static_cast<Int128>(rows[1][i]) - low) % q_[1] + q_[1]) % q_[1];
      result.push_back(near_zero(low + q_[0] * (rest * inverse % q_[1])));
    }
    return result;
  }
  auto numbers(const Rows& transformed) const -> Numbers {
    return numbers({row_of(transformed, 0), row_of(transformed, 1)});
  }
  /// By the definition, X^N = -1.
  auto product(const Rows& a, const Rows& b) const -> Numbers {
    std::vector<uint64_t> rows[2];
    for (size_t i = 0; i < 2; ++i) {
      const std::vector<uint64_t> x = row_of(a, i);
      const std::vector<uint64_t> y = row_of(b, i);
      std::vector<Int128> sums(kN);
      for (size_t j = 0; j < kN; ++j) {
        for (size_t k = 0; k < kN; ++k) {
          const Int128 term = static_cast<Int128>(x[j]) * static_cast<Int128>(y[k]) % q_[i];
          Int128& sum = sums[(j + k) % kN];
          sum = (j + k < kN ? sum + term : sum - term) % q_[i];
        }
      }
      for (const Int128 sum : sums) {
        rows[i].push_back(static_cast<uint64_t>((sum + q_[i]) % q_[i]));
      }
    }
    return numbers(rows);
  }
  void add_to(Numbers& sum, const Numbers& other) const {
    for (size_t i = 0; i < kN; ++i) {
      sum[i] = near_zero(sum[i] + other[i]);
    }
  }
  auto encrypted(const std::vector<int64_t>& message) -> Ciphertext {
    return value(encrypt(context_, key_, value(encoder_.encode_coefficients(message)), random_, 2));
  }
  /// c_0 + c_1 s by whole numbers.
  auto phase(const Ciphertext& a) const -> Numbers {
    Numbers sum = numbers(a.parts[0]);
    for (const Party& party : parties_) {
      add_to(sum, product(a.parts[1], party.secret()));
    }
    return sum;
  }
  auto message_of(const Numbers& phase) const -> std::vector<int64_t> {
    std::vector<int64_t> result;
    for (const Int128 x : phase) {
      const Int128 twice = 2 * static_cast<Int128>(kT) * x + modulus();
      const Int128 floor =
          twice >= 0 ? twice / (2 * modulus()) : -((-twice + 2 * modulus() - 1) / (2 * modulus()));
      auto residue = static_cast<int64_t>(floor % static_cast<Int128>(kT));
      residue -= residue > 128 ? 257 : 0;
      residue += residue < -128 ? 257 : 0;
      result.push_back(residue);
    }
    return result;
  }
  /// What the phase is off by from round(Q m / t).
  auto noise(const Numbers& phase, const std::vector<int64_t>& message) const -> Numbers {
    Numbers result;
    for (size_t i = 0; i < kN; ++i) {
      const Int128 exact = modulus() / static_cast<Int128>(kT) * message[i] +
                           modulus() % static_cast<Int128>(kT) * message[i] / 257;
      result.push_back(near_zero(phase[i] - exact));
    }
    return result;
  }
  /// What parties 0 and 1, who know the message, find in a share of party 2.
  auto view_of(const Ciphertext& a, const Message& share, const std::vector<int64_t>& message) const
      -> Numbers {
    Numbers sum = numbers(a.parts[0]);
    add_to(sum, numbers(share.polynomials[0].rows));
    for (unsigned i = 0; i < 2; ++i) {
      add_to(sum, product(a.parts[1], parties_[i].secret()));
    }
    return noise(sum, message);
  }

  SecureRandom random_ = secure_random::seeded_random(secure_random::TestSeed::of(5), best_isa());
  ContextRef context_ref_ =
      Context::make(value(insecure_test_parameters({.scheme = Scheme::Bfv,
                                                    .ring_dimension = kN,
                                                    .data_prime_bits = {50, 50, 50},
                                                    .special_prime_bits = {50},
                                                    .plain_modulus = kT,
                                                    .n_key_holders = kParties})));
  const Context& context_ = *context_ref_;
  Session session_;
  IntegerEncoder encoder_;
  std::vector<Party> parties_;
  PublicKey key_;
  Int128 q_[2] = {};
};

auto chi_squared(const std::vector<size_t>& counts) -> double {
  double n = 0;
  for (const size_t count : counts) {
    n += static_cast<double>(count);
  }
  const double expected = n / static_cast<double>(counts.size());
  double sum = 0;
  for (const size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

TEST_F(Coalition, DecryptionIsThatOfWholeNumbers) {
  for (int64_t first = -128; first <= 128; first += 16) {
    std::vector<int64_t> message(kN, first);
    message[1] = 128;
    message[2] = -128;
    const Ciphertext a = encrypted(message);
    EXPECT_EQ(message_of(phase(a)), message);
    std::vector<Message> shares;
    for (const Party& party : parties_) {
      shares.push_back(value(share_decryption(context_, party, a, {}, random_)));
    }
    const DecryptedMessage together = value(combine_decryption(context_, session_, a, {}, shares));
    EXPECT_EQ(value(encoder_.decode_coefficients(together.plaintext)), message);
  }
}

TEST_F(Coalition, SeesUniformNumbersInAShare) {
  // The noise of the ciphertext, by which the secret of party 2 could be found, moves them by less
  // than 2^-40: nothing that can be counted depends on it.
  const std::vector<int64_t> message(kN, 77);
  const Ciphertext a = encrypted(message);
  const Numbers own = noise(phase(a), message);
  const unsigned bits = value(flooding_bits(context_, session_, a, {}));
  const double width = std::exp2(bits);
  constexpr size_t kRuns = 500;
  constexpr size_t kBins = 16;
  std::vector<size_t> high(kBins);
  std::vector<size_t> low(kBins);
  double products = 0;
  double squares = 0;
  double largest = 0;
  for (const Int128 e : own) {
    squares += static_cast<double>(e) * static_cast<double>(e);
    largest = std::max(largest, std::abs(static_cast<double>(e)));
  }
  EXPECT_GE(width, largest * 0x1p40);
  EXPECT_GE(width, std::exp2(a.metadata.bound) * 0x1p36);
  for (size_t run = 0; run < kRuns; ++run) {
    const Message share = value(share_decryption(context_, parties_[2], a, {}, random_));
    const Numbers view = view_of(a, share, message);
    for (size_t i = 0; i < kN; ++i) {
      const double place = static_cast<double>(view[i]) / width + 0.5;
      ASSERT_GE(place, -0x1p-40);
      ASSERT_LE(place, 1 + 0x1p-40);
      ++high[static_cast<size_t>(std::clamp(place, 0.0, 0.999999) * kBins)];
      ++low[static_cast<size_t>(view[i] & 15)];
      products += (place - 0.5) * static_cast<double>(own[i]);
    }
  }
  // 15 degrees of freedom: 44 has a probability of 10^-4.
  EXPECT_LT(chi_squared(high), 44);
  EXPECT_LT(chi_squared(low), 44);
  EXPECT_LT(std::abs(products), 4 * std::sqrt(squares * kRuns / 12));
}

TEST_F(Coalition, SeesUniformMasksInARefresh) {
  // The masked message that all learn, less the masks of the coalition.
  constexpr size_t kRuns = 300;
  std::vector<size_t> counts(kT);
  const std::vector<int64_t> message(kN, 100);
  const Ciphertext a = encrypted(message);
  for (size_t run = 0; run < kRuns; ++run) {
    const OpenedShare opened = value(share_to_shares(context_, parties_[2], a, {}, random_));
    Numbers sum = numbers(a.parts[0]);
    add_to(sum, numbers(opened.message.polynomials[0].rows));
    for (unsigned i = 0; i < 2; ++i) {
      add_to(sum, product(a.parts[1], parties_[i].secret()));
    }
    for (const int64_t masked : message_of(sum)) {
      ++counts[static_cast<size_t>(masked + 128)];
    }
  }
  // 256 degrees of freedom.
  EXPECT_LT(chi_squared(counts), 256 + 4 * std::sqrt(2 * 256.0));
}

TEST_F(Coalition, LearnsNothingOfAMessageWithoutTheLastShare) {
  // The phase of a coalition is c_1 s_2 off: uniform modulo Q.
  std::vector<size_t> counts(16);
  for (size_t run = 0; run < 200; ++run) {
    const Ciphertext a = encrypted(std::vector<int64_t>(kN, 1));
    Numbers sum = numbers(a.parts[0]);
    for (unsigned i = 0; i < 2; ++i) {
      add_to(sum, product(a.parts[1], parties_[i].secret()));
    }
    for (const Int128 x : sum) {
      const double place = static_cast<double>(x) / static_cast<double>(modulus()) + 0.5;
      ++counts[static_cast<size_t>(std::clamp(place, 0.0, 0.999999) * 16)];
    }
  }
  EXPECT_LT(chi_squared(counts), 44);
}

}  // namespace
}  // namespace tacet::he::joint
