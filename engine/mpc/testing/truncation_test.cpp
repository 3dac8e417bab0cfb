#include <cmath>
#include <functional>

#include "engine/mpc/testing/protocol_test.h"

/// Truncation of every protocol against plain arithmetic.
namespace tacet::mpc {
namespace {

class TruncationTest : public ProtocolTest {};

/// Numbers below a quarter of the ring, its ends among them, and ever smaller ones.
auto truncatable(Ring ring, size_t n) -> RingArray {
  RingArray x = random_words(ring, n, n);
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> words = x.edit<T>();
    const T quarter = T{1} << (n_bits(ring) - 2);
    for (size_t i = 0; i < n; ++i) {
      const T magnitude = static_cast<T>((words[i] & (quarter - 1)) >> (i % (n_bits(ring) - 2)));
      words[i] = (i / 64) % 2 == 0 ? magnitude : static_cast<T>(0 - magnitude);
    }
    words[0] = quarter - 1;
    words[n / 2] = static_cast<T>(
        0 - std::min(quarter - 1, static_cast<T>(truncation_offset(n_bits(ring), 1))));
    words[n - 1] = 0;
  });
  return x;
}

/// How far above x / 2^f, rounded down, `truncated` is; signed. The error is less than one unit if
/// this is 0, or 1 where a rest was lost.
struct Rounding {
  int64_t up;
  bool has_rest;
};
auto rounding(const RingArray& x, const RingArray& truncated, size_t i, unsigned f) -> Rounding {
  const unsigned unused = 128 - n_bits(x.ring());
  __extension__ using Signed = __int128;
  const auto exact = static_cast<Signed>(x.at(i) << unused) >> unused;
  const auto got = static_cast<Signed>(truncated.at(i) << unused) >> unused;
  const Signed floor = exact >> f;
  return {.up = static_cast<int64_t>(got - floor), .has_rest = exact != floor << f};
}

auto is_close(const RingArray& x, const RingArray& truncated, unsigned f) -> bool {
  for (size_t i = 0; i < x.size(); ++i) {
    const Rounding error = rounding(x, truncated, i, f);
    if (error.up != 0 && !(error.up == 1 && error.has_rest)) {
      return false;
    }
  }
  return x.size() == truncated.size();
}

TEST_P(TruncationTest, TruncatesByLessThanOneUnit) {
  // Several pieces of large arrays. Checks of products take longer than these.
  const size_t many = GetParam().protocol == "aby3-active" ? 20'000 : 120'000;
  for (const Ring ring : kRings) {
    for (const unsigned f : {1U, 7U, 8U, 16U, 18U, n_bits(ring) - 3}) {
      for (const size_t n : {size_t{500}, many}) {
        const RingArray x = truncatable(ring, n);
        const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
          Share shared = co_await share_of(party, x, 1);
          Share shifted = co_await truncate(party, std::move(shared), f);
          co_return co_await open(party, std::move(shifted));
        });
        EXPECT_TRUE(is_close(x, results[0], f)) << f;
      }
    }
  }
}

/// Products of numbers of 64 bits are at most 2^126, which is more than others that are truncated.
TEST_P(TruncationTest, TruncatesTheProductsOfLeastNumbers) {
  const std::vector<uint64_t> ends = {uint64_t{1} << 63, ~uint64_t{0} >> 1, ~uint64_t{0}, 1};
  const RingArray numbers = convert(RingArray::of(ends), Ring::Z128, Extend::Sign);
  for (const unsigned f : {1U, 18U, 40U, 62U}) {
    for (size_t i = 0; i < ends.size(); ++i) {
      const RingArray x = RingArray::filled(Ring::Z128, ends.size(), numbers.at(i));
      const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
        Share left = co_await share_of(party, x, 1);
        Share right = co_await share_of(party, numbers, 0);
        Share product = co_await party.protocol().multiply_truncate(
            party, std::move(left), std::move(right), f, Truncation::Exact);
        co_return co_await open(party, std::move(product));
      });
      EXPECT_TRUE(is_close(multiply(x, numbers), results[0], f)) << f << ", " << i;
    }
  }
}

TEST_P(TruncationTest, TruncationOfSmallNumbersMayBeProbabilistic) {
  const RingArray x = shift_right_arithmetic(truncatable(Ring::Z64, 1000), 32);
  const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
    Share shared = co_await share_of(party, x, 1);
    Share shifted = co_await truncate(party, std::move(shared), 13, Truncation::Probabilistic);
    co_return co_await open(party, std::move(shifted));
  });
  for (size_t i = 0; i < x.size(); ++i) {
    const Rounding error = rounding(x, results[0], i, 13);
    EXPECT_TRUE(error.up >= -1 && error.up <= 2) << i;
  }
}

