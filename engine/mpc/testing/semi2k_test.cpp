#include "engine/mpc/semi2k/semi2k.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "engine/mpc/ref/ref.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc/testing/secrecy_test.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

/// What is special to `semi2k`: its correlations, that shares and messages say nothing, and random
/// programs for all numbers of parties.
namespace tacet::mpc {
namespace {

enum class Source : bool { Dealer, Bfv };

struct Case {
  Rank n_parties;
  Source source;
};

auto random_of(uint64_t seed) -> secure_random::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa());
}

/// Calls `body(party, correlations)` for each party, with correlations that have started.
template <class Body>
void run_with_correlations(const Case& c, Body body) {
  const bool is_dealt = c.source == Source::Dealer;
  auto links = net::make_in_process_links(c.n_parties + (is_dealt ? 1 : 0));
  net::run_on_threads(std::move(links), [&](net::Links& all) {
    if (all.rank() == c.n_parties) {
      EXPECT_FALSE(run_dealer(all, random_of(99)).has_value());
      EXPECT_FALSE(all.finish().has_value());
      return;
    }
    const std::unique_ptr<net::Links> party_links = is_dealt ? make_party_links(all) : nullptr;
    net::Links& links_of_party = is_dealt ? *party_links : all;
    // Random bits of many parties are made with products of the protocol.
    const std::unique_ptr<Protocol> protocol =
        is_dealt ? make_ref() : make_semi2k(make_bfv_correlations());
    const std::unique_ptr<Correlations> correlations =
        is_dealt ? make_dealer_correlations(all) : make_bfv_correlations();
    Party party(links_of_party, *protocol, random_of(all.rank()));
    auto run = [&]() -> Task<> {
      if (!is_dealt) {
        co_await protocol->start(party);
      }
      co_await correlations->start(party);
      co_await body(party, *correlations);
      co_return kDone;
    };
    EXPECT_EQ(party.run(run()).index(), 0U);
    EXPECT_FALSE(links_of_party.finish().has_value());
  });
}

/// What each party puts at its rank, to be added up when all are done.
struct Gathered {
  explicit Gathered(Rank n) : parts(n) {}

  std::vector<std::vector<Triples>> parts;

  [[nodiscard]] auto sum(size_t i, RingArray Triples::*array) const -> RingArray {
    RingArray total = parts[0][i].*array;
    for (size_t party = 1; party < parts.size(); ++party) {
      total = add(total, parts[party][i].*array);
    }
    return total;
  }
  [[nodiscard]] auto parity(size_t i, RingArray Triples::*array) const -> BitPlanes {
    const size_t n = 64 * (parts[0][i].*array).size();
    BitPlanes total = BitPlanes::zeros(1, n);
    for (const std::vector<Triples>& part : parts) {
      BitPlanes planes(1, n);
      const std::span<const uint64_t> words = (part[i].*array).words<uint64_t>();
      std::copy(words.begin(), words.end(), planes.edit().begin());
      total = exclusive_or(total, planes);
    }
    return total;
  }
};

constexpr std::array kRings{Ring::Z32, Ring::Z64, Ring::Z128};

class CorrelationsTest : public testing::TestWithParam<Case> {};

