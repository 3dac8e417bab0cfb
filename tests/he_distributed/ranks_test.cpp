// Evaluation on several ranks gives the bytes of one machine.

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/distribution/check_distribution.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/he_distributed/run_on_ranks.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

auto options_for(he::Scheme scheme) -> RandomHeOptions {
  return scheme == he::Scheme::Ckks
             ? RandomHeOptions{.n_columns = 64, .scale_bits = 38, .n_primes = 5, .n_statements = 24}
             : RandomHeOptions{.n_columns = 64, .modulus = 257, .n_primes = 5, .n_statements = 24};
}

auto bytes_of(const he::Context& context, const std::vector<he::Ciphertext>& ciphertexts)
    -> std::vector<he::Bytes> {
  std::vector<he::Bytes> bytes;
  for (const he::Ciphertext& ciphertext : ciphertexts) {
    bytes.push_back(value(he::serialise(context, ciphertext)));
  }
  return bytes;
}

auto bounds_of(const std::vector<he::Ciphertext>& ciphertexts) -> std::vector<double> {
  std::vector<double> bounds;
  for (const he::Ciphertext& ciphertext : ciphertexts) {
    bounds.push_back(ciphertext.metadata.bound);
  }
  return bounds;
}

auto part_of(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
             const Sides& sides) -> RankPart {
  return {.program = &program,
          .context = context,
          .values = values,
          .keys = &sides.keys,
          .inputs = sides.inputs};
}

class OnRanks : public testing::TestWithParam<he::Scheme> {};

TEST_P(OnRanks, BytesAreThoseOfOneMachine) {
  std::mt19937_64 random(31);
  uint64_t n_messages = 0;
  for (size_t i = 0; i < 40; ++i) {
    const HeProgram program = random_he_program(random, options_for(GetParam()));
    const HeValues values = random_he_values(random, program);
    const he::ContextRef context = small_context(program, GetParam(), 1 + i % 2);
    Sides sides(program, values, context);
    const auto alone = value(sides.server.evaluate(sides.inputs, sides.keys, sides.statistics));
    for (const uint32_t n_ranks : {1U, 2U, 3U, 5U}) {
      RankOptions options = eager_options();
      options.n_threads = static_cast<unsigned>(1 + i % 3);
      options.most_plaintext_bytes = i % 4 == 0 ? 0 : kMostPreparedBytes;
      auto links = local_links(hosts_of(n_ranks));
      RanksOutcome outcome =
          run_on_ranks(links, {part_of(program, values, context, sides)}, options);
      ASSERT_TRUE(outcome.root) << outcome.root.error().message << "\n" << to_text(program);
      for (const Status& other : outcome.others) {
        ASSERT_TRUE(other) << other.error().message;
      }
      const std::vector<he::Ciphertext>& results = outcome.root->parts[0].results;
      ASSERT_EQ(bytes_of(*context, results), bytes_of(*context, alone)) << to_text(program);
      ASSERT_EQ(bounds_of(results), bounds_of(alone));
      n_messages += outcome.root->prediction.n_messages;
    }
  }
  EXPECT_GT(n_messages, 200U);  // or nothing was tested
}

INSTANTIATE_TEST_SUITE_P(Schemes, OnRanks,
                         testing::Values(he::Scheme::Bfv, he::Scheme::Bgv, he::Scheme::Ckks),
                         [](const auto& tested) {
                           return std::string(he::scheme_name(tested.param));
                         });

TEST(Ranks, PartsOfABundleRunTogether) {
  std::mt19937_64 random(5);
  const HeProgram first = random_he_program(random, options_for(he::Scheme::Bgv));
  const HeProgram second = random_he_program(random, options_for(he::Scheme::Bgv));
  const HeValues first_values = random_he_values(random, first);
  const HeValues second_values = random_he_values(random, second);
  const he::ContextRef context = small_context(first, he::Scheme::Bgv, 1);
  Sides first_sides(first, first_values, context);
  Sides second_sides(second, second_values, context);
  auto links = local_links(hosts_of(4));
  RanksOutcome outcome = run_on_ranks(links,
                                      {part_of(first, first_values, context, first_sides),
                                       part_of(second, second_values, context, second_sides)},
                                      eager_options());
  ASSERT_TRUE(outcome.root) << outcome.root.error().message;
  HeStatistics statistics;
  EXPECT_EQ(bytes_of(*context, outcome.root->parts[0].results),
            bytes_of(*context, value(first_sides.server.evaluate(first_sides.inputs,
                                                                 first_sides.keys, statistics))));
  EXPECT_EQ(bytes_of(*context, outcome.root->parts[1].results),
            bytes_of(*context, value(second_sides.server.evaluate(second_sides.inputs,
                                                                  second_sides.keys, statistics))));
}

/// The root alone draws what hides the server's numbers: from equal draws come equal bytes.
TEST(Ranks, TheRootHidesResults) {
  const HeProgram program = value(parse_he_program(R"(he_program 1
slots 2 x 64
modulus 257
primes 4
input a[64] from client
input b[64] from client
input w[64] from server
cipher x = a[c] over (c:64) repeat
cipher y = b[c] over (c:64) repeat
native n = w[c] over (c:64) repeat
plain p
p = encode n
x = mul x, p
x = rotate x, 3
y = rotate y, 5
y = mul y, p
output o[64] over (c:64) [c] = x at 0, c
output u[64] over (c:64) [c] = y at 0, c
)"));
  std::mt19937_64 random(9);
  const HeValues values = random_he_values(random, program);
  const he::ContextRef context = small_context(program, he::Scheme::Bgv, 1);
  Sides sides(program, values, context);
  he::SecureRandom draws = test_random();
  const auto alone = value(sides.server.answer(sides.inputs, sides.keys, draws, sides.statistics));
  auto links = local_links(hosts_of(2));
  RankPart part = part_of(program, values, context, sides);
  part.hides_results = true;
  RanksOutcome outcome = run_on_ranks(links, {std::move(part)}, eager_options());
  ASSERT_TRUE(outcome.root) << outcome.root.error().message;
  EXPECT_GT(outcome.root->reports[1].n_operations, 0U);
  ShareOfPart& share = outcome.root->parts[0];
  he::SecureRandom same_draws = test_random();
  const auto hidden =
      value(share.server.hide(std::move(share.results), sides.keys, same_draws, sides.statistics));
  EXPECT_EQ(bytes_of(*context, hidden), bytes_of(*context, alone));
  EXPECT_EQ(value(decrypt_outputs(program, *context, sides.secret, hidden, sides.random,
                                  sides.statistics)),
            value(run_in_the_clear(program, values)));
}

}  // namespace
}  // namespace tacet::engine
