// Random device functions of all types, compiled for CGGI, encrypted and evaluated: the results are
// those of the reference device. TACET_CGGI_SEED says which function is the first.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/he/gates/compile.h"
#include "engine/cggi_format/specialise.h"
#include "engine/cggi_format/text.h"
#include "tests/cggi/toy_keys.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"

namespace tacet::gates {
namespace {

constexpr int kInputs = 3;
constexpr size_t kMostBootstraps = 4000;
constexpr size_t kMostSpecialised = 200;

struct Counts {
  size_t n_functions = 0;
  size_t n_programs = 0;
  size_t n_encrypted = 0;
  size_t n_compared = 0;
  size_t n_bootstraps = 0;
  size_t n_saved = 0;  ///< by knowing inputs
};

auto values_of(const engine::CggiProgram& program, const std::vector<kernel::Value>& inputs)
    -> engine::CggiValues {
  engine::CggiValues values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[program.inputs[i].name] = inputs[i].cells;
  }
  return values;
}

auto within_bounds(const engine::CggiProgram& program, std::vector<kernel::Value> inputs)
    -> std::vector<kernel::Value> {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const auto& bound = program.inputs[i].bound) {
      const auto size = static_cast<uint64_t>(bound->high - bound->low) + 1;
      for (engine::Cell& cell : inputs[i].cells) {
        const uint64_t above = cell - static_cast<uint64_t>(bound->low);
        cell = static_cast<uint64_t>(bound->low) + (size == 0 ? above : above % size);
      }
    }
  }
  return inputs;
}

/// What the bits of a program give for inputs, without encryption.
auto in_the_clear(const engine::CggiProgram& program, const engine::CggiValues& values)
    -> engine::CggiValues {
  return engine::results_of_bits(
      program,
      engine::run_in_the_clear(program, value(engine::input_bits(program, std::nullopt, values))));
}

class Comparison {
 public:
  Comparison() : keys_(cggi::toy_parameters()) {}

  void check(testing::CheckedModule& module, std::string_view function, testing::Random& random) {
    ++counts.n_functions;
    Compilation compilation =
        compile(module.snapshot(), module.find(function), {.most_gates = 100'000});
    if (!compilation.compiled) {
      return;
    }
    ++counts.n_programs;
    const engine::CggiProgram& program = compilation.compiled->program;
    const std::string text = engine::to_text(program);
    ASSERT_EQ(value(engine::parse_cggi_program(text)), program);
    const kernel::Kernel kernel = module.lower(function);
    std::vector<kernel::Value> inputs =
        within_bounds(program, testing::random_inputs(random, kernel));
    const bool is_encrypted = engine::n_bootstraps(program) <= kMostBootstraps;
    counts.n_encrypted += is_encrypted ? 1 : 0;
    for (int i = 0; i < kInputs; ++i) {
      const testing::Outcome expected = testing::run(kernel, inputs);
      // Faults that are not ruled out are faults of the secret, of which there are none.
      ASSERT_FALSE(expected.fault) << outcome_text(expected);
      const engine::CggiValues values = values_of(program, inputs);
      compare(program, in_the_clear(program, values), expected);
      compare_specialised(program, values, random, expected);
      if (is_encrypted) {
        counts.n_bootstraps += engine::n_bootstraps(program);
        compare(program, engine::run_with(keys_, program, values), expected);
      }
      inputs =
          within_bounds(program, testing::with_other_secrets(random, kernel, std::move(inputs)));
    }
  }

  Counts counts;

 private:
  /// As if the server had some of the inputs, and the circuit were made for them.
  void compare_specialised(engine::CggiProgram program, const engine::CggiValues& values,
                           testing::Random& random, const testing::Outcome& expected) {
    for (engine::CggiField& field : program.inputs) {
      field.owner = random() % 2 == 0 ? engine::CggiOwner::Server : engine::CggiOwner::Client;
    }
    const engine::CggiProgram special = engine::specialised(
        program, value(engine::input_bits(program, engine::CggiOwner::Server, values)));
    ASSERT_TRUE(engine::validate(special)) << engine::validate(special).error().message;
    EXPECT_LE(engine::n_bootstraps(special), engine::n_bootstraps(program));
    counts.n_saved += engine::n_bootstraps(program) - engine::n_bootstraps(special);
    compare(special, in_the_clear(special, values), expected);
    if (engine::n_bootstraps(special) <= kMostSpecialised) {
      counts.n_bootstraps += engine::n_bootstraps(special);
      compare(special, engine::run_with(keys_, special, values), expected);
    }
  }

  void compare(const engine::CggiProgram& program, const engine::CggiValues& results,
               const testing::Outcome& expected) {
    ++counts.n_compared;
    for (size_t i = 0; i < expected.results.size(); ++i) {
      EXPECT_EQ(results.find(program.results[i].name)->second, expected.results[i].cells);
    }
  }

  cggi::TestKeys keys_;
};

/// `f` of `fn(he) f(`: the last one is meant.
auto last_function_in(const std::string& text) -> std::string {
  const size_t begin = text.rfind("fn(he) ") + 7;
  return text.substr(begin, text.find('(', begin) - begin);
}

TEST(RandomPrograms, ComputeUnderEncryptionWhatTheReferenceDoes) {
  const uint64_t first = harness::number_of("TACET_CGGI_SEED", 1);
  const uint64_t n = harness::rounds(40);
  Comparison comparison;
  for (uint64_t seed = first; seed < first + n && !HasFailure(); ++seed) {
    for (const auto shape : {testing::FunctionShape::AllTypes, testing::FunctionShape::Arrays,
                             testing::FunctionShape::States}) {
      testing::Random random(seed);
      const std::string text =
          shape == testing::FunctionShape::AllTypes
              ? testing::random_function(
                    random, {.device = "he", .size = 4 + static_cast<uint32_t>(seed % 3) * 4})
              : testing::random_function(shape, seed, "he");
      SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
      testing::CheckedModule module(text);
      if (module.is_right()) {
        comparison.check(module, last_function_in(text), random);
      }
    }
  }
  const Counts& counts = comparison.counts;
  fmt::print(
      "{} functions, {} programs, {} of them encrypted, {} compared, {} bootstraps, {} saved\n",
      counts.n_functions, counts.n_programs, counts.n_encrypted, counts.n_compared,
      counts.n_bootstraps, counts.n_saved);
  EXPECT_GE(4 * counts.n_programs, counts.n_functions);
  EXPECT_GE(2 * counts.n_encrypted, counts.n_programs);
  EXPECT_GE(3 * counts.n_saved, counts.n_bootstraps);
}

}  // namespace
}  // namespace tacet::gates
