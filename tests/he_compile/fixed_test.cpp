// Programs of fixed-point numbers give what the reference device gives, within the bound that the
// compiler states: in plaintext, with random values in slots that do not matter, and really
// encrypted.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/device/array/print.h"
#include "compiler/device/array/real_bounds.h"
#include "compiler/he/lower/compile.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/array/random_program.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

using Reals = std::vector<double>;

constexpr engine::PublicRandomKey kKey{{1, 2, 3, 4}};

/// The last item of a text.
class Text {
 public:
  explicit Text(const std::string& text)
      : file_(frontend_.set_file("/program.tacet", text)),
        snapshot_(frontend_.snapshot()),
        item_(snapshot_.items(file_)->items.back().id) {}

  [[nodiscard]] auto compiled(const CompileOptions& options) const -> Compilation {
    return compile(snapshot_, item_, options);
  }

  /// What the reference device gives for numbers that stand for themselves times 2^fraction_bits.
  [[nodiscard]] auto reference(const std::vector<std::vector<int64_t>>& inputs) const -> Reals {
    const interpret::Compilation made = interpret::compile(snapshot_, item_, {});
    EXPECT_TRUE(made.executable) << made.problem;
    std::vector<interpret::Value> values;
    for (const interpret::EntryParameter& parameter : made.executable->parameters) {
      const std::vector<int64_t>& numbers = inputs.at(values.size());
      values.push_back({parameter.type, parameter.shape, {numbers.begin(), numbers.end()}});
    }
    interpret::MachineOptions options;
    options.random_key = kKey;
    const interpret::RunResult result = interpret::run(*made.executable, values, options);
    EXPECT_FALSE(result.failure);
    Reals reals;
    for (const interpret::Cell cell : result.values.at(0).cells) {
      reals.push_back(
          array::real_of(static_cast<int64_t>(cell), result.values[0].type.fraction_bits));
    }
    return reals;
  }

 private:
  program::Frontend frontend_;
  FileId file_;
  program::FrontendSnapshot snapshot_;
  names::ItemId item_;
};

auto values_of(const array::Program& program, const std::vector<std::vector<int64_t>>& inputs)
    -> engine::HeValues {
  engine::HeValues values;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const array::Array& array = program.arrays[array::ArrayId{i}];
    for (const int64_t number : inputs[i]) {
      values[array.name].push_back(array::real_of(number, array.fraction_bits));
    }
  }
  return values;
}

auto clear_result(const Encryption& part, const engine::HeValues& values, uint64_t seed) -> Reals {
  Result<engine::HeValues> outputs = engine::run_in_the_clear(part.program, values, seed);
  EXPECT_TRUE(outputs);
  return outputs ? outputs->begin()->second : Reals{};
}

auto encrypted_result(const Encryption& part, const engine::HeValues& values) -> Reals {
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  Result<engine::HeRun> run =
      engine::run_encrypted(part.program, values, he::Context::make(parameters_of(part)), *random);
  EXPECT_TRUE(run) << run.error().message;
  return run ? run->outputs.begin()->second : Reals{};
}

/// The largest difference of two arrays.
auto distance(const Reals& a, const Reals& b) -> double {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    most = std::isnan(difference) ? HUGE_VAL : std::max(most, difference);
  }
  return most;
}

void expect_reads_back(const Compiled& compiled) {
  Result<array::Program> program = array::parse_program(array::print(compiled.program));
  ASSERT_TRUE(program) << program.error().message << "\n" << array::print(compiled.program);
  EXPECT_EQ(array::print(*program), array::print(compiled.program));
  const engine::HeProgram& made = compiled.parts.front().program;
  Result<engine::HeProgram> read = engine::parse_he_program(engine::to_text(made));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, made);
}

