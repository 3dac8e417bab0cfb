#include "compiler/he/lower/weigh_relinearisations.h"

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/program/he/text.h"

namespace tacet::he_lower {
namespace {

constexpr uint32_t kMostPrimes = 4;

/// Switching a key takes ten times the square of the primes, all else as many units as primes.
auto simple_times() -> he::OperationTimes {
  he::OperationTimes times;
  for (size_t i = 0; i < he::kOperations; ++i) {
    const auto operation = static_cast<he::Operation>(i);
    for (size_t n = 1; n <= kMostPrimes; ++n) {
      const double size = static_cast<double>(n);
      times.set(operation, {.ring_dimension = 4096, .n_primes = n},
                operation == he::Operation::Relinearise ? 10 * size * size : size);
    }
  }
  return times;
}

/// A program with these statements on the input `x`.
auto program_of(const std::string& body) -> engine::HeProgram {
  return value(engine::parse_he_program(
      "he_program 1\nslots 2 x 2048\nmodulus 65537\nprimes 4\ninput a[8] from client\n"
      "cipher x = a[i] over (i:8)\ncipher p\ncipher s\ncipher t\ncipher q[3]\n" +
      body + "output o[2] over (j:2) [j] = t at 0, j\n"));
}

/// The program weighed where each statement leaves as many primes as `left` says.
auto weighed(const std::string& body, const std::vector<uint32_t>& left) -> std::string {
  const engine::HeProgram program = program_of(body);
  const Trace trace = trace_of(program);
  Levels levels{.of_group = std::vector<uint32_t>(trace.n_groups, kMostPrimes),
                .of_statement = std::vector<uint32_t>(program.body.size(), kMostPrimes)};
  for (size_t i = 0; i < left.size(); ++i) {
    levels.of_group[trace.statement_group[i]] = left[i];
  }
  const Setting setting{.ring_dimension = 4096,
                        .plain_modulus = 65537,
                        .data_sizes = std::vector<double>(kMostPrimes, 40),
                        .special_sizes = {40}};
  return engine::to_text(
      with_weighed_relinearisations(program, trace, setting, levels, simple_times()));
}

TEST(WeighRelinearisations, SeveralWithFewPrimesAreCheaperThanOneWithMany) {
  const std::string early =
      "p = mul x, x\np = relinearise p\ns = add p, x\nt = sub p, x\ns = rotate s, 1\n"
      "t = rotate t, 2\nt = add s, t\n";
  const std::string late =
      "p = mul x, x\ns = add p, x\ns = relinearise s\nt = sub p, x\nt = relinearise t\n"
      "s = rotate s, 1\nt = rotate t, 2\nt = add s, t\n";
  EXPECT_EQ(weighed(early, {4, 4, 1, 1, 1, 1, 1}), engine::to_text(program_of(late)));
  EXPECT_EQ(weighed(early, {}), engine::to_text(program_of(early)));
}

TEST(WeighRelinearisations, LoopsCountAsOftenAsTheyRun) {
  const std::string inside =
      "t = mul x, x\nt = relinearise t\nfor i: 64 {\n  p = mul x, x\n  p = relinearise p\n"
      "  t = add t, p\n}\ns = sub t, x\nt = rotate s, 1\n";
  const std::string behind =
      "t = mul x, x\nfor i: 64 {\n  p = mul x, x\n  t = add t, p\n}\n"
      "s = sub t, x\ns = relinearise s\nt = rotate s, 1\n";
  EXPECT_EQ(weighed(inside, {}), engine::to_text(program_of(behind)));
}

TEST(WeighRelinearisations, ResultsStayAsTheyAre) {
  const std::string needless = "t = mul x, x\nt = relinearise t\n";
  EXPECT_EQ(weighed(needless, {}), engine::to_text(program_of("t = mul x, x\n")));
}

}  // namespace
}  // namespace tacet::he_lower
