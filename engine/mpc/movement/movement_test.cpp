#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "engine/mpc/movement/partition.h"
#include "engine/mpc/movement/permutations.h"
#include "engine/mpc/movement/secret_index.h"
#include "engine/mpc/movement/sort.h"
#include "engine/mpc/testing/run_parties.h"

namespace tacet::mpc {
namespace {

using Words = std::vector<uint64_t>;

auto random_words(size_t n, uint64_t below, uint64_t seed) -> Words {
  std::mt19937_64 random(seed);
  Words words(n);
  for (uint64_t& word : words) {
    word = below == 0 ? random() : random() % below;
  }
  return words;
}

auto shared(Party& party, const Words& words) -> Share {
  return party.protocol().public_share(party, RingArray::of(words));
}

auto to_vector(const RingArray& array) -> Words {
  const std::span<const uint64_t> words = array.words<uint64_t>();
  return {words.begin(), words.end()};
}

/// The arrays that `kernel` gives, opened.
template <class Kernel>
auto opened(const TestRun& run, Kernel kernel) -> std::vector<Words> {
  const auto results = run_parties(run, [&](Party& party) -> Task<std::vector<Words>> {
    std::vector<Share> shares = co_await kernel(party);
    std::vector<Words> all;
    for (const Share& share : shares) {
      RingArray array = co_await open(party, share);
      all.push_back(to_vector(array));
    }
    co_return all;
  });
  for (const std::vector<Words>& result : results) {
    EXPECT_EQ(result, results[0]);
  }
  return results[0];
}

class MovementTest : public testing::TestWithParam<TestRun> {};

TEST_P(MovementTest, ShufflesKeepRowsTogether) {
  const Words first = random_words(100, 0, 1);
  Words second(100);
  std::iota(second.begin(), second.end(), uint64_t{0});
  const std::vector<Words> found = opened(GetParam(), [&](Party& party) {
    return shuffle(party, {shared(party, first), shared(party, second)});
  });
  Words places = found[1];
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_LT(found[1][i], 100U);
    EXPECT_EQ(found[0][i], first[found[1][i]]);
  }
  if (GetParam().protocol != "ref") {
    EXPECT_NE(places, second);
  }
  std::sort(places.begin(), places.end());
  EXPECT_EQ(places, second);
}

TEST_P(MovementTest, MovesToAndFromSecretPlaces) {
  for (const size_t n : {size_t{1}, size_t{2}, size_t{77}}) {
    Words places(n);
    std::iota(places.begin(), places.end(), uint64_t{0});
    std::shuffle(places.begin(), places.end(), std::mt19937_64(n));
    const Words values = random_words(n, 0, n);
    Words to(n);
    Words from(n);
    for (size_t i = 0; i < n; ++i) {
      to[places[i]] = values[i];
      from[i] = values[places[i]];
    }
    const auto moved_to = opened(GetParam(), [&](Party& party) {
      return move_to(party, shared(party, places), {shared(party, values)});
    });
    EXPECT_EQ(moved_to[0], to);
    const auto moved_from = opened(GetParam(), [&](Party& party) {
      return move_from(party, shared(party, places), {shared(party, values)});
    });
    EXPECT_EQ(moved_from[0], from);
  }
}

/// A key of the low `width` bits of a word, as it is compared.
auto key_of(uint64_t word, IntegerType type) -> __int128 {
  const uint64_t low = type.width == 64 ? word : word & ((uint64_t{1} << type.width) - 1);
  const bool is_negative =
      type.signedness == Signedness::Signed && (low >> (type.width - 1) & 1) != 0;
  return static_cast<__int128>(low) - (is_negative ? static_cast<__int128>(1) << type.width : 0);
}

TEST_P(MovementTest, SortsStably) {
  for (const Signedness signedness : {Signedness::Unsigned, Signedness::Signed}) {
    for (const unsigned width : {1U, 3U, 8U, 9U, 16U, 32U, 63U, 64U}) {
      for (const size_t n : {size_t{1}, size_t{2}, size_t{9}, size_t{130}}) {
        // Correlations take their time.
        if (GetParam().protocol == "semi2k" && (n > 9 || width % 8 != 0)) {
          continue;
        }
        const IntegerType type{.width = width, .signedness = signedness};
        // Many equal keys, with rubbish above their width.
        Words keys = random_words(n, n < 100 ? 5 : 0, width);
        if (width < 64) {
          for (uint64_t& key : keys) {
            key = key % 7 + (key << width);
          }
        }
        Words values(n);
        std::iota(values.begin(), values.end(), uint64_t{0});
        Words order = values;
        std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
          return key_of(keys[a], type) < key_of(keys[b], type);
        });
        const auto found = opened(GetParam(), [&](Party& party) -> Task<std::vector<Share>> {
          std::vector<Share> moved(1, shared(party, values));
          Sorted sorted = co_await sort(party, shared(party, keys), std::move(moved), type);
          std::vector<Share> both(2);
          both[0] = sorted.keys;
          both[1] = sorted.values[0];
          co_return both;
        });
        EXPECT_EQ(found[1], order) << "width " << width << " of " << n;
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(key_of(found[0][i], type), key_of(keys[order[i]], type));
        }
      }
    }
  }
}

