#include "compiler/he/lower/choose_encryption.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/primes.h"
#include "base/value.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/text.h"

namespace tacet::he_lower {
namespace {

auto program_of(std::string_view text) -> engine::HeProgram {
  return value(engine::parse_he_program(text));
}

auto chain(int n_squares, unsigned n_columns) -> std::string {
  return "he_program 1\nslots 2 x " + std::to_string(n_columns) +
         "\nmodulus 65537\nprimes 1\ninput a[8] from client\ncipher x = a[i] over (i:8)\n"
         "for i: " +
         std::to_string(n_squares) +
         " {\n  x = mul x, x\n  x = relinearise x\n}\n"
         "output o[8] over (i:8) [i] = x at 0, i\n";
}

TEST(PlainModuli, HoldAllNumbers) {
  for (const size_t n : {4096U, 16384U}) {
    for (const int64_t size : {int64_t{1}, int64_t{20480}, int64_t{20481}, int64_t{1} << 40}) {
      const std::vector<uint64_t> moduli = value(plain_moduli_for(n, -3, size));
      ASSERT_EQ(moduli.size(), 1U);
      EXPECT_GE(moduli[0], static_cast<uint64_t>(2 * size + 1));
      EXPECT_TRUE(is_prime(moduli[0]));
      EXPECT_EQ(moduli[0] % (2 * n), 1U);
    }
  }
  // The least one: 40961 = 5 * 8192 + 1 holds 20480, and no more.
  EXPECT_EQ(value(plain_moduli_for(4096, 0, 20480))[0], 40961U);
  EXPECT_GT(value(plain_moduli_for(4096, 0, 20481))[0], 40961U);
}

TEST(PlainModuli, AreSeveralForLargeNumbers) {
  const std::vector<uint64_t> moduli = value(plain_moduli_for(4096, INT64_MIN, INT64_MAX));
  ASSERT_EQ(moduli.size(), 2U);
  EXPECT_NE(moduli[0], moduli[1]);
  const auto product = static_cast<unsigned __int128>(moduli[0]) * moduli[1];
  EXPECT_GE(product, (static_cast<unsigned __int128>(1) << 64) + 1);
  EXPECT_EQ(value(plain_moduli_for(4096, -1000000, 1000000, 18)).size(), 2U);
  EXPECT_FALSE(plain_moduli_for(4096, INT64_MIN, INT64_MAX, 13));
}

TEST(ChooseEncryption, NeedsNoKeysForSums) {
  const Encryption chosen = value(choose_encryption(
      program_of("he_program 1\nslots 2 x 1024\nmodulus 40961\nprimes 1\n"
                 "input a[8] from client\ncipher x = a[i] over (i:8)\nx = add x, x\n"
                 "output o[8] over (i:8) [i] = x at 0, i\n"),
      40961, {}));
  EXPECT_EQ(chosen.ring_dimension, 2048U);
  EXPECT_TRUE(chosen.special_prime_bits.empty());
  EXPECT_EQ(chosen.data_prime_bits.size(), 1U);
  EXPECT_GE(chosen.budget, 3);
}

TEST(ChooseEncryption, DropsPrimesWhereDepthGrows) {
  // Each product in the loop gets a number of primes of its own, so the loop is unrolled.
  const Encryption chosen =
      value(choose_encryption(program_of(chain(4, 8192)), 65537, {.scheme = he::Scheme::Bgv}));
  const engine::HeFacts facts = engine::facts_of(chosen.program);
  EXPECT_EQ(facts.depth, 4U);
  EXPECT_GE(facts.counts.of(engine::HeOpcode::Drop, engine::HeOperationKind::Cipher), 3U);
  EXPECT_EQ(chosen.program.n_primes, chosen.data_prime_bits.size());
  unsigned bits = 0;
  for (const auto* primes : {&chosen.data_prime_bits, &chosen.special_prime_bits}) {
    for (const unsigned b : *primes) {
      bits += b;
    }
  }
  EXPECT_LE(bits, *he::max_modulus_bits(16384, he::Security::Bits128));
}

TEST(ChooseEncryption, KeepsDropsThatAreThere) {
  const engine::HeProgram program = program_of(
      "he_program 1\nslots 2 x 4096\nmodulus 65537\nprimes 3\n"
      "input a[8] from client\ncipher x = a[i] over (i:8)\nx = mul x, x\n"
      "x = drop x\nx = relinearise x\n"
      "output o[8] over (i:8) [i] = x at 0, i\n");
  const Encryption chosen = value(choose_encryption(program, 65537, {}));
  EXPECT_EQ(engine::to_text(chosen.program), engine::to_text(program));
  EXPECT_EQ(chosen.data_prime_bits.size(), 3U);
}

TEST(ChooseEncryption, SaysWhatIsMissing) {
  const auto refused = choose_encryption(program_of(chain(6, 2048)), 65537, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("allows a modulus of 106 bits at 128 bits"),
            std::string::npos)
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("multiplicative depth 6"), std::string::npos);
}

TEST(ChooseEncryption, TakesTheFasterScheme) {
  const engine::HeProgram program = program_of(chain(2, 4096));
  const Encryption free = value(choose_encryption(program, 65537, {}));
  const Encryption bfv = value(choose_encryption(program, 65537, {.scheme = he::Scheme::Bfv}));
  const Encryption bgv = value(choose_encryption(program, 65537, {.scheme = he::Scheme::Bgv}));
  EXPECT_EQ(bfv.scheme, he::Scheme::Bfv);
  EXPECT_EQ(bgv.scheme, he::Scheme::Bgv);
  EXPECT_LE(free.microseconds, std::min(bfv.microseconds, bgv.microseconds) * 1.0001);
}

}  // namespace
}  // namespace tacet::he_lower
