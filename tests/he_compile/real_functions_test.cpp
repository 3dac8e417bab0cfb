// Functions of encrypted reals are within the stated distance of their real-valued meaning: random
// expressions and small networks, against formulas in extended precision; at the ends of ranges
// too.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "compiler/device/array/evaluate.h"
#include "compiler/he/lower/compile.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

constexpr size_t kElements = 3;
using Meaning = std::function<long double(long double x, long double y)>;

/// Text in `x[i]` and `y[i]`, what it means, and what it is between.
struct RealExpr {
  std::string text;
  Meaning meaning;
  double low = 0;
  double high = 0;
};

class RealExprs {
 public:
  explicit RealExprs(uint64_t seed) : random_(seed) {}

  auto any(int depth) -> RealExpr {
    if (depth == 0) {
      return random_() % 2 == 0
                 ? RealExpr{"x[i]", [](long double x, long double) { return x; }, -1, 1}
                 : RealExpr{"y[i]", [](long double, long double y) { return y; }, 1, 3};
    }
    const RealExpr a = any(depth - 1);
    if (random_() % 2 == 0) {
      return of_two(a, any(random_() % 2 == 0 ? depth - 1 : 0));
    }
    return of_one(a);
  }

 private:
  using One = long double (*)(long double);

  static auto applied(std::string_view name, const RealExpr& a, One f) -> RealExpr {
    const auto p = static_cast<double>(f(a.low));
    const auto q = static_cast<double>(f(a.high));
    return {fmt::format("{}({})", name, a.text),
            [f, inner = a.meaning](long double x, long double y) { return f(inner(x, y)); },
            std::min(p, q), std::max(p, q)};
  }

  auto of_one(const RealExpr& a) -> RealExpr {
    const uint64_t which = random_() % 9;
    if (which < 4 && a.low > 0.4) {
      switch (which) {
        case 0:
          return applied("log", a, [](long double v) { return std::log(v); });
        case 1:
          return applied("sqrt", a, [](long double v) { return std::sqrt(v); });
        case 2:
          return applied("rsqrt", a, [](long double v) { return 1 / std::sqrt(v); });
        default:
          return applied("reciprocal", a, [](long double v) { return 1 / v; });
      }
    }
    if (which == 4 && a.low > -3 && a.high < 3) {
      return applied("exp", a, [](long double v) { return std::exp(v); });
    }
    if (which == 8) {
      return applied("erf", a, [](long double v) { return std::erf(v); });
    }
    return which % 2 == 0
               ? applied("sigmoid", a, [](long double v) { return 1 / (1 + std::exp(-v)); })
               : applied("tanh", a, [](long double v) { return std::tanh(v); });
  }

  auto of_two(const RealExpr& a, const RealExpr& b) -> RealExpr {
    const auto both = [&](std::string text, auto f) {
      const auto [low, high] =
          std::minmax({f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)});
      return RealExpr{std::move(text),
                      [f, p = a.meaning, q = b.meaning](long double x, long double y) {
                        return f(p(x, y), q(x, y));
                      },
                      static_cast<double>(low), static_cast<double>(high)};
    };
    using Real = long double;
    switch (random_() % 5) {
      case 0:
        return both(fmt::format("({} + {})", a.text, b.text), [](Real p, Real q) { return p + q; });
      case 1:
        return both(fmt::format("({} - {})", a.text, b.text), [](Real p, Real q) { return p - q; });
      case 2:
        return both(fmt::format("max({}, {})", a.text, b.text),
                    [](Real p, Real q) { return std::max(p, q); });
      case 3:
        return both(fmt::format("min({}, {})", a.text, b.text),
                    [](Real p, Real q) { return std::min(p, q); });
      default:
        return both(fmt::format("{} * {}", a.text, b.text), [](Real p, Real q) { return p * q; });
    }
  }

  std::mt19937_64 random_;
};