TEST_P(MovementTest, SortsKeysOfARange) {
  const auto far = static_cast<uint64_t>(std::numeric_limits<int64_t>::min());
  for (const uint64_t low : {uint64_t{0}, uint64_t{100}, ~uint64_t{0} - 2, far}) {
    for (const unsigned width : {1U, 5U, 9U, 31U, 63U}) {
      const size_t n = GetParam().protocol == "semi2k" ? 5 : 40;
      Words distances = random_words(n, 0, low ^ width);
      for (size_t i = 0; i < n; ++i) {
        const uint64_t most = (uint64_t{1} << width) - 1;
        distances[i] = i % 5 == 0 ? 0 : i % 5 == 1 ? most : distances[i] & most;
      }
      Words keys;
      for (const uint64_t distance : distances) {
        keys.push_back(low + distance);
      }
      Words order(n);
      std::iota(order.begin(), order.end(), uint64_t{0});
      const Words numbers = order;
      std::stable_sort(order.begin(), order.end(),
                       [&](uint64_t a, uint64_t b) { return distances[a] < distances[b]; });
      const auto found = opened(GetParam(), [&](Party& party) -> Task<std::vector<Share>> {
        std::vector<Share> moved(1, shared(party, numbers));
        const KeyRange range(low, width);
        Sorted sorted = co_await sort(party, shared(party, keys), std::move(moved), range);
        std::vector<Share> both(2);
        both[0] = sorted.keys;
        both[1] = sorted.values[0];
        co_return both;
      });
      EXPECT_EQ(found[1], order) << "from " << low << ", " << width << " bits";
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(found[0][i], keys[order[i]]);
      }
    }
  }
}

TEST_P(MovementTest, FindsTheGreatest) {
  const IntegerType type{.width = 64, .signedness = Signedness::Signed};
  for (const size_t n : {size_t{1}, size_t{10}, size_t{150}}) {
    Words keys = random_words(n, 0, n);
    Words sorted = keys;
    std::sort(sorted.begin(), sorted.end(), [](uint64_t a, uint64_t b) {
      return static_cast<int64_t>(a) > static_cast<int64_t>(b);
    });
    for (const size_t k : {size_t{0}, size_t{1}, n / 2, n}) {
      const auto found = opened(GetParam(), [&](Party& party) -> Task<std::vector<Share>> {
        Share best = co_await greatest(party, shared(party, keys), k, type);
        std::vector<Share> result(1, best);
        co_return result;
      });
      EXPECT_EQ(found[0], Words(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k)));
    }
  }
}