/// Whether it fits; then it is compared with the reference device.
auto is_right(const array::RandomProgram& random, bool is_encrypted, int64_t most) -> bool {
  const Text text(random.text);
  CompileOptions options;
  options.random_key = kKey;
  for (size_t i = 0; i < random.inputs.size(); ++i) {
    options.ranges.emplace_back("in" + std::to_string(i), array::Interval{-most, most});
  }
  const Compilation compilation = text.compiled(options);
  if (!compilation.compiled) {
    EXPECT_NE(compilation.problem, "");
    return false;
  }
  const Compiled& compiled = *compilation.compiled;
  const Encryption& part = compiled.parts.front();
  EXPECT_EQ(part.scheme, he::Scheme::Ckks);
  const double unit = std::ldexp(1, -int{compiled.program.fraction_bits});
  const auto width = static_cast<double>(compiled.result.high - compiled.result.low) * unit;
  EXPECT_LE(part.error, compiled.is_relative ? width / 1024 : unit);
  expect_reads_back(compiled);
  const Reals expected = text.reference(random.inputs);
  const engine::HeValues values = values_of(compiled.program, random.inputs);
  const Reals exact = clear_result(part, values, 1);
  EXPECT_LE(distance(exact, expected), compiled.error - part.error);
  EXPECT_LE(distance(clear_result(part, values, 2), exact), 1e-9);
  if (is_encrypted) {
    const Reals result = encrypted_result(part, values);
    EXPECT_LE(distance(result, exact), part.error);
    EXPECT_LE(distance(result, expected), compiled.error);
  }
  for (const double real : expected) {
    EXPECT_GE(std::ldexp(real, compiled.program.fraction_bits), compiled.result.low);
    EXPECT_LE(std::ldexp(real, compiled.program.fraction_bits), compiled.result.high);
  }
  return true;
}

TEST(Fixed, RandomProgramsAreWithinTheirBound) {
  const uint64_t n_programs = harness::rounds(150);
  const uint64_t n_encrypted = harness::rounds(20);
  size_t n_right = 0;
  for (uint64_t seed = 0; seed < n_programs; ++seed) {
    const unsigned fraction_bits = seed % 3 == 0 ? 18 : seed % 3 == 1 ? 10 : 22;
    const array::RandomLimits limits{.max_extent = 5,
                                     .max_elements = 30,
                                     .max_value = 2,
                                     .depth = 3,
                                     .fraction_bits = fraction_bits};
    const array::RandomProgram random = array::random_program(seed, limits);
    SCOPED_TRACE(testing::Message() << "program " << seed << "\n" << random.text);
    n_right += is_right(random, n_right < n_encrypted, int64_t{2} << fraction_bits) ? 1 : 0;
  }
  EXPECT_GT(n_right, n_programs * 3 / 4);
}

