#include "compiler/views/he/levels.h"

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/program/he/text.h"

namespace tacet::he_views {
namespace {

/// Of this program, with arrays of these names.
auto levels_in(const std::string& text, const std::vector<std::string>& arrays)
    -> std::map<std::string, ArrayLevels> {
  array::Program program;
  for (const std::string& name : arrays) {
    program.arrays.add({.name = name,
                        .extents = {},
                        .owner = array::Owner::Computed,
                        .range = {},
                        .place = {},
                        .elements = {}});
  }
  return levels_of(program, value(engine::parse_he_program(text)));
}

constexpr const char* kProgram = R"(he_program 1
slots 1 x 8
reals 40
primes 6
input x[8] from client
cipher x_2 within 1 = x[k] over (k:8)
cipher a within 1
cipher b within 1
cipher c[2] within 1
cipher raised within 1
cipher v1 within 1
cipher out_2 within 1

v1 = mul x_2, x_2
v1 = relinearise v1
v1 = drop v1
a = mul v1, v1
a = relinearise a
a = drop a
raised = bootstrap a
v1 = mul a, a
v1 = relinearise v1
v1 = drop v1
v1 = bootstrap v1
b = add v1, raised
for i: 2 {
  v1 = mul b, raised
  v1 = relinearise v1
  c[i] = drop v1
}
out_2 = add c[0], c[1]

output out[8] over (k:8) [k] = out_2 at 0, k
)";

TEST(Levels, AreThoseAroundAnArray) {
  const auto levels = levels_in(kProgram, {"x", "a", "b", "c", "out", "elsewhere"});
  EXPECT_EQ(levels.count("x"), 0U);
  EXPECT_EQ(to_text(levels.at("a")), "5 before, 3 after; bootstrapped to 5");
  EXPECT_EQ(to_text(levels.at("b")), "3 before, 5 after, bootstrapped in between");
  EXPECT_EQ(to_text(levels.at("c")), "5 before, 4 after");
  EXPECT_EQ(to_text(levels.at("out")), "4 before, 4 after");
  EXPECT_EQ(levels.count("elsewhere"), 0U);
  EXPECT_EQ(levels.at("a").all, 5U);
}

TEST(Levels, AreNoneOfIntegers) {
  EXPECT_TRUE(levels_in("he_program 1\nslots 2 x 4\nmodulus 17\nprimes 2\n"
                        "input x[8] from client\ncipher x_2 = x[k] over (k:4)\ncipher a\n\n"
                        "a = add x_2, x_2\n\noutput o[4] over (k:4) [k] = a at 0, k\n",
                        {"a"})
                  .empty());
}

}  // namespace
}  // namespace tacet::he_views
