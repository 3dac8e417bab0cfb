#include "engine/ring/automorphism.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/ring/emulated_words.h"
#include "engine/ring/ifma_kernels.h"
#include "engine/ring/kernels.h"
#include "engine/ring/primes.h"

namespace tacet::ring {
namespace {

class AutomorphismTest : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Dimensions, AutomorphismTest, testing::Values(64, 128, 256));

TEST_P(AutomorphismTest, PermutesTransformsAsXMapsToItsPower) {
  const size_t n = GetParam();
  const Modulus q(largest_primes(40, 2 * n, 1)[0]);
  const Kernels& kernels = scalar_kernels();
  const NttTables tables(n, q, Isa::Scalar);
  std::mt19937_64 random(1);
  AlignedWords a(n);
  for (uint64_t& word : a) {
    word = random() % q.value;
  }
  AlignedWords transformed = a;
  kernels.forward_ntt(transformed.data(), tables);
  for (uint64_t g = 1; g < 2 * n; g += 2) {
    AlignedWords expected(n);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t exponent = i * g % (2 * n);
      expected[exponent % n] = exponent < n ? a[i] : negate(a[i], q);
    }
    kernels.forward_ntt(expected.data(), tables);
    const Automorphism automorphism(n, g);
    AlignedWords emulated(n);
    automorphism.apply(IfmaKernels<EmulatedWords>::kTable, emulated.data(), transformed.data());
    ASSERT_EQ(emulated, expected) << g;
    for (const Isa isa : supported_isas()) {
      AlignedWords image(n);
      automorphism.apply(kernels_for(isa), image.data(), transformed.data());
      ASSERT_EQ(image, expected) << g << " " << isa_name(isa);
    }
    ASSERT_EQ(inverse_galois_element(n, g) * g % (2 * n), 1U);
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