/// Protocols with shares; `ref` rounds down.
class SharingTruncationTest : public ProtocolTest {};

TEST_P(SharingTruncationTest, TruncationIsUnbiased) {
  // 5.25: a quarter of the results should be 6. The bound is six standard deviations.
  constexpr size_t kDraws = 100'000;
  const RingArray x = RingArray::filled(Ring::Z64, kDraws, 5 * 256 + 64);
  for (const Truncation how : {Truncation::Exact, Truncation::Probabilistic}) {
    const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
      Share shared = co_await share_of(party, x, 1);
      Share one = co_await share_of(party, RingArray::filled(Ring::Z64, kDraws, 1), 0);
      Share fresh = co_await multiply(party, std::move(shared), std::move(one));
      Share shifted = co_await truncate(party, std::move(fresh), 8, how);
      co_return co_await open(party, std::move(shifted));
    });
    double sum = 0;
    for (size_t i = 0; i < kDraws; ++i) {
      sum += static_cast<double>(results[0].at(i));
    }
    EXPECT_NEAR(sum / kDraws, 5.25, 6 * std::sqrt(0.25 * 0.75 / kDraws));
  }
}

/// What `Truncation::Probabilistic` is given: numbers of all kinds of shares.
struct ShareKind {
  std::string_view name;
  std::function<Task<Share>(Party&, const RingArray&)> make;
};

auto share_kinds() -> std::vector<ShareKind> {
  std::vector<ShareKind> kinds;
  for (Rank owner = 0; owner < 2; ++owner) {
    kinds.push_back({owner == 0 ? "input of party 0" : "input of party 1",
                     [owner](Party& party, const RingArray& x) -> Task<Share> {
                       co_return co_await share_of(party, x, owner);
                     }});
  }
  kinds.push_back({"public value", [](Party& party, const RingArray& x) -> Task<Share> {
                     co_return party.protocol().public_share(party, x);
                   }});
  kinds.push_back({"input plus a constant", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Share shared = co_await share_of(party, add_constant(x, 12345), 1);
                     co_return party.protocol().add_constant(party, shared, Word128{0} - 12345);
                   }});
  kinds.push_back(
      {"input times a public number", [](Party& party, const RingArray& x) -> Task<Share> {
         const Share shared = co_await share_of(party, negate(x), 1);
         co_return scale(shared, ~Word128{0});
       }});
  kinds.push_back({"sum whose masks vanish", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Share shared = co_await share_of(party, x, 1);
                     const Share twice = scale(shared, 2);
                     const Share constant = party.protocol().public_share(party, x);
                     co_return add(subtract(twice, scale(shared, 2)), constant);
                   }});
  kinds.push_back(
      {"sum of a part for each party", [](Party& party, const RingArray& x) -> Task<Share> {
         const RingArray zeros = RingArray::zeros(x.ring(), x.size());
         Share sum = co_await share_of(party, x, 0);
         for (Rank owner = 1; owner < party.n_parties(); ++owner) {
           sum = add(sum, co_await share_of(party, zeros, owner));
         }
         co_return sum;
       }});
  kinds.push_back({"bits as numbers", [](Party& party, const RingArray& x) -> Task<Share> {
                     const Bits bits =
                         party.protocol().public_bits(party, to_planes(x, n_bits(x.ring())));
                     co_return co_await bits_to_arithmetic(party, bits, x.ring());
                   }});
  return kinds;
}

/// A failure is off by ring / 2^f; their number should be that of |x| / ring for shares of every
/// kind and both signs, and so there are none of small numbers.
TEST_P(SharingTruncationTest, ProbabilisticTruncationFailsAsOftenAsStatedForAllShares) {
  constexpr size_t kDraws = 4096;
  constexpr unsigned f = 18;
  for (const ShareKind& kind : share_kinds()) {
    for (const unsigned n_bits_of_x : {20U, 36U, 60U}) {
      for (const bool is_negative : {false, true}) {
        const Word128 size = (Word128{1} << n_bits_of_x) + 12345;
        const RingArray x = RingArray::filled(Ring::Z64, kDraws, is_negative ? 0 - size : size);
        const auto results = run_parties(GetParam(), [&](Party& party) -> Task<RingArray> {
          Share shared = co_await kind.make(party, x);
          Share shifted = co_await truncate(party, std::move(shared), f, Truncation::Probabilistic);
          co_return co_await open(party, std::move(shifted));
        });
        const int64_t exact = static_cast<int64_t>(x.at(0)) >> f;
        size_t n_failures = 0;
        for (size_t i = 0; i < kDraws; ++i) {
          const int64_t error = static_cast<int64_t>(results[0].at(i)) - exact;
          n_failures += error < -1 || error > 2 ? 1 : 0;
        }
        // More than two parties of semi2k truncate exactly.
        const bool may_fail = GetParam().protocol == "aby3" || GetParam().n_parties == 2;
        const double expected =
            may_fail ? kDraws * std::ldexp(1.0, static_cast<int>(n_bits_of_x) - 64) : 0;
        EXPECT_NEAR(static_cast<double>(n_failures), expected, 6 * std::sqrt(expected))
            << kind.name << (is_negative ? ", -2^" : ", 2^") << n_bits_of_x;
      }
    }
  }
}