TEST_P(MovementTest, GathersAndScatters) {
  const IntegerType type{.width = 64, .signedness = Signedness::Signed};
  for (const size_t n : {size_t{1}, size_t{2}, size_t{3}, size_t{16}, size_t{37}}) {
    const Words table = random_words(n, 0, n);
    Words indices = random_words(12, n, n + 1);
    indices.insert(indices.end(), {n, n + 1, 64, ~uint64_t{0}, uint64_t{1} << 63, n - 1, n - 1});
    const Words values = random_words(indices.size(), 0, n + 2);
    Words expected;
    Words stored = table;
    for (size_t i = 0; i < indices.size(); ++i) {
      expected.push_back(indices[i] < n ? table[indices[i]] : 0);
      if (indices[i] < n) {
        stored[indices[i]] = values[i];
      }
    }
    const auto found = opened(GetParam(), [&](Party& party) -> Task<std::vector<Share>> {
      auto [read, written] =
          co_await all(gather_secret(party, shared(party, table), shared(party, indices), type),
                       scatter_secret(party, shared(party, table), shared(party, indices),
                                      shared(party, values), type));
      std::vector<Share> result(2);
      result[0] = read;
      result[1] = written;
      co_return result;
    });
    EXPECT_EQ(found[0], expected) << n;
    EXPECT_EQ(found[1], stored) << n;
  }
}

TEST_P(MovementTest, IndicesOfFewBits) {
  const IntegerType type{.width = 8, .signedness = Signedness::Unsigned};
  const Words table = random_words(1000, 0, 3);
  const Words indices = {0, 255, 256 + 7, 200};
  const auto found = opened(GetParam(), [&](Party& party) -> Task<std::vector<Share>> {
    Share read = co_await gather_secret(party, shared(party, table), shared(party, indices), type);
    std::vector<Share> result(1, read);
    co_return result;
  });
  EXPECT_EQ(found[0], (Words{table[0], table[255], table[7], table[200]}));
}

INSTANTIATE_TEST_SUITE_P(Protocols, MovementTest,
                         testing::Values(TestRun{.n_parties = 2, .protocol = "ref"},
                                         TestRun{.n_parties = 3, .protocol = "aby3"},
                                         TestRun{.n_parties = 4, .protocol = "rep4"},
                                         TestRun{.n_parties = 3, .protocol = "aby3-active"},
                                         TestRun{.n_parties = 2, .protocol = "semi2k"}),
                         [](const auto& found) {
                           std::string name(found.param.protocol);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Puts a random order in order, and says how many questions and levels that took.
auto run_partition(size_t n, size_t first_wanted, uint64_t seed) -> std::pair<size_t, size_t> {
  std::vector<uint32_t> keys(n);
  std::iota(keys.begin(), keys.end(), 0U);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
  Partition partition(n, first_wanted);
  size_t n_questions = 0;
  size_t n_levels = 0;
  for (auto pairs = partition.questions(); !pairs.empty(); pairs = partition.questions()) {
    std::vector<bool> answers;
    std::set<Partition::Pair> compared;
    for (const auto& [a, b] : pairs) {
      EXPECT_NE(a, b);
      EXPECT_TRUE(compared.insert({std::min(a, b), std::max(a, b)}).second);
      answers.push_back(keys[a] < keys[b]);
    }
    n_questions += pairs.size();
    ++n_levels;
    partition.answer(answers);
  }
  for (size_t i = first_wanted; i < n; ++i) {
    EXPECT_EQ(keys[partition.order()[i]], i);
  }
  return {n_questions, n_levels};
}

TEST(Partition, ComparesLittleMoreThanNecessary) {
  for (const size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{8}, size_t{25}}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      run_partition(n, seed % (n + 1), seed);
    }
  }
  const auto [n_questions, n_levels] = run_partition(20000, 0, 5);
  // log2(20000!) is 257 thousand.
  EXPECT_LT(n_questions, 330000U);
  EXPECT_LT(n_levels, 32U);
  const auto [n_for_few, few_levels] = run_partition(20000, 19990, 5);
  EXPECT_LT(n_for_few, 70000U);
  EXPECT_LT(few_levels, 32U);
}

}  // namespace
}  // namespace tacet::mpc