TEST_P(CorrelationsTest, ProductsOpenToProducts) {
  const MatrixShape shape{.rows = 7, .inner = 41, .columns = 5};
  const MatrixShape wide{.rows = 100, .inner = 3, .columns = 90};
  Gathered gathered(GetParam().n_parties);
  run_with_correlations(GetParam(), [&](Party& party, Correlations& correlations) -> Task<> {
    std::vector<Triples>& own = gathered.parts[party.rank()];
    for (const Ring ring : kRings) {
      own.push_back(co_await correlations.triples(party, ring, 5));
      own.push_back(co_await correlations.triples(party, ring, 20'000));
      own.push_back(co_await correlations.squares(party, ring, 9000));
      own.push_back(co_await correlations.matrix_triple(party, ring, shape));
      own.push_back(co_await correlations.matrix_triple(party, ring, wide));
    }
    own.push_back(co_await correlations.bit_triples(party, 3));
    own.push_back(co_await correlations.bit_triples(party, 300));
    co_return kDone;
  });
  auto sum = [&](size_t i, RingArray Triples::*array) { return gathered.sum(i, array); };
  for (size_t i = 0; i < 15; i += 5) {
    for (const size_t k : {i, i + 1}) {
      EXPECT_TRUE(multiply(sum(k, &Triples::a), sum(k, &Triples::b)) == sum(k, &Triples::c));
      EXPECT_FALSE(sum(k, &Triples::a) == sum(k, &Triples::b));
    }
    EXPECT_TRUE(multiply(sum(i + 2, &Triples::a), sum(i + 2, &Triples::a)) ==
                sum(i + 2, &Triples::c));
    EXPECT_TRUE(multiply_matrices(sum(i + 3, &Triples::a), sum(i + 3, &Triples::b), shape) ==
                sum(i + 3, &Triples::c));
    EXPECT_TRUE(multiply_matrices(sum(i + 4, &Triples::a), sum(i + 4, &Triples::b), wide) ==
                sum(i + 4, &Triples::c));
  }
  for (const size_t i : {size_t{15}, size_t{16}}) {
    EXPECT_TRUE(conjunction(gathered.parity(i, &Triples::a), gathered.parity(i, &Triples::b)) ==
                gathered.parity(i, &Triples::c));
  }
}

TEST_P(CorrelationsTest, MatricesInBlocksOpenToTheirProducts) {
  // Several blocks in each dimension, ragged edges, either matrix the smaller one.
  const std::vector<MatrixShape> shapes = {
      {.rows = 65, .inner = 70, .columns = 33},  {.rows = 9, .inner = 130, .columns = 300},
      {.rows = 300, .inner = 130, .columns = 9}, {.rows = 1, .inner = 9000, .columns = 1},
      {.rows = 1, .inner = 1, .columns = 1},     {.rows = 3, .inner = 0, .columns = 2}};
  Gathered gathered(GetParam().n_parties);
  run_with_correlations(GetParam(), [&](Party& party, Correlations& correlations) -> Task<> {
    for (const MatrixShape& shape : shapes) {
      gathered.parts[party.rank()].push_back(
          co_await correlations.matrix_triple(party, Ring::Z64, shape));
    }
    co_return kDone;
  });
  for (size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_TRUE(multiply_matrices(gathered.sum(i, &Triples::a), gathered.sum(i, &Triples::b),
                                  shapes[i]) == gathered.sum(i, &Triples::c))
        << shapes[i].rows << " x " << shapes[i].inner << " x " << shapes[i].columns;
  }
}

TEST_P(CorrelationsTest, RandomBitsAreTheSameInBothForms) {
  constexpr size_t kBits = 9001;
  std::vector<std::vector<RandomBits>> parts(GetParam().n_parties);
  run_with_correlations(GetParam(), [&](Party& party, Correlations& correlations) -> Task<> {
    for (const Ring ring : kRings) {
      parts[party.rank()].push_back(co_await correlations.random_bits(party, ring, kBits));
    }
    co_return kDone;
  });
  for (size_t i = 0; i < kRings.size(); ++i) {
    BitPlanes bits = parts[0][i].bits;
    RingArray numbers = parts[0][i].numbers;
    for (size_t party = 1; party < parts.size(); ++party) {
      bits = exclusive_or(bits, parts[party][i].bits);
      numbers = add(numbers, parts[party][i].numbers);
    }
    EXPECT_TRUE(from_planes(bits, kRings[i]) == numbers);
    size_t n_ones = 0;
    for (size_t k = 0; k < kBits; ++k) {
      n_ones += numbers.at(k) == 1 ? 1 : 0;
    }
    // Six deviations of 47.
    EXPECT_NEAR(static_cast<double>(n_ones), kBits / 2.0, 285);
  }
}

class TwoPartyCorrelationsTest : public CorrelationsTest {};

TEST_P(TwoPartyCorrelationsTest, CrossProductsOpenToProducts) {
  std::vector<std::vector<CrossProducts>> parts(2);
  run_with_correlations(GetParam(), [&](Party& party, Correlations& correlations) -> Task<> {
    for (const size_t n_words : {size_t{3}, size_t{500}, size_t{5000}}) {
      parts[party.rank()].push_back(co_await correlations.cross_products(party, n_words));
    }
    co_return kDone;
  });
  for (size_t i = 0; i < 3; ++i) {
    const auto words = [&](size_t party, RingArray CrossProducts::*array) {
      return (parts[party][i].*array).words<uint64_t>();
    };
    for (size_t k = 0; k < parts[0][i].own.size(); ++k) {
      EXPECT_EQ(words(0, &CrossProducts::own)[k] & words(1, &CrossProducts::own)[k],
                words(0, &CrossProducts::product)[k] ^ words(1, &CrossProducts::product)[k]);
    }
  }
}

auto name_of(const testing::TestParamInfo<Case>& test) -> std::string {
  return fmt::format("{}_{}", test.param.source == Source::Bfv ? "bfv" : "dealer",
                     test.param.n_parties);
}

INSTANTIATE_TEST_SUITE_P(All, CorrelationsTest,
                         testing::Values(Case{2, Source::Dealer}, Case{3, Source::Dealer},
                                         Case{5, Source::Dealer}, Case{2, Source::Bfv},
                                         Case{3, Source::Bfv}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, TwoPartyCorrelationsTest,
                         testing::Values(Case{2, Source::Dealer}, Case{2, Source::Bfv}), name_of);

// ---- random programs ----

constexpr size_t kNumbers = 6;

auto fresh_numbers(std::mt19937_64& random, Ring ring) -> RingArray {
  RingArray numbers(ring, kNumbers);
  for (std::byte& byte : numbers.edit_bytes()) {
    byte = static_cast<std::byte>(random());
  }
  return numbers;
}

/// A program of `n_steps` random operations on three variables, the same for the same seed.
auto random_program(Party& party, Ring ring, uint64_t seed, unsigned n_steps) -> Task<RingArray> {
  std::mt19937_64 random(seed);
  Protocol& protocol = party.protocol();
  std::vector<Share> variables;
  for (Rank i = 0; i < 3; ++i) {
    const RingArray numbers = fresh_numbers(random, ring);
    variables.push_back(co_await share(party, i % party.n_parties(), numbers, ring, kNumbers));
  }
  for (unsigned step = 0; step < n_steps; ++step) {
    const uint64_t kind = random() % 9;
    const Share x = variables[random() % 3];
    const Share y = variables[random() % 3];
    const uint64_t constant = random();
    const unsigned width = 1 + static_cast<unsigned>(random() % n_bits(ring));
    const RingArray numbers = fresh_numbers(random, ring);
    Share result = add(x, y);
    if (kind == 0) {
      result = subtract(scale(x, constant), y);
    } else if (kind == 1) {
      result = co_await multiply(party, x, y);
    } else if (kind == 2) {
      result = co_await protocol.square(party, x);
    } else if (kind == 3) {
      const Share sums = co_await protocol.dot(party, x, y, 3);
      result = repeat_each(sums, 3);
    } else if (kind == 4) {
      const Share product =
          co_await protocol.multiply_matrices(party, x, y, {.rows = 2, .inner = 3, .columns = 2});
      const Share both[] = {product, slice(y, 0, 2)};
      result = concatenate(both);
    } else if (kind == 5) {
      const HalfSum half = co_await protocol.half_sum(party, x, width);
      const Share sum = co_await bits_to_arithmetic(party, half.sum, ring);
      const Share carry = co_await bits_to_arithmetic(party, half.carry, ring);
      result = add(sum, shift_left(carry, 1));
      // What is above the width depends on how x is shared.
      result = shift_left(result, n_bits(ring) - width);
    } else if (kind == 6) {
      result = protocol.add_public(party, x, numbers);
    } else if (kind == 7) {
      const SecretPermutation order = co_await protocol.random_permutation(party, kNumbers);
      std::vector<Share> arrays{x, y};
      arrays = co_await protocol.permute(party, order, arrays, Direction::Forward);
      arrays[0] = scale(arrays[0], 3);
      arrays = co_await protocol.permute(party, order, arrays, Direction::Inverse);
      result = add(arrays[0], arrays[1]);
    }
    variables[random() % 3] = result;
  }
  const Share sum = add(add(variables[0], scale(variables[1], 5)), scale(variables[2], 7));
  co_return co_await open(party, sum);
}

auto all_programs(Party& party, unsigned n_programs, unsigned n_steps)
    -> Task<std::vector<RingArray>> {
  std::vector<Task<RingArray>> tasks;
  for (unsigned i = 0; i < n_programs; ++i) {
    tasks.push_back(random_program(party, kRings[i % kRings.size()], i, n_steps));
  }
  std::vector<RingArray> results = co_await all(std::move(tasks));
  co_return results;
}

void expect_programs_equal_ref(const TestRun& run, unsigned n_programs, unsigned n_steps) {
  auto program = [&](Party& party) { return all_programs(party, n_programs, n_steps); };
  const auto expected = run_parties({.n_parties = 1}, program);
  for (const std::vector<RingArray>& results : run_parties(run, program)) {
    for (unsigned i = 0; i < n_programs; ++i) {
      EXPECT_TRUE(results[i] == expected[0][i]) << run.n_parties << " parties, program " << i;
    }
  }
}

TEST(Semi2k, RandomProgramsEqualRef) {
  for (const Rank n : {2U, 3U, 4U, 5U}) {
    expect_programs_equal_ref({.n_parties = n, .protocol = "semi2k_dealer"}, 250, 8);
  }
}

TEST(Semi2k, RandomProgramsEqualRefByEncryption) {
  expect_programs_equal_ref({.n_parties = 2, .protocol = "semi2k"}, 250, 6);
  expect_programs_equal_ref({.n_parties = 3, .protocol = "semi2k"}, 20, 6);
}

TEST(Semi2k, TruncatesForAnyNumberOfParties) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> words(60);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = (random() >> (2 + i)) * (i % 2 == 0 ? 1 : ~uint64_t{0});
  }
  const RingArray x = RingArray::of(words);
  for (const TestRun& run : {TestRun{.n_parties = 4, .protocol = "semi2k_dealer"},
                             TestRun{.n_parties = 5, .protocol = "semi2k_dealer"},
                             TestRun{.n_parties = 3, .protocol = "semi2k"}}) {
    for (const unsigned f : {1U, 12U, 13U, 40U, 61U}) {
      const auto results = run_parties(run, [&](Party& party) -> Task<RingArray> {
        Share shared = co_await share(party, 0, x, Ring::Z64, x.size());
        Share shifted = co_await truncate(party, std::move(shared), f);
        co_return co_await open(party, std::move(shifted));
      });
      for (size_t i = 0; i < words.size(); ++i) {
        const auto exact = static_cast<int64_t>(words[i]);
        const auto up = static_cast<int64_t>(results[0].words<uint64_t>()[i]) - (exact >> f);
        const bool has_rest = (exact >> f) << f != exact;
        EXPECT_TRUE(up == 0 || (up == 1 && has_rest)) << run.n_parties << ' ' << f << ' ' << i;
      }
    }
  }
}

// ---- what shares and messages say ----

TEST(Semi2k, SharesAreUniform) {
  constexpr size_t kSize = 20'000;
  for (const std::string_view protocol : {"semi2k", "semi2k_dealer"}) {
    run_each_party({.n_parties = 2, .protocol = protocol}, [&](Party& party) {
      auto kernel = [&]() -> Task<> {
        const RingArray zeros = RingArray::zeros(Ring::Z64, kSize);
        const Share x = co_await share(party, 0, zeros, Ring::Z64, kSize);
        expect_uniform(x.parts[0].bytes(), "inputs");
        const Share product = co_await multiply(party, x, x);
        expect_uniform(product.parts[0].bytes(), "products");
        const Share shifted = co_await truncate(party, product, 20);
        expect_uniform(shifted.parts[0].bytes(), "truncated");
        const Bits bits =
            co_await party.protocol().share_bits(party, 1, BitPlanes::zeros(8, kSize), 8, kSize);
        const Bits both = co_await conjunction(party, bits, bits);
        expect_uniform(std::as_bytes(both.parts[0].words()), "conjunctions");
        const Share numbers =
            co_await bits_to_arithmetic(party, plane_range(both, 0, 1), Ring::Z64);
        expect_uniform(numbers.parts[0].bytes(), "bits as numbers");
        const SecretPermutation order = co_await party.protocol().random_permutation(party, kSize);
        std::vector<Share> arrays{x};
        arrays = co_await party.protocol().permute(party, order, arrays, Direction::Forward);
        expect_uniform(arrays[0].parts[0].bytes(), "permuted");
        co_return kDone;
      };
      EXPECT_EQ(party.run(kernel()).index(), 0U);
    });
  }
}

/// What each party receives while it computes on `secret` everywhere and opens nothing.
auto transcripts(Rank n, uint64_t secret) -> std::vector<std::vector<std::byte>> {
  constexpr size_t kSize = 5000;
  std::vector<std::vector<std::byte>> received(n);
  net::run_on_threads(net::make_in_process_links(n + 1), [&](net::Links& all) {
    if (all.rank() == n) {
      EXPECT_FALSE(run_dealer(all, random_of(99)).has_value());
      EXPECT_FALSE(all.finish().has_value());
      return;
    }
    const std::unique_ptr<net::Links> party_links = make_party_links(all);
    RecordingLinks links(*party_links, received[all.rank()]);
    const std::unique_ptr<Protocol> protocol = make_semi2k(make_dealer_correlations(all));
    Party party(links, *protocol, random_of(secret + 10 * all.rank()));
    auto kernel = [&]() -> Task<> {
      co_await protocol->start(party);
      received[party.rank()].clear();
      const RingArray numbers = RingArray::filled(Ring::Z64, kSize, secret);
      const Share x = co_await share(party, 0, numbers, Ring::Z64, kSize);
      const Share product = co_await multiply(party, x, x);
      const Share square = co_await protocol->square(party, product);
      co_await truncate(party, x, 16);
      const HalfSum half = co_await protocol->half_sum(party, square, 64);
      co_await bits_to_arithmetic(party, half.carry, Ring::Z64);
      const SecretPermutation order = co_await protocol->random_permutation(party, kSize);
      std::vector<Share> arrays{x};
      arrays = co_await protocol->permute(party, order, arrays, Direction::Forward);
      co_return kDone;
    };
    EXPECT_EQ(party.run(kernel()).index(), 0U);
    EXPECT_FALSE(links.finish().has_value());
  });
  return received;
}

TEST(Semi2k, MessagesSayNothingOfSecrets) {
  for (const Rank n : {2U, 3U}) {
    const auto of_zeros = transcripts(n, 0);
    const auto of_ones = transcripts(n, ~uint64_t{0} >> 3);
    for (Rank party = 0; party < n; ++party) {
      EXPECT_EQ(of_zeros[party].size(), of_ones[party].size());
      expect_uniform(of_zeros[party], "messages about zeros");
      expect_uniform(of_ones[party], "messages about ones");
    }
  }
}

// ---- what others send wrong ----

TEST(Semi2k, ADealerRefusesNonsense) {
  net::run_on_threads(net::make_in_process_links(3), [&](net::Links& all) {
    if (all.rank() == 2) {
      const net::LinkStatus failure = run_dealer(all, random_of(1));
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->reason, "received an invalid request");
      return;
    }
    std::vector<std::byte> seed(32);
    if (all.rank() == 0) {
      EXPECT_FALSE(all.receive(2, seed).has_value());
      all.send(2, std::vector<std::byte>(48, std::byte{0xff}));
      static_cast<void>(all.flush());
    }
    // The seed may still arrive, but nothing else.
    net::LinkStatus failure = all.receive(2, seed);
    failure = failure ? failure : all.receive(2, seed);
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->party, 2U);
  });
}

TEST(Semi2k, KeysThatAreNoneEndTheRun) {
  net::run_on_threads(net::make_in_process_links(2), [&](net::Links& links) {
    if (links.rank() == 1) {
      std::vector<std::byte> theirs(32);
      EXPECT_FALSE(links.receive(0, theirs).has_value());
      links.send(0, std::vector<std::byte>(size_t{4} << 20, std::byte{0xff}));
      static_cast<void>(links.flush());
      std::vector<std::byte> never(size_t{64} << 20);
      EXPECT_TRUE(links.receive(0, never).has_value());
      return;
    }
    const std::unique_ptr<Protocol> protocol = make_semi2k(make_bfv_correlations());
    Party party(links, *protocol, random_of(1));
    const auto result = party.run(protocol->start(party));
    ASSERT_EQ(result.index(), 1U);
    EXPECT_NE(std::get<1>(result).reason.find("invalid data from party 1"), std::string::npos);
  });
}

}  // namespace
}  // namespace tacet::mpc