TEST_P(TruncationTest, ProductsAreTruncatedOnce) {
  const MatrixShape shape{.rows = 4, .inner = 30, .columns = 5};
  const unsigned f = 16;
  const RingArray x = shift_right_arithmetic(random_words(Ring::Z64, 120'000, 1), 40);
  const RingArray y = shift_right_arithmetic(random_words(Ring::Z64, 120'000, 2), 40);
  auto expect_close = [&](const RingArray& exact, const std::vector<RingArray>& results) {
    EXPECT_TRUE(is_close(exact, results[0], f));
  };
  auto product = [&](size_t n, auto kernel) {
    return run_parties(GetParam(), [&, n](Party& party) -> Task<RingArray> {
      Share left = co_await share_of(party, slice(x, 0, n), 1);
      Share right = co_await share_of(party, slice(y, 0, n + (n == 120 ? 30 : 0)), 2);
      Share result = co_await kernel(party, std::move(left), std::move(right));
      co_return co_await open(party, std::move(result));
    });
  };
  for (const size_t n : {size_t{100}, x.size()}) {
    expect_close(multiply(slice(x, 0, n), slice(y, 0, n)),
                 product(n, [&](Party& party, Share a, Share b) {
                   return party.protocol().multiply_truncate(party, std::move(a), std::move(b), f,
                                                             Truncation::Exact);
                 }));
  }
  expect_close(dot_rows(slice(x, 0, 300), slice(y, 0, 300), 30),
               product(300, [&](Party& party, Share a, Share b) {
                 return party.protocol().dot_truncate(party, std::move(a), std::move(b), 30, f,
                                                      Truncation::Exact);
               }));
  expect_close(multiply_matrices(slice(x, 0, 120), slice(y, 0, 150), shape),
               product(120, [&](Party& party, Share a, Share b) {
                 return party.protocol().multiply_matrices_truncate(
                     party, std::move(a), std::move(b), shape, f, Truncation::Exact);
               }));
}

INSTANTIATE_TEST_SUITE_P(All, TruncationTest, testing::ValuesIn(all_runs()), name_of);
/// Those whose every number is rounded up as often as its fraction says.
auto unbiased_runs() -> std::vector<TestRun> {
  std::vector<TestRun> runs = sharing_runs();
  std::erase_if(runs, [](const TestRun& run) { return run.protocol == "aby3-active"; });
  return runs;
}

/// `aby3-active` rounds to about the nearest: the error is 3/4 at most, and zero on average over
/// the fractions.
TEST(Aby3ActiveTruncation, RoundsToAboutTheNearest) {
  constexpr size_t kDraws = 256 * 400;
  std::vector<uint64_t> words(kDraws);
  for (size_t i = 0; i < kDraws; ++i) {
    words[i] = 1000 * 256 + i % 256;
  }
  const RingArray x = RingArray::of(words);
  const TestRun run{.n_parties = 3, .protocol = "aby3-active"};
  const auto results = run_parties(run, [&](Party& party) -> Task<RingArray> {
    Share shared = co_await share_of(party, x, 1);
    Share one = co_await share_of(party, RingArray::filled(Ring::Z64, kDraws, 1), 0);
    Share fresh = co_await multiply(party, std::move(shared), std::move(one));
    Share shifted = co_await truncate(party, std::move(fresh), 8);
    co_return co_await open(party, std::move(shifted));
  });
  double sum = 0;
  for (size_t i = 0; i < kDraws; ++i) {
    const double error =
        static_cast<double>(results[0].at(i)) - static_cast<double>(words[i]) / 256;
    EXPECT_LE(std::abs(error), 0.75);
    sum += error;
  }
  // The fractions are 0, 1/256 … 255/256; rounding 0 and one half costs the rest.
  EXPECT_NEAR(sum / kDraws, 0, 6 * std::sqrt(0.25 / kDraws));
}

INSTANTIATE_TEST_SUITE_P(All, SharingTruncationTest, testing::ValuesIn(unbiased_runs()), name_of);

}  // namespace
}  // namespace tacet::mpc