/// The last item of a text, compiled.
auto compiled_text(const std::string& text, const CompileOptions& options = {}) -> Compilation {
  program::Frontend frontend;
  const FileId file = frontend.set_file("/program.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  return compile(snapshot, snapshot.items(file)->items.back().id, options);
}

/// What it means by the evaluator of reals.
auto evaluated(const std::string& text, const std::vector<double>& x, const std::vector<double>& y)
    -> std::vector<double> {
  CompileOptions options;
  options.last = Stage::Array;
  const Compilation compilation = compiled_text(text, options);
  return array::evaluate_reals(compilation.compiled->program, {x, y});
}

auto result_in_plaintext(const Compiled& compiled, const engine::HeValues& values, uint64_t seed)
    -> std::vector<double> {
  Result<engine::HeValues> outputs =
      engine::run_in_the_clear(compiled.parts.front().program, values, seed);
  EXPECT_TRUE(outputs) << outputs.error().message;
  return outputs ? outputs->begin()->second : std::vector<double>();
}

auto result_by_encryption(const Compiled& compiled, const engine::HeValues& values)
    -> std::vector<double> {
  const Encryption& part = compiled.parts.front();
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  Result<engine::HeRun> run =
      engine::run_encrypted(part.program, values, he::Context::make(parameters_of(part)), *random);
  EXPECT_TRUE(run) << run.error().message;
  return run ? run->outputs.begin()->second : std::vector<double>();
}

void expect_near(const std::vector<double>& results, const std::vector<long double>& meant,
                 double within) {
  ASSERT_EQ(results.size(), meant.size());
  for (size_t i = 0; i < meant.size(); ++i) {
    EXPECT_LE(std::abs(results[i] - static_cast<double>(meant[i])), within) << "element " << i;
  }
}

/// Numbers of the type between two: ends first, then any.
auto drawn(int low, int high, int fraction_bits, size_t round, std::mt19937_64& random)
    -> std::vector<double> {
  const int64_t unit = int64_t{1} << fraction_bits;
  std::vector<double> numbers;
  for (size_t i = 0; i < kElements; ++i) {
    const auto span = static_cast<uint64_t>((high - low) * unit);
    const uint64_t offset = round == 0   ? i * (span - 1) / (kElements - 1)
                            : round == 1 ? span / 2 + i
                                         : random() % span;
    numbers.push_back(low + static_cast<double>(offset) / static_cast<double>(unit));
  }
  return numbers;
}

TEST(RealFunctions, RandomExpressionsAreWithinTheirTolerance) {
  constexpr int kFractionBits = 12;
  size_t n_compiled = 0;
  const uint64_t n_programs = harness::rounds(16);
  for (uint64_t seed = 0; seed < n_programs; ++seed) {
    const RealExpr expr = RealExprs(seed).any(2 + static_cast<int>(seed % 2));
    const std::string text = fmt::format(
        "#version 0.1.0\n\n"
        "fn(he) f(x: secret [fxp<12>; 3] in -1..1, y: secret [fxp<12>; 3] in 1..3) -> "
        "secret [fxp<12>; 3] within 0.05 {{\n    for i: 3 {{ {} }}\n}}\n",
        expr.text);
    SCOPED_TRACE(text);
    const Compilation compilation = compiled_text(text);
    if (!compilation.compiled) {
      EXPECT_FALSE(compilation.problem.empty() && compilation.diagnostics.empty());
      continue;
    }
    ++n_compiled;
    const Compiled& compiled = *compilation.compiled;
    EXPECT_LE(compiled.within, 0.05);
    const double noise = compiled.parts.front().error;
    const double rounding = std::ldexp(0.5, -kFractionBits);
    std::mt19937_64 random(seed);
    for (size_t round = 0; round < 4; ++round) {
      const std::vector<double> x = drawn(-1, 1, kFractionBits, round, random);
      const std::vector<double> y = drawn(1, 3, kFractionBits, round, random);
      std::vector<long double> meant;
      for (size_t i = 0; i < kElements; ++i) {
        meant.push_back(expr.meaning(x[i], y[i]));
      }
      expect_near(evaluated(text, x, y), meant, 1e-12);
      const engine::HeValues values{{"x", x}, {"y", y}};
      const std::vector<double> exact = result_in_plaintext(compiled, values, 1 + round);
      expect_near(exact, meant, compiled.within - noise - rounding + 1e-9);
      if (round == 0 && seed % 8 == 0) {
        expect_near(result_by_encryption(compiled, values), meant, compiled.within - rounding);
      }
    }
  }
  EXPECT_GE(n_compiled, n_programs / 2);
}

/// Sums before and behind, so that padding and what rotations leave is in other slots.
TEST(RealFunctions, LayersAreWithinTheirTolerance) {
  const std::string text = R"(#version 0.1.0

const weights = [[0.5, -0.25, 0.125], [1.0, 0.5, -1.0], [-0.75, 0.25, 0.5], [0.25, 0.25, 0.25], [1.0, -1.0, 0.5]]

fn(he) layer(x: secret [fxp; 3] in -2..2) -> secret fxp within 0.01 {
    let h = for j: 5 { sigmoid(sum(for i: 3 { weights[j][i] * x[i] })) };
    log(1.0 + sum(for j: 5 { h[j] * h[j] }))
}
)";
  constexpr double kWeights[5][3] = {
      {0.5, -0.25, 0.125}, {1, 0.5, -1}, {-0.75, 0.25, 0.5}, {0.25, 0.25, 0.25}, {1, -1, 0.5}};
  const Compilation compilation = compiled_text(text);
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  const Compiled& compiled = *compilation.compiled;
  EXPECT_LE(compiled.within, 0.01);
  const engine::HeProgram& made = compiled.parts.front().program;
  Result<engine::HeProgram> read = engine::parse_he_program(engine::to_text(made));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, made);
  std::mt19937_64 random(5);
  for (size_t round = 0; round < 20; ++round) {
    const std::vector<double> x = drawn(-2, 2, 18, round, random);
    long double total = 1;
    for (const auto& row : kWeights) {
      long double sum = 0;
      for (size_t i = 0; i < 3; ++i) {
        sum += row[i] * x[i];
      }
      const long double h = 1 / (1 + std::exp(-sum));
      total += h * h;
    }
    const engine::HeValues values{{"x", x}};
    expect_near(result_in_plaintext(compiled, values, round), {std::log(total)},
                compiled.within - compiled.parts.front().error + 1e-9);
    if (round == 0) {
      expect_near(result_by_encryption(compiled, values), {std::log(total)}, compiled.within);
    }
  }
}

