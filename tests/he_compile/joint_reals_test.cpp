// Relinearisations and rescaling together: on small programs of reals, what is chosen takes as
// little time as the best of all placements of both, tried one by one; and never more than each
// placed by itself.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "base/value.h"
#include "compiler/he/lower/choose_real_encryption.h"
#include "compiler/he/lower/prime_finder.h"
#include "compiler/he/lower/real_levels.h"
#include "engine/program/he/text.h"
#include "tests/he_compile/small_program.h"
#include "tests/he_compile/straight_program.h"

namespace tacet::he_lower {
namespace {

constexpr uint32_t kColumns = 4096;
constexpr double kMargin = 3;

/// As reals, which no text without drops can say.
auto real_program(const std::vector<Line>& lines, const std::vector<bool>& places)
    -> engine::HeProgram {
  engine::HeProgram program = value(engine::parse_he_program(text_of(lines, kColumns, places)));
  program.n_rows = 1;
  program.modulus = 0;
  program.scale_bits = 40;
  return program;
}

/// All numbers of primes of all values, and all choices of rescaling of products or their users.
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Trace& trace, const Setting& setting, double precision)
      : trace_(trace),
        precision_(precision),
        simulation_(trace, setting, he::default_operation_times()),
        n_primes_(static_cast<uint32_t>(setting.data_sizes.size())),
        values_(trace.n_inputs() + trace.steps.size()) {
    levels_.of_group.assign(trace.n_groups, 1);
    levels_.of_statement.assign(trace.statement_group.size(), 0);
    levels_.is_rescaled.assign(trace.statement_group.size(), false);
  }

  /// The least time of those that are precise and large enough.
  auto least_time() -> double {
    go_on(0);
    return least_;
  }
  [[nodiscard]] auto n_tried() const -> size_t { return n_tried_; }

  static constexpr size_t kMostTries = 60'000;

 private:
  struct Value {
    uint32_t n_primes = 0;
    bool is_squared = false;  ///< the scale
  };

  void go_on(uint32_t at) {
    if (n_tried_ > kMostTries) {
      return;
    }
    if (at == values_.size()) {
      ++n_tried_;
      const Outcome outcome = simulation_.run(levels_);
      if (outcome.budget >= kMargin && outcome.error <= precision_) {
        least_ = std::min(least_, outcome.microseconds);
      }
    } else if (at < trace_.n_inputs()) {
      set(at, trace_.input_groups[at], {.n_primes = n_primes_});
    } else {
      go_on_with(at, trace_.steps[at - trace_.n_inputs()]);
    }
  }

  void go_on_with(uint32_t at, const Step& step) {
    const Value& a = values_[step.a];
    const Value& b = values_[step.b];
    const bool is_product = step.kind == StepKind::Multiply;
    if (a.is_squared != b.is_squared || (is_product && a.is_squared)) {
      return;
    }
    const Value made{std::min(a.n_primes, b.n_primes), is_product || a.is_squared};
    const uint32_t group = trace_.statement_group[step.statement];
    levels_.of_statement[step.statement] = made.n_primes;
    set(at, group, made);
    if (made.is_squared) {
      levels_.is_rescaled[step.statement] = true;
      set(at, group, {made.n_primes - 1, false});
      levels_.is_rescaled[step.statement] = false;
    }
  }

  /// With as many primes as it has, and with fewer.
  void set(uint32_t at, uint32_t group, Value made) {
    for (; made.n_primes > 0; --made.n_primes) {
      values_[at] = made;
      levels_.of_group[group] = made.n_primes;
      go_on(at + 1);
    }
  }

  const Trace& trace_;
  double precision_;
  RealSimulation simulation_;
  uint32_t n_primes_;
  std::vector<Value> values_;
  Levels levels_;
  double least_ = std::numeric_limits<double>::infinity();
  size_t n_tried_ = 0;
};

/// The least time of all relinearisations and rescalings, with the primes of `chosen`; nothing if
/// there are too many.
auto least_time(const std::vector<Line>& lines, const Encryption& chosen, double precision)
    -> std::optional<double> {
  Setting setting{.scheme = he::Scheme::Ckks,
                  .ring_dimension = chosen.ring_dimension,
                  .scale_bits = chosen.program.scale_bits,
                  .data_prime_bits = chosen.data_prime_bits,
                  .special_prime_bits = chosen.special_prime_bits};
  EXPECT_TRUE(PrimeFinder(setting.ring_dimension, 0).find(setting));
  double least = std::numeric_limits<double>::infinity();
  for (size_t number = 0; number < size_t{1} << lines.size(); ++number) {
    std::vector<bool> places(lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      places[i] = (number >> i & 1) != 0;
    }
    if (!is_possible(lines, places)) {
      continue;
    }
    const Trace trace = trace_of(real_program(lines, places));
    if (trace.needs_keys && setting.special_sizes.empty()) {
      continue;
    }
    ExhaustiveSearch every(trace, setting, precision);
    least = std::min(least, every.least_time());
    if (every.n_tried() > ExhaustiveSearch::kMostTries) {
      return std::nullopt;
    }
  }
  return least;
}

auto eager_places(const std::vector<Line>& lines) -> std::vector<bool> {
  std::vector<bool> places;
  for (const Line& line : lines) {
    places.push_back(line.opcode == engine::HeOpcode::Mul);
  }
  return places;
}

TEST(RelinearisationsAndRescaling, TogetherTakeTheLeastTime) {
  std::mt19937_64 random(12);
  size_t n_tried = 0;
  size_t n_moved = 0;
  for (int i = 0; i < 150; ++i) {
    const double precision = std::ldexp(1, -8 - 6 * (i % 4));
    const std::vector<Line> lines = random_lines(random, 2 + random() % 4, 2);
    const engine::HeProgram program = real_program(lines, eager_places(lines));
    SCOPED_TRACE(text_of(lines, kColumns, eager_places(lines)));
    Result<Encryption> chosen = choose_real_encryption(program, precision, {});
    if (!chosen) {
      continue;
    }
    const std::optional<double> least = least_time(lines, *chosen, precision);
    if (!least) {
      continue;
    }
    ++n_tried;
    EXPECT_NEAR(chosen->microseconds / *least, 1, 1e-9) << engine::to_text(chosen->program);
    ChoiceOptions apart;
    apart.relinearisation = circuit::Relinearisation::Eager;
    const Encryption separate = value(choose_real_encryption(program, precision, apart));
    EXPECT_LE(chosen->microseconds, separate.microseconds);
    n_moved += chosen->microseconds < separate.microseconds ? 1 : 0;
  }
  EXPECT_GE(n_tried, 100U);
  EXPECT_GE(n_moved, 50U);
}

TEST(RelinearisationsAndRescaling, OfLongProgramsTakeNoLongerThanApart) {
  constexpr double precision = 0x1p-8;
  for (const uint32_t depth : {1U, 2U}) {
    const engine::HeProgram program =
        straight_program({.n_statements = 400, .depth = depth, .is_real = true});
    ChoiceOptions apart;
    apart.relinearisation = circuit::Relinearisation::Lazy;
    const Encryption separate = value(choose_real_encryption(program, precision, apart));
    const Encryption together = value(choose_real_encryption(program, precision, {}));
    EXPECT_LT(together.microseconds, separate.microseconds);
  }
}

}  // namespace
}  // namespace tacet::he_lower