/// Sums of slots that the client adds up: as many errors, and they may all point one way. Against
/// sums in doubles.
TEST(Fixed, SumsOfTheClientAreWithinTheirBound) {
  struct Sum {
    const char* text;
    double (*summand)(double x);
    double factor, shift;
  };
  const Sum sums[] = {
      {"sum(in0)", [](double x) { return x; }, 1, 0},
      {"0.5 * sum(in0) - 0.25", [](double x) { return x; }, 0.5, -0.25},
      {"sum(for i: N { in0[i] * in0[i] })", [](double x) { return x * x; }, 1, 0},
      {"sum(for i: N { in0[i] * in0[i] * in0[i] })", [](double x) { return x * x * x; }, 1, 0},
  };
  constexpr double kUnit = 0x1p-18;
  std::mt19937_64 random(8);
  for (const int n : {2, 100, 4096, 10'000}) {
    for (const Sum& sum : sums) {
      std::string body = sum.text;
      if (const size_t at = body.find('N'); at != std::string::npos) {
        body.replace(at, 1, std::to_string(n));
      }
      const std::string text = fmt::format(
          "#version 0.1.0\nfn(he) f(in0: secret [fxp; {}] in -1..1) -> secret fxp within 0.01 {{ "
          "{} "
          "}}\n",
          n, body);
      SCOPED_TRACE(text);
      const Compilation compilation = Text(text).compiled({});
      ASSERT_TRUE(compilation.compiled) << compilation.problem;
      const Encryption& part = compilation.compiled->parts.front();
      EXPECT_GT(part.program.outputs.front().dimensions.size(), 0U);
      for (const int kind : {0, 1, 2, 3}) {
        // The ends of the range, one, the other or alternately; random numbers.
        std::vector<int64_t> input;
        for (int i = 0; i < n; ++i) {
          const int64_t low = -(int64_t{1} << 18);
          const int64_t high = -low - 1;
          input.push_back(kind == 0   ? high
                          : kind == 1 ? low
                          : kind == 2 ? (i % 2 == 0 ? low : high)
                                      : low + static_cast<int64_t>(random() >> 45));
        }
        double expected = 0;
        for (const int64_t number : input) {
          expected += sum.summand(static_cast<double>(number) * kUnit);
        }
        expected = sum.factor * expected + sum.shift;
        const Reals found =
            encrypted_result(part, values_of(compilation.compiled->program, {input}));
        EXPECT_LE(std::abs(found.front() - expected), part.error);
      }
      EXPECT_LE(part.error, 0.01);
    }
  }
}

/// A function of one array that multiplies and adds draws, and constants with fractions.
auto drawing_program(uint64_t seed, unsigned fraction_bits) -> array::RandomProgram {
  std::mt19937_64 random(seed);
  const auto n = 2 + random() % 4;
  const auto term = [&] {
    const char* const terms[] = {"rand_uniform(-1.0, 1.0)",
                                 "rand_normal(0.5, 0.25)",
                                 "rand_int(3)",
                                 "(rand_uniform(0.0, 1.0) * table[i])",
                                 "(rand_normal(0.0, 0.5) if rand_bool(0.5) else 0.375)",
                                 "table[i]",
                                 "(2.0 * noise)",
                                 "total",
                                 "factors[i]",
                                 "factors[1] * factors[0]",
                                 "matrix[1][i]",
                                 "sum(for k: 2 { matrix[k][i] * rand_uniform(-1.0, 1.0) })"};
    return terms[random() % std::size(terms)];
  };
  std::string row;
  for (uint64_t k = 0; k < n; ++k) {
    row += fmt::format("{}{}", k == 0 ? "" : ", ", k % 2 == 0 ? "0.3125" : "-1.7");
  }
  array::RandomProgram program;
  program.text = fmt::format(
      "#version 0.1.0\n"
      "const factors = [{0}]\n"
      "const matrix = [[{0}], factors]\n"
      "fn(he) f(in0: secret [fxp<{1}>; {2}]) -> secret [fxp<{1}>; {2}] {{\n"
      "    let table: [fxp<{1}>; {2}] = for i: {2} {{ rand_uniform(-2.0, 2.0) }};\n"
      "    let noise: fxp<{1}> = rand_normal(0.0, 0.5);\n"
      "    var total: fxp<{1}> = 0.0;\n"
      "    for k in 0..3 {{\n        total = total + rand_uniform(0.0, 1.0);\n    }}\n"
      "    for i: {2} {{ in0[i] * {3} + {4} + in0[0] * ({5} - in0[{2} - 1 - i]) }}\n"
      "}}\n",
      row, fraction_bits, n, term(), term(), term());
  std::vector<int64_t> input;
  for (uint64_t k = 0; k < n; ++k) {
    input.push_back(static_cast<int64_t>(random() % (uint64_t{2} << fraction_bits)) -
                    (int64_t{1} << fraction_bits));
  }
  program.inputs = {input};
  return program;
}

TEST(Fixed, WhatIsDrawnIsConstant) {
  constexpr uint64_t kPrograms = 60;
  constexpr size_t kEncrypted = 8;
  size_t n_right = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const unsigned fraction_bits = seed % 3 == 0 ? 18 : seed % 3 == 1 ? 10 : 16;
    const array::RandomProgram random = drawing_program(seed, fraction_bits);
    SCOPED_TRACE(testing::Message() << "program " << seed << "\n" << random.text);
    n_right += is_right(random, n_right < kEncrypted, int64_t{2} << fraction_bits) ? 1 : 0;
  }
  EXPECT_EQ(n_right, kPrograms);
}

}  // namespace
}  // namespace tacet::he_lower
