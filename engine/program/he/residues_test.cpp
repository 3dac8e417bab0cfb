#include "engine/program/he/residues.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet::engine {
namespace {

TEST(HeResidues, ComeTogetherAgain) {
  const std::vector<std::vector<uint64_t>> several = {
      {562949953392641}, {4294475777, 4294967291}, {562949952847873, 562949953421231}};
  std::mt19937_64 random(1);
  for (const std::vector<uint64_t>& moduli : several) {
    unsigned __int128 product = 1;
    for (const uint64_t m : moduli) {
      product *= m;
    }
    const bool is_wide = product >> 64 != 0;
    const auto half = static_cast<uint64_t>(product / 2);
    HeIntegers integers;
    for (int i = 0; i < 1000; ++i) {
      const uint64_t bits = random() >> (i % 60);
      integers["a"].push_back(is_wide ? static_cast<int64_t>(bits)
                                      : static_cast<int64_t>(bits % half) * (i % 2 == 0 ? 1 : -1));
    }
    integers["b"] = {0, 1, -1};
    if (is_wide) {
      integers["b"].insert(integers["b"].end(), {INT64_MIN, INT64_MAX});
    }
    std::vector<HeValues> residues;
    for (const uint64_t m : moduli) {
      residues.push_back(residues_of(integers, m));
      for (const double x : residues.back()["a"]) {
        ASSERT_LE(std::abs(x), static_cast<double>(m) / 2);
      }
    }
    EXPECT_EQ(combine_residues(residues, moduli), integers);
  }
}

}  // namespace
}  // namespace tacet::engine
