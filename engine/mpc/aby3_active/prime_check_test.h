#pragma once

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "engine/mpc/aby3_active/prime_check.h"

/// For tests of checks of products by whole numbers: all three parties of them in one place, with a
/// liar among them.
namespace tacet::mpc {

using Integer = boost::multiprecision::cpp_int;
constexpr size_t kThree = 3;

inline auto prime_key_of(uint64_t number) -> secure_random::AesKey {
  secure_random::AesKey key{};
  std::memcpy(key.data(), &number, sizeof(number));
  return key;
}
inline auto coin_of(uint64_t seed, size_t fold) -> Coin {
  return prime_key_of(seed * 1000 + fold);
}
/// The prime that a run draws.
inline auto prime_of(uint64_t seed) -> uint64_t {
  secure_random::AesCtr coins(coin_of(seed, 1), {}, Isa::Scalar);
  return draw_prime(coins);
}

inline auto integer_of(const Whole& x) -> Integer {
  Integer out = 0;
  for (size_t i = 4; i-- > 0;) {
    out = (out << 64) + x[i];
  }
  return x[3] >> 63 != 0 ? out - (Integer(1) << 256) : out;
}
inline auto whole_of_integer(const Integer& x) -> Whole {
  const Integer size = Integer(1) << 256;
  Integer rest = (x % size + size) % size;
  Whole out{};
  for (uint64_t& word : out) {
    word = static_cast<uint64_t>(Integer(rest & ~uint64_t{0}));
    rest >>= 64;
  }
  return out;
}

/// Claims of dot products of one length, as the protocol makes them: party a has parts a and a + 1,
/// and part a of z is its summand with masks.
template <class Word>
struct Products {
  using Parts = std::array<std::vector<Word>, kThree>;
  size_t n;
  size_t length;
  Parts x;
  Parts y;
  Parts z;
  std::array<std::vector<ClaimOrigin>, kThree> origins;

  Products(size_t n_claims, size_t n_terms, std::mt19937_64& from) : n(n_claims), length(n_terms) {
    Parts masks;
    // Uniform, and sometimes extreme.
    const auto word = [&] {
      const uint64_t kind = from() % 16;
      return static_cast<Word>(kind == 0 ? 0 : kind == 1 ? ~uint64_t{0} : from());
    };
    for (size_t a = 0; a < kThree; ++a) {
      for (std::vector<Word>* words : {&x[a], &y[a]}) {
        words->resize(n * length);
        std::generate(words->begin(), words->end(), word);
      }
      masks[a].resize(n);
      std::generate(masks[a].begin(), masks[a].end(), word);
    }
    for (size_t a = 0; a < kThree; ++a) {
      const size_t next = (a + 1) % kThree;
      for (size_t i = 0; i < n; ++i) {
        Word sum = static_cast<Word>(masks[a][i] - masks[next][i]);
        for (size_t k = i * length; k < (i + 1) * length; ++k) {
          sum += static_cast<Word>(x[a][k] * y[a][k] + x[a][k] * y[next][k] + x[next][k] * y[a][k]);
        }
        z[a].push_back(sum);
        origins[a].push_back(masks[a][i] < masks[next][i] ? ClaimOrigin::Borrow
                                                          : ClaimOrigin::NoBorrow);
      }
    }
  }

  void add_to(PrimeCheck& check, size_t party) const {
    const size_t next = (party + 1) % kThree;
    const auto of = [&](const Parts& parts) {
      return PartsOf<Word>{parts[party].data(), parts[next].data()};
    };
    check.add_dots<Word>(of(x), of(y), of(z), origins[party].data(), n, length);
  }
  /// x~ y~ - z~ of a claim.
  [[nodiscard]] auto difference(size_t i) const -> Integer {
    Integer out = 0;
    for (size_t k = i * length; k < (i + 1) * length; ++k) {
      out += (Integer(x[0][k]) + x[1][k] + x[2][k]) * (Integer(y[0][k]) + y[1][k] + y[2][k]);
    }
    return out - z[0][i] - z[1][i] - z[2][i];
  }
};

/// Changes what a party sends: message, party, bytes.
using Change = std::function<void(size_t, size_t, std::vector<std::byte>&)>;

struct Result {
  bool holds = false;
  size_t n_folds = 0;
  std::vector<std::array<std::vector<std::byte>, kThree>> messages{};
  /// Sums that are opened.
  std::array<uint64_t, 3> opened{};
};

inline auto run_checks(uint64_t seed, const std::function<void(PrimeCheck&, size_t)>& add,
                       const Change& change = {}) -> Result {
  std::array<PrimeCheck, kThree> checks;
  std::vector<std::array<secure_random::AesCtr, 2>> streams;
  for (size_t party = 0; party < kThree; ++party) {
    streams.push_back({{{prime_key_of(seed * 8 + party), {}, Isa::Scalar},
                        {prime_key_of(seed * 8 + (party + 1) % kThree), {}, Isa::Scalar}}});
    add(checks[party], party);
    checks[party].weigh(coin_of(seed, 0));
  }
  Result result;
  while (!checks[0].is_done()) {
    auto& messages = result.messages.emplace_back();
    for (size_t party = 0; party < kThree; ++party) {
      messages[party] = checks[party].message(
          [&](size_t part, std::span<std::byte> bytes) { streams[party][part].fill(bytes); });
      if (change) {
        change(result.n_folds, party, messages[party]);
      }
    }
    ++result.n_folds;
    for (size_t party = 0; party < kThree; ++party) {
      checks[party].receive(messages[(party + 1) % kThree]);
      checks[party].fold(coin_of(seed, result.n_folds));
    }
  }
  // Of each part what the party that received it has: the liar's own copy is not of interest.
  result.opened = checks[0].opening(1);
  for (size_t party = 1; party < kThree; ++party) {
    const auto parts = checks[party].opening(1);
    for (size_t i = 0; i < 3; ++i) {
      checks[0].add(result.opened[i], parts[i]);
    }
  }
  result.holds = checks[0].holds(result.opened);
  EXPECT_EQ(result.n_folds, checks[0].n_folds());
  return result;
}

template <class Word>
auto run_products(uint64_t seed, const Products<Word>& products, const Change& change = {})
    -> Result {
  return run_checks(
      seed, [&](PrimeCheck& check, size_t party) { products.add_to(check, party); }, change);
}

/// Adds to number j of a party's message of carries.
inline auto adding(size_t liar, const std::function<Integer(size_t)>& error) -> Change {
  return [=](size_t stage, size_t party, std::vector<std::byte>& message) {
    if (stage != 0 || party != liar) {
      return;
    }
    std::vector<Whole> sums(message.size() / sizeof(Whole));
    std::memcpy(sums.data(), message.data(), message.size());
    for (size_t j = 0; j < sums.size(); ++j) {
      sums[j] = whole_of_integer(integer_of(sums[j]) + error(j));
    }
    std::memcpy(message.data(), sums.data(), message.size());
  };
}

/// The bits of claims of one row, as the coin gives them.
inline auto bits_of(uint64_t seed, size_t n) -> std::vector<uint64_t> {
  std::vector<uint64_t> bits((n + kCarryBlock - 1) / kCarryBlock * kCarrySums);
  secure_random::AesCtr(coin_of(seed, 0), {}, Isa::Scalar)
      .fill(std::as_writable_bytes(std::span(bits)));
  return bits;
}
inline auto bit_of(const std::vector<uint64_t>& bits, size_t claim, size_t j) -> bool {
  return (bits[claim / kCarryBlock * kCarrySums + j] >> claim % kCarryBlock & 1) != 0;
}

}  // namespace tacet::mpc