/// The operand has an input in it, and a function of that; in slots that have no element, the one
/// is 0 and the other is not.
TEST(RealFunctions, SlotsWithoutElementsDoNotWidenOperands) {
  for (const size_t n : {3U, 4U}) {
    const Compilation compilation = compiled_text(fmt::format(
        "#version 0.1.0\n\nfn(he) f(x: secret [fxp; {0}] in -2..2, y: secret [fxp; {0}] "
        "in 1..4) -> secret [fxp; {0}] within 0.01 {{\n"
        "    for i: {0} {{ erf((x[i] / y[i] - y[i]) * 3.0) }}\n}}\n",
        n));
    ASSERT_TRUE(compilation.compiled) << compilation.problem;
    std::vector<double> x = {-1.75, 1.875, 0.5};
    std::vector<double> y = {1, 1.25, 3.5};
    x.resize(n, 1.5);
    y.resize(n, 1);
    std::vector<long double> meant;
    for (size_t i = 0; i < n; ++i) {
      meant.push_back(std::erf((x[i] / y[i] - y[i]) * 3.0L));
    }
    expect_near(result_by_encryption(*compilation.compiled, {{"x", x}, {"y", y}}), meant,
                compilation.compiled->within);
  }
}

/// What is rescaled before it is relinearised would be too far off.
TEST(RealFunctions, DeepFunctionsAreRelinearisedEarly) {
  const Compilation compilation = compiled_text(
      "#version 0.1.0\n\nfn(he) f(s: secret [fxp; 4] in 50..150, t: secret [fxp; 4] in 0.25..2, v: "
      "secret [fxp; 4] in 0.1..0.5) -> secret [fxp; 4] within 0.003 {\n"
      "    for i: 4 { let d = (log(s[i]) - 4.6) / (v[i] * sqrt(t[i])) in 0.5 + 0.5 * erf(d * "
      "0.70710678) }\n}\n");
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  EXPECT_LE(compilation.compiled->within, 0.003);
}

/// What the tolerance cannot be is said, and what it is when nothing is said.
TEST(RealFunctions, TolerancesAreKeptOrRefused) {
  const auto of = [](std::string_view within, std::string_view body) {
    return compiled_text(fmt::format(
        "#version 0.1.0\n\nfn(he) f(x: secret [fxp<10>; 4] in -4..4) -> secret [fxp<10>; 4]{} "
        "{{\n    for i: 4 {{ {} }}\n}}\n",
        within, body));
  };
  const Compilation loose = of(" within 0.25", "tanh(x[i])");
  const Compilation tight = of(" within 0.002", "tanh(x[i])");
  ASSERT_TRUE(loose.compiled && tight.compiled);
  EXPECT_LE(loose.compiled->within, 0.25);
  EXPECT_LE(tight.compiled->within, 0.002);
  EXPECT_LT(loose.compiled->parts.front().microseconds, tight.compiled->parts.front().microseconds);

  const Compilation unit = of("", "tanh(x[i])");
  ASSERT_TRUE(unit.compiled);
  EXPECT_FALSE(unit.compiled->is_relative);
  EXPECT_LE(unit.compiled->within, 0x1.8p-10);

  EXPECT_FALSE(of("", "1.0 / x[i]").diagnostics.empty());
  EXPECT_FALSE(of("", "1.0 if x[i] < 0.5 else 0.0").diagnostics.empty());
}

}  // namespace
}  // namespace tacet::he_lower
