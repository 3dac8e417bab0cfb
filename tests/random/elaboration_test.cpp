// What makes places unique: within a function no static string is a prefix of another, and calls
// are distinguished by words that no iteration has.

#include <gtest/gtest.h>

#include <set>

#include "compiler/device/draws/elaborate.h"
#include "tests/kernel/checked_module.h"
#include "tests/random/drawing_function.h"

namespace tacet::testing {
namespace {

/// Is the shorter one the beginning of the longer one?
auto begins(const engine::BitString& a, const engine::BitString& b) -> bool {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a.bit(i) != b.bit(i)) {
      return false;
    }
  }
  return true;
}

void check(const draws::Elaboration& found) {
  for (size_t i = 0; i < found.draws.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(begins(found.draws[i].bits, found.draws[j].bits))
          << engine::bit_string_text(found.draws[i].bits) << " "
          << engine::bit_string_text(found.draws[j].bits);
    }
  }
  std::set<uint64_t> words;
  for (const draws::Call& call : found.calls) {
    EXPECT_EQ(call.word >> 63, 1U);
    EXPECT_NE(call.word, ~uint64_t{0});  // of inputs
    EXPECT_TRUE(words.insert(call.word).second);
  }
}

TEST(Elaboration, GivesEachDrawALeafAndEachCallAWord) {
  size_t n_draws = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::string text = drawing_function(seed, Surroundings::None);
    SCOPED_TRACE(text);
    CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    const program::FrontendSnapshot snapshot = module.snapshot();
    CheckedModule other(drawing_function(seed, Surroundings::TextThatDrawsNothing));
    const program::FrontendSnapshot noisy = other.snapshot();
    for (const char* name : {"f", "g", "h"}) {
      const auto found = draws::Elaborator(snapshot).elaborate(module.find(name));
      check(found);
      // Text that draws nothing moves nodes, and no string.
      const auto again = draws::Elaborator(noisy).elaborate(other.find(name));
      ASSERT_EQ(again.draws.size(), found.draws.size());
      for (size_t i = 0; i < found.draws.size(); ++i) {
        EXPECT_EQ(again.draws[i].bits, found.draws[i].bits);
        EXPECT_EQ(again.draws[i].n_iterations, found.draws[i].n_iterations);
      }
      n_draws += found.draws.size();
    }
  }
  EXPECT_GT(n_draws, 1000U);
}

TEST(Elaboration, ReportsSecretDraws) {
  CheckedModule module(R"(#version 0.1.0
fn(mpc) f(x: secret i64) -> (secret i64, i64) {
    let a: secret i64 = rand_int(1);
    let b: secret [i64; 2] = for i: 2 { rand_int(2) if i == 0 else rand_int(3) };
    let c = rand_int(4);
    let d: secret i64 = x + rand_int(5);
    let e = rand_u64() as secret u64;
    (rand_int(6), rand_int(7))
}
)");
  ASSERT_TRUE(module.is_right());
  const auto found = draws::Elaborator(module.snapshot()).elaborate(module.find("f"));
  std::vector<bool> secret;
  for (const draws::Draw& draw : found.draws) {
    secret.push_back(draw.is_secret);
  }
  EXPECT_EQ(secret, (std::vector<bool>{true, true, true, false, false, true, true, false}));
}

}  // namespace
}  // namespace tacet::testing
