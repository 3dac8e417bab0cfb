// Relinearisations and drops of primes together: on small programs, what is chosen takes as little
// time as the best of all placements of both, tried one by one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/value.h"
#include "compiler/he/lower/choose_encryption.h"
#include "compiler/he/lower/integer_levels.h"
#include "compiler/he/lower/prime_finder.h"
#include "engine/program/he/text.h"
#include "tests/he_compile/small_program.h"

namespace tacet::he_lower {
namespace {

using engine::HeOpcode;
constexpr size_t kInputs = kSmallInputs;

/// The least time with these primes, of all numbers of primes for all results.
auto least_time(const Trace& trace, const Setting& setting, double margin) -> double {
  IntegerSimulation simulation(trace, setting, he::default_operation_times());
  const auto most = static_cast<uint32_t>(setting.data_sizes.size());
  std::vector<uint32_t> caps(trace.n_groups, 1);
  double least = std::numeric_limits<double>::infinity();
  for (size_t at = 0; at < caps.size();) {
    const Outcome outcome = simulation.run(std::numeric_limits<double>::lowest(), caps);
    if (outcome.budget >= margin) {
      least = std::min(least, outcome.microseconds);
    }
    for (at = 0; at < caps.size() && caps[at] == most; ++at) {
      caps[at] = 1;
    }
    if (at < caps.size()) {
      ++caps[at];
    }
  }
  return least;
}

/// The least time of all relinearisations and drops, with the primes of `chosen`.
auto least_time(const std::vector<Line>& lines, const Encryption& chosen, double margin) -> double {
  Setting setting{.scheme = chosen.scheme,
                  .ring_dimension = chosen.ring_dimension,
                  .plain_modulus = chosen.program.modulus,
                  .data_prime_bits = chosen.data_prime_bits,
                  .special_prime_bits = chosen.special_prime_bits};
  EXPECT_TRUE(PrimeFinder(setting.ring_dimension, setting.plain_modulus).find(setting));
  double least = std::numeric_limits<double>::infinity();
  for (size_t number = 0; number < size_t{1} << lines.size(); ++number) {
    std::vector<bool> places(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      places[i] = (number >> i & 1) != 0;
    }
    if (is_possible(lines, places)) {
      const engine::HeProgram program = value(engine::parse_he_program(
          text_of(lines, static_cast<uint32_t>(chosen.ring_dimension / 2), places)));
      const Trace trace = trace_of(program);
      if (!trace.needs_keys || !setting.special_sizes.empty()) {
        least = std::min(least, least_time(trace, setting, margin));
      }
    }
  }
  return least;
}

TEST(RelinearisationsAndDrops, TogetherTakeTheLeastTime) {
  std::mt19937_64 random(11);
  size_t n_tried = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<Line> lines = random_lines(random, 2 + random() % 3, 2);
    std::vector<bool> eager(lines.size());
    for (size_t at = 0; at < lines.size(); ++at) {
      eager[at] = lines[at].opcode == HeOpcode::Mul;
    }
    const std::string text = text_of(lines, 4096, eager);
    SCOPED_TRACE(text);
    ChoiceOptions options;
    options.scheme = i % 2 == 0 ? he::Scheme::Bgv : he::Scheme::Bfv;
    Result<Encryption> chosen =
        choose_encryption(value(engine::parse_he_program(text)), 65537, options);
    // Results of lines, and relinearised ones, with each number of primes.
    constexpr double kMostChoices = 20'000;
    const auto n_results = static_cast<double>(kInputs + 2 * lines.size());
    if (!chosen ||
        std::pow(static_cast<double>(chosen->data_prime_bits.size()), n_results) > kMostChoices) {
      continue;
    }
    const double least = least_time(lines, *chosen, options.margin);
    ++n_tried;
    const double ratio = chosen->microseconds / least;
    EXPECT_NEAR(ratio, 1, 1e-4) << engine::to_text(chosen->program);
  }
  EXPECT_GE(n_tried, 60U);
}

}  // namespace
}  // namespace tacet::he_lower
