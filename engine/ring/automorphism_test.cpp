#include "engine/ring/automorphism.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/ring/kernels.h"
#include "engine/ring/primes.h"

namespace tacet::ring {
namespace {

TEST(Automorphism, PermutesTransformsAsXGoesToItsPower) {
  constexpr size_t kN = 128;
  const Modulus q(largest_primes(40, 2 * kN, 1)[0]);
  const Kernels& kernels = scalar_kernels();
  const NttTables tables(kN, q, Isa::Scalar);
  std::mt19937_64 random(1);
  AlignedWords a(kN);
  for (uint64_t& word : a) {
    word = random() % q.value;
  }
  AlignedWords transformed = a;
  kernels.forward_ntt(transformed.data(), tables);
  for (uint64_t g = 1; g < 2 * kN; g += 2) {
    AlignedWords expected(kN);
    for (size_t i = 0; i < kN; ++i) {
      const uint64_t exponent = i * g % (2 * kN);
      expected[exponent % kN] = exponent < kN ? a[i] : negate(a[i], q);
    }
    kernels.forward_ntt(expected.data(), tables);
    AlignedWords image(kN);
    Automorphism(kN, g).apply(image.data(), transformed.data());
    ASSERT_EQ(image, expected) << g;
    ASSERT_EQ(inverse_galois_element(kN, g) * g % (2 * kN), 1U);
  }
}

TEST(Automorphism, RotationsFormACycle) {
  for (const size_t n : {64U, 1024U}) {
    const auto half = static_cast<int64_t>(n / 2);
    EXPECT_EQ(galois_element_of_rotation(n, 0), 1U);
    EXPECT_EQ(galois_element_of_rotation(n, half), 1U);
    EXPECT_EQ(galois_element_of_rotation(n, -1), galois_element_of_rotation(n, half - 1));
    for (int64_t steps = 1; steps < half; ++steps) {
      ASSERT_NE(galois_element_of_rotation(n, steps), 1U);
    }
  }
}

}  // namespace
}  // namespace tacet::ring
