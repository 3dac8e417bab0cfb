// Numbers from shares modulo t, in plaintext, against sums of whole numbers: all shares of all
// numbers for small t, extreme and random ones for large t; and the text of hand-overs.

#include "engine/program/mpc/take_shares.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"

namespace tacet::engine {
namespace {

/// A program that returns `n` numbers of `element` that it gets.
auto identity(ElementType element, size_t n, uint32_t n_parties) -> MpcProgram {
  MpcProgram program;
  for (uint32_t i = 0; i < n_parties; ++i) {
    program.parties.push_back("p" + std::to_string(i));
  }
  const MpcType type{MpcVisibility::Secret, element, {static_cast<int64_t>(n)}};
  const MpcRegisterId reg = program.registers.add({"d", type});
  program.inputs.push_back({reg});
  program.outputs.push_back({"out", reg});
  return program;
}

auto taken(ElementType element, size_t n, uint32_t n_holders, uint64_t modulus) -> MpcProgram {
  MpcJointCall call{.hand_over = {.name = "f", .bundle = "%line\n\n%other\n"},
                    .results = {{.input = 0, .output = "out", .modulus = modulus}}};
  MpcProgram program = take_shares(identity(element, n, n_holders), {call}, n_holders);
  const auto fault = find_fault(program);
  EXPECT_FALSE(fault) << fault->message;
  return program;
}

/// What integers these shares are of, by division of whole numbers.
auto near_zero(const std::vector<uint64_t>& shares, uint64_t modulus) -> int64_t {
  unsigned __int128 sum = 0;
  for (const uint64_t share : shares) {
    sum += share;
  }
  const auto rest = static_cast<uint64_t>(sum % modulus);
  return rest > modulus / 2 ? static_cast<int64_t>(rest) - static_cast<int64_t>(modulus)
                            : static_cast<int64_t>(rest);
}

/// Runs the program on rows of shares, one for each element.
void expect_taken(ElementType element, uint64_t modulus,
                  const std::vector<std::vector<uint64_t>>& rows) {
  const auto n_holders = static_cast<uint32_t>(rows.front().size());
  std::vector<MpcCells> inputs(n_holders);
  for (const std::vector<uint64_t>& row : rows) {
    for (uint32_t i = 0; i < n_holders; ++i) {
      inputs[i].push_back(static_cast<Cell>(row[i]));
    }
  }
  const MpcClearRun run = run_in_the_clear(taken(element, rows.size(), n_holders, modulus), inputs);
  ASSERT_EQ(run.fault, MpcRunFault::None);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t expected = near_zero(rows[i], modulus);
    const int64_t wanted = element == kBool ? int64_t{expected != 0} : expected;
    ASSERT_EQ(static_cast<int64_t>(run.outputs[0][i]), wanted)
        << "row " << i << ", modulus " << modulus << ", holders " << n_holders;
  }
}

TEST(TakeShares, AllSharesOfSmallModuli) {
  for (const uint64_t modulus : {3U, 5U, 7U, 17U}) {
    for (uint32_t n_holders = 2; n_holders <= 4; ++n_holders) {
      std::vector<std::vector<uint64_t>> rows;
      std::vector<uint64_t> row(n_holders);
      for (;;) {
        rows.push_back(row);
        size_t at = 0;
        while (at < n_holders && ++row[at] == modulus) {
          row[at++] = 0;
        }
        if (at == n_holders) {
          break;
        }
      }
      expect_taken(kI64, modulus, rows);
      expect_taken({ElementKind::I32, 0}, modulus, rows);
      expect_taken({ElementKind::I8, 0}, modulus, rows);
    }
  }
}

TEST(TakeShares, ExtremeAndRandomSharesOfLargeModuli) {
  std::mt19937_64 random(7);
  for (const uint64_t modulus : {uint64_t{65537}, (uint64_t{1} << 29) - 3, (uint64_t{1} << 30) - 35,
                                 (uint64_t{1} << 31) - 1, (uint64_t{1} << 49) - 81}) {
    for (const uint32_t n_holders : {2U, 3U, 4U, 16U}) {
      std::vector<std::vector<uint64_t>> rows;
      const uint64_t half = (modulus - 1) / 2;
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, half, half + 1, modulus - 1}) {
        for (size_t kind = 0; kind < 20; ++kind) {
          std::vector<uint64_t> row(n_holders);
          uint64_t sum = 0;
          for (uint32_t i = 1; i < n_holders; ++i) {
            row[i] = kind == 0 ? 0 : kind == 1 ? modulus - 1 : random() % modulus;
            sum = (sum + row[i]) % modulus;
          }
          row[0] = (value + modulus - sum) % modulus;
          rows.push_back(row);
        }
      }
      expect_taken(kI64, modulus, rows);
      if (modulus < (uint64_t{1} << 31)) {
        expect_taken({ElementKind::I32, 0}, modulus, rows);
      }
    }
  }
}

TEST(TakeShares, TruthValues) {
  expect_taken(kBool, 17, {{0, 0, 0}, {16, 1, 1}, {9, 9, 0}, {16, 16, 2}, {16, 16, 3}});
}

TEST(TakeShares, TextIsReadAsItIsPrinted) {
  const MpcProgram program = taken(kI64, 2, 3, 17);
  Result<MpcProgram> again = parse_mpc_program(to_text(program));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(parse_mpc_program(to_text(*again)).value(), *again);
  EXPECT_EQ(again->hand_overs, program.hand_overs);
  EXPECT_EQ(again->hand_overs.front().bundle, "%line\n\n%other\n");
  EXPECT_EQ(to_text(*again), to_text(program));
}

TEST(TakeShares, WrongHandOversAreFaults) {
  const std::string text = to_text(taken(kI64, 2, 3, 17));
  const auto faulty = [&](std::string_view part, std::string_view by) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), by);
    const Result<MpcProgram> read = parse_mpc_program(changed);
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_EQ(faulty("result out 0 1 2", "result out 0 1 7"),
            "a share of `f` is no input of its own");
  EXPECT_EQ(faulty("result out 0 1 2", "result out 0 1 1"),
            "a share of `f` is no input of its own");
  EXPECT_EQ(faulty("result out 0 1 2", "argument x 0\nresult out 0 1 2"),
            "an argument of `f` is no input of the program");
  EXPECT_EQ(faulty("from p1", "from p0"), "shares of `f` are not integers of different parties");
  EXPECT_EQ(faulty("result out 0 1 2", "result out"), "`result out` is not a part of a hand-over");
  EXPECT_EQ(faulty("result out 0 1 2", "results out 0 1 2"),
            "`results out 0 1 2` is not a part of a hand-over");
}

}  // namespace
}  // namespace tacet::engine
