#include "engine/mpc/aby3_active/aby3_active.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "engine/mpc/testing/attacks.h"
#include "engine/mpc/testing/protocol_test.h"

/// Runs of `aby3-active` in which one party lies: they end, or their results are right.
namespace tacet::mpc {
namespace {

constexpr std::chrono::milliseconds kPatience{20'000};
constexpr size_t kN = 3;

auto numbers(Party& party, Ring ring, Word128 first) -> Share {
  RingArray values = RingArray::zeros(ring, kN, party.memory());
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    for (size_t i = 0; i < kN; ++i) {
      values.edit<T>()[i] = static_cast<T>(first + 7 * i);
    }
  });
  return party.protocol().public_share(party, values);
}

auto is(std::vector<uint64_t> expected) -> std::function<bool(const RingArray&)> {
  return [expected = std::move(expected)](const RingArray& x) {
    if (x.size() != expected.size()) {
      return false;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      if (x.at(i) != expected[i]) {
        return false;
      }
    }
    return true;
  };
}

auto bits_program() -> AttackedProgram {
  return {.name = "bits",
          .run = [](Party& party) -> Task<RingArray> {
            Protocol& protocol = party.protocol();
            const Bits x = protocol.public_bits(party, BitPlanes::filled(4, kN, 0b1100));
            const Bits y = protocol.public_bits(party, BitPlanes::filled(4, kN, 0b1010));
            Bits z = co_await conjunction(party, x, y);
            z = co_await conjunction(party, protocol.complement(party, z), y);
            const BitPlanes opened = co_await open_bits(party, z);
            co_return from_planes(opened, Ring::Z64);
          },
          .is_right = is({2, 2, 2})};
}

auto products_program(Ring ring) -> AttackedProgram {
  return {.name = "products",
          .run = [ring](Party& party) -> Task<RingArray> {
            Share z = co_await multiply(party, numbers(party, ring, 3), numbers(party, ring, 5));
            z = co_await multiply(party, z, z);
            co_return co_await open(party, z);
          },
          .is_right = is({225, 14400, 17U * 17 * 19 * 19})};
}

auto sums_program() -> AttackedProgram {
  return {.name = "dot and matrix products",
          .run = [](Party& party) -> Task<RingArray> {
            const Share x = numbers(party, Ring::Z64, 1);
            Share dots = co_await party.protocol().dot(party, x, x, kN);
            Share matrix = co_await party.protocol().multiply_matrices(
                party, x, x, {.rows = kN, .inner = 1, .columns = kN});
            const std::array<Share, 2> both{dots, slice(matrix, 4, 2)};
            co_return co_await open(party, concatenate(both));
          },
          .is_right = is({1 + 64 + 225, 64, 120})};
}

auto conversions_program() -> AttackedProgram {
  return {.name = "conversions",
          .run = [](Party& party) -> Task<RingArray> {
            Protocol& protocol = party.protocol();
            HalfSum half = co_await protocol.half_sum(party, numbers(party, Ring::Z32, 8), 6);
            Share sum = co_await bits_to_arithmetic(party, half.sum, Ring::Z32);
            Share carry = co_await bits_to_arithmetic(party, half.carry, Ring::Z32);
            const Share x = add(sum, shift_left(carry, 1));
            co_return co_await protocol.open(party, x, 6, std::nullopt);
          },
          .is_right = is({8, 15, 22})};
}

auto truncation_program() -> AttackedProgram {
  return {.name = "truncation",
          .run = [](Party& party) -> Task<RingArray> {
            Share x = co_await truncate(party, numbers(party, Ring::Z64, 1000), 3);
            co_return co_await open(party, x);
          },
          .is_right =
              [](const RingArray& x) {
                bool is_right = x.size() == kN;
                for (size_t i = 0; is_right && i < kN; ++i) {
                  const auto eighths = static_cast<int64_t>(8 * x.at(i));
                  is_right = std::abs(eighths - static_cast<int64_t>(1000 + 7 * i)) < 8;
                }
                return is_right;
              }};
}

auto permutation_program() -> AttackedProgram {
  return {.name = "permutation",
          .run = [](Party& party) -> Task<RingArray> {
            Protocol& protocol = party.protocol();
            const SecretPermutation order = co_await protocol.random_permutation(party, kN);
            std::vector<Share> arrays{numbers(party, Ring::Z32, 1)};
            arrays = co_await protocol.permute(party, order, arrays, Direction::Forward);
            arrays = co_await protocol.permute(party, order, arrays, Direction::Inverse);
            co_return co_await open(party, arrays[0]);
          },
          .is_right = is({1, 8, 15})};
}

/// Inputs of all parties: any is right that the liar chooses, but not what becomes of others.
auto inputs_program(Rank honest) -> AttackedProgram {
  return {.name = "inputs",
          .run = [honest](Party& party) -> Task<RingArray> {
            const RingArray own = RingArray::filled(Ring::Z64, kN, 10);
            Share theirs = co_await share(party, honest, own, Ring::Z64, kN);
            Share others = co_await share(party, (honest + 1) % 3, own, Ring::Z64, kN);
            // x (y - y) + x.
            Share none = co_await multiply(party, theirs, subtract(others, others));
            co_return co_await open(party, add(none, theirs));
          },
          .is_right = is({10, 10, 10})};
}

void expect_no_harm(const AttackedProgram& program, const Attack& attack) {
  const AttackOutcome outcome = run_attacked("aby3-active", 3, program, attack, kPatience);
  EXPECT_EQ(problem_of(outcome, program, attack), "") << program.name << ": " << describe(attack);
}

/// Bytes that a liar sends in a run, and messages.
auto sizes_of(const AttackedProgram& program, Rank liar) -> AttackOutcome {
  const Attack none{.liar = liar};
  AttackOutcome outcome = run_attacked("aby3-active", 3, program, none, kPatience);
  EXPECT_EQ(problem_of(outcome, program, none), "") << program.name;
  return outcome;
}

/// Every `step`th byte of each party, from another one on for each.
void attack_bytes(const AttackedProgram& program, size_t step) {
  for (Rank liar = 0; liar < 3; ++liar) {
    const size_t n_bytes = sizes_of(program, liar).n_bytes;
    ASSERT_GT(n_bytes, 0U);
    std::mt19937_64 random(n_bytes);
    for (size_t byte = liar % step; byte < n_bytes; byte += step) {
      expect_no_harm(program, {.liar = liar,
                               .alteration = Alteration::Byte,
                               .position = byte,
                               .mask = static_cast<uint8_t>(1U << random() % 8)});
    }
  }
}

void attack_messages(const AttackedProgram& program) {
  for (Rank liar = 0; liar < 3; ++liar) {
    const size_t n_messages = sizes_of(program, liar).n_messages;
    for (size_t message = 0; message < n_messages; ++message) {
      for (const Alteration alteration :
           {Alteration::Message, Alteration::Replay, Alteration::Misdirect}) {
        expect_no_harm(
            program,
            {.liar = liar, .alteration = alteration, .position = message, .seed = message});
      }
    }
  }
}

TEST(Aby3ActiveAttacks, EveryByteOfBits) {
  attack_bytes(bits_program(), 1);
}
TEST(Aby3ActiveAttacks, BytesOfProducts) {
  attack_bytes(products_program(Ring::Z32), 5);
  attack_bytes(products_program(Ring::Z64), 11);
  attack_bytes(products_program(Ring::Z128), 23);
}
TEST(Aby3ActiveAttacks, BytesOfSums) {
  attack_bytes(sums_program(), 17);
}
TEST(Aby3ActiveAttacks, BytesOfConversions) {
  attack_bytes(conversions_program(), 41);
}
TEST(Aby3ActiveAttacks, BytesOfTruncation) {
  attack_bytes(truncation_program(), 41);
}
TEST(Aby3ActiveAttacks, BytesOfPermutations) {
  attack_bytes(permutation_program(), 41);
}
TEST(Aby3ActiveAttacks, BytesOfInputs) {
  for (Rank honest = 0; honest < 3; ++honest) {
    const AttackedProgram program = inputs_program(honest);
    for (const Rank liar : {(honest + 1) % 3, (honest + 2) % 3}) {
      const size_t n_bytes = sizes_of(program, liar).n_bytes;
      for (size_t byte = 0; byte < n_bytes; byte += 29) {
        expect_no_harm(program, {.liar = liar, .alteration = Alteration::Byte, .position = byte});
      }
    }
  }
}
TEST(Aby3ActiveAttacks, MessagesOfPrograms) {
  attack_messages(bits_program());
  attack_messages(products_program(Ring::Z64));
  attack_messages(truncation_program());
  attack_messages(permutation_program());
}

/// A lie in the middle of a long computation, whose products are checked before it ends.
TEST(Aby3ActiveAttacks, LongComputations) {
  constexpr size_t kMany = 300'000;
  const AttackedProgram program{.name = "many products",
                                .run = [](Party& party) -> Task<RingArray> {
                                  Share x = party.protocol().public_share(
                                      party, RingArray::filled(Ring::Z64, kMany, 3));
                                  x = co_await multiply(party, x, x);
                                  x = co_await multiply(party, x, x);
                                  co_return co_await open(party, slice(x, 0, 2));
                                },
                                .is_right = is({81, 81})};
  // Of products, sums of carries, folds, and products after them.
  for (const size_t byte :
       {size_t{40}, size_t{8} * kMany, size_t{8} * kMany + 500, size_t{8} * kMany + 9'000,
        size_t{8} * kMany + 13'000, size_t{8} * kMany + 500'000}) {
    expect_no_harm(program, {.liar = 1, .alteration = Alteration::Byte, .position = byte});
  }
  expect_no_harm(program, {.liar = 1});
}

/// Dot products of many terms, of few and of both words.
TEST(Aby3ActiveAttacks, LongSums) {
  constexpr size_t kTerms = 40'000;
  const AttackedProgram program{
      .name = "long sums",
      .run = [](Party& party) -> Task<RingArray> {
        Protocol& protocol = party.protocol();
        const Share x =
            protocol.public_share(party, RingArray::filled(Ring::Z64, 2 * kTerms, ~Word128{0}));
        const Share y = protocol.public_share(party, RingArray::filled(Ring::Z32, kTerms, 3));
        Share one = co_await protocol.dot(party, x, x, kTerms);
        Share many = co_await protocol.dot(party, y, y, 5);
        co_await open(party, slice(many, 0, 1));
        co_return co_await open(party, one);
      },
      .is_right = is({kTerms, kTerms})};
  const size_t n_bytes = sizes_of(program, 2).n_bytes;
  for (size_t byte = 3; byte < n_bytes; byte += n_bytes / 25) {
    expect_no_harm(program, {.liar = 2, .alteration = Alteration::Byte, .position = byte});
  }
  expect_no_harm(program, {.liar = 0});
}

/// Nothing is computed, and checked.
TEST(Aby3Active, ChecksProductsOfNothing) {
  const AttackedProgram program{
      .name = "nothing",
      .run = [](Party& party) -> Task<RingArray> {
        Protocol& protocol = party.protocol();
        const Share none = protocol.public_share(party, RingArray(Ring::Z64, 0));
        const Bits no_bits = protocol.public_bits(party, BitPlanes::zeros(3, 0));
        co_await multiply(party, none, none);
        co_await protocol.dot(party, none, none, 4);
        co_await protocol.multiply_matrices(party, none, none, {.rows = 0, .inner = 2});
        Share zeros = co_await protocol.multiply_matrices(party, none, none,
                                                          {.rows = 1, .inner = 0, .columns = 2});
        co_await conjunction(party, no_bits, no_bits);
        co_await open_bits(party, no_bits);
        co_return co_await open(party, zeros);
      },
      .is_right = is({0, 0})};
  expect_no_harm(program, {.liar = 1});
}

/// Public values that are not the same for all.
TEST(Aby3Active, DisagreementEndsTheRun) {
  const AttackedProgram program{.name = "agreement",
                                .run = [](Party& party) -> Task<RingArray> {
                                  const std::vector<std::byte> own(
                                      1, party.rank() == 2 ? std::byte{1} : std::byte{0});
                                  co_await party.protocol().check_agreement(party, own);
                                  co_return RingArray();
                                },
                                .is_right = [](const RingArray&) { return false; }};
  const AttackOutcome outcome = run_attacked("aby3-active", 3, program, {.liar = 2}, kPatience);
  EXPECT_TRUE(outcome.fates[0].failure.has_value());
  EXPECT_TRUE(outcome.fates[1].failure.has_value());
}

}  // namespace
}  // namespace tacet::mpc
