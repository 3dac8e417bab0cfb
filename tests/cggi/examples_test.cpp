// The examples, compiled for CGGI: all that are integers, with known answers where there are some.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/core/diagnostics/code.h"
#include "compiler/he/gates/compile.h"
#include "tests/cggi/toy_keys.h"
#include "tests/harness/files.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"

namespace tacet::gates {
namespace {

using Cells = std::vector<engine::Cell>;

auto example(const std::string& path) -> std::string {
  return harness::read_file(harness::source_path("examples/" + path));
}

/// The file's functions for a device.
auto functions_of(const std::string& text, const std::string& device) -> std::vector<std::string> {
  std::vector<std::string> names;
  const std::string begin = "\nfn(" + device + ") ";
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const size_t name = at + begin.size();
    names.push_back(text.substr(name, text.find_first_of("(<", name) - name));
  }
  return names;
}

auto cells_of(std::string_view hex) -> Cells {
  Cells cells;
  for (size_t i = 0; i < hex.size(); i += 2) {
    cells.push_back(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return cells;
}

auto in_clear(const engine::CggiProgram& program, const engine::CggiValues& values)
    -> engine::CggiValues {
  return engine::results_of_bits(
      program,
      engine::run_in_the_clear(program, value(engine::input_bits(program, std::nullopt, values))));
}

/// Larger circuits are made with more rounds alone.
constexpr size_t kMostGates = 400'000;

TEST(Examples, OfObliviousFunctionsAreCircuitsThatGiveWhatTheReferenceDoes) {
  size_t n_programs = 0;
  for (const std::filesystem::path& file :
       harness::find_files({.folder = "examples/oblivious", .endings = {".tacet"}, .least = 15})) {
    std::string text = harness::read_file(file);
    for (size_t at = 0; (at = text.find("fn(mpc)", at)) != std::string::npos;) {
      text.replace(at, 7, "fn(he)");
    }
    testing::CheckedModule module(text);
    ASSERT_TRUE(module.is_right()) << file;
    for (const std::string& function : functions_of(text, "he")) {
      SCOPED_TRACE(file.string() + ": " + function);
      const Compilation compilation =
          compile(module.snapshot(), module.find(function),
                  {.most_gates = kMostGates * harness::rounds(1) * harness::rounds(1),
                   .optimisation = Optimisation::None});
      const auto is_large = [](const Diagnostic& found) {
        return found.code == DiagnosticCode::T6003;
      };
      if (std::any_of(compilation.diagnostics.begin(), compilation.diagnostics.end(), is_large)) {
        continue;
      }
      ASSERT_TRUE(compilation.compiled) << compilation.problem;
      ++n_programs;
      const engine::CggiProgram& program = compilation.compiled->program;
      const kernel::Kernel kernel = module.lower(function);
      testing::Random random(1);
      for (int i = 0; i < 2; ++i) {
        std::vector<kernel::Value> inputs = testing::random_inputs(random, kernel);
        engine::CggiValues values;
        for (size_t k = 0; k < inputs.size(); ++k) {
          if (const auto& bound = program.inputs[k].bound) {
            for (engine::Cell& cell : inputs[k].cells) {
              const auto size = static_cast<uint64_t>(bound->high - bound->low) + 1;
              cell = static_cast<uint64_t>(bound->low) + cell % size;
            }
          }
          values[program.inputs[k].name] = inputs[k].cells;
        }
        const testing::Outcome expected = testing::run(kernel, inputs);
        const engine::CggiValues results = in_clear(program, values);
        for (size_t k = 0; k < expected.results.size(); ++k) {
          EXPECT_EQ(results.find(program.results[k].name)->second, expected.results[k].cells);
        }
      }
    }
  }
  EXPECT_GE(n_programs, 20);
}

/// A function of `examples/cggi`, on known values.
struct Case {
  std::string file;
  std::string function;
  std::vector<Cells> inputs;
  std::vector<Cells> results;
};

void expect_result(const Case& known, cggi::TestKeys* keys) {
  SCOPED_TRACE(known.file + ": " + known.function);
  testing::CheckedModule module(example("cggi/" + known.file + ".tacet"));
  ASSERT_TRUE(module.is_right());
  const Compilation compilation = compile(module.snapshot(), module.find(known.function));
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  const engine::CggiProgram& program = compilation.compiled->program;
  engine::CggiValues values;
  for (size_t i = 0; i < known.inputs.size(); ++i) {
    values[program.inputs[i].name] = known.inputs[i];
  }
  const engine::CggiValues results =
      keys == nullptr ? in_clear(program, values) : engine::run_with(*keys, program, values);
  for (size_t i = 0; i < known.results.size(); ++i) {
    EXPECT_EQ(results.find(program.results[i].name)->second, known.results[i]);
  }
}

auto letters(std::string_view text, size_t n) -> Cells {
  Cells cells(text.begin(), text.end());
  cells.resize(n, ' ');
  return cells;
}

auto known_cases() -> std::vector<Case> {
  constexpr auto cell = [](int64_t number) { return static_cast<engine::Cell>(number); };
  Cells table(64);
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = i * i * 13 % 65536;
  }
  return {
      {"arithmetic", "add8", {{200}, {77}}, {{21}}},
      {"arithmetic", "add64", {{~uint64_t{0}}, {2}}, {{1}}},
      {"arithmetic", "multiply8", {{255}, {255}}, {{1}}},
      {"arithmetic", "divide8", {{cell(-128)}, {127}}, {{cell(-1)}}},
      {"arithmetic", "divide16", {{cell(-32768)}, {7}}, {{cell(-4681)}}},
      {"arithmetic", "less64", {{cell(INT64_MIN)}, {cell(INT64_MAX)}}, {{1}}},
      {"divide", "divide", {{200}, {7}}, {{28}, {4}}},
      {"sorting",
       "maximum",
       {{5, 0, cell(-9), 2147483647, 3, cell(-2147483648), 1, 1}},
       {{2147483647}}},
      {"sorting", "sort_8", {{9, 200, 0, 0, 255, 3, 8, 7}}, {{0, 0, 3, 7, 8, 9, 200, 255}}},
      {"words", "edit_distance", {letters("kittens ", 8), letters("sitting ", 8)}, {{3}}},
      {"words", "matches", {letters("abcbcbccbd", 32)}, {{1}}},
      {"words", "matches", {letters("abcbcbccb", 32)}, {{0}}},
      {"words", "lookup", {table, {63}}, {{table[63]}}},
      {"aes", "substitute", {{0x53}}, {{0xed}}},
  };
}

TEST(Examples, GiveKnownResultsUnderEncryption) {
  cggi::TestKeys keys(cggi::toy_parameters());
  for (const Case& known : known_cases()) {
    expect_result(known, &keys);
  }
}

/// FIPS 197, appendix A.1.
TEST(Examples, ExpandAKey) {
  testing::CheckedModule module(example("cggi/aes.tacet"));
  const Compilation compilation = compile(module.snapshot(), module.find("expand"));
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  const engine::CggiValues results = in_clear(
      compilation.compiled->program, {{"key", cells_of("2b7e151628aed2a6abf7158809cf4f3c")}});
  const Cells& keys = results.begin()->second;
  ASSERT_EQ(keys.size(), 176);
  EXPECT_EQ(Cells(keys.begin() + 16, keys.begin() + 32),
            cells_of("a0fafe1788542cb123a339392a6c7605"));
  EXPECT_EQ(Cells(keys.end() - 16, keys.end()), cells_of("d014f9a8c9ee2589e13f0cc8b6630ca6"));
}

/// FIPS 197, appendix C.1.
TEST(Examples, EncryptABlock) {
  expect_result(
      {"aes",
       "encrypt",
       {cells_of("00112233445566778899aabbccddeeff"), cells_of("000102030405060708090a0b0c0d0e0f")},
       {cells_of("69c4e0d86a7b0430d8cdb78070b4c55a")}},
      nullptr);
}

TEST(Examples, CarryInBlocksWhereTheMachineHasCoresForThem) {
  testing::CheckedModule module(example("cggi/arithmetic.tacet"));
  ASSERT_TRUE(module.is_right());
  const auto depth_of = [&](const std::string& function, unsigned n_threads) {
    CompileOptions options;
    // Of several threads, each is as fast as one alone.
    options.times.n_threads = n_threads;
    options.times.milliseconds_together = options.times.milliseconds_alone * 8 / n_threads;
    const Compilation compilation =
        compile(module.snapshot(), module.find(function), std::move(options));
    return depth(compilation.compiled->circuit.graph);
  };
  EXPECT_EQ(depth_of("add64", 1), 64);
  EXPECT_LE(depth_of("add64", 8), 20);
  EXPECT_LE(depth_of("less64", 8), 20);
  EXPECT_LT(2 * depth_of("divide32", 8), depth_of("divide32", 1));
  // There is work enough without.
  EXPECT_EQ(depth_of("add8_of_64", 8), 8);
}

/// With parameters and keys as they are used: 128 bits of security, errors of their full size.
TEST(Examples, AreSecureToo) {
  cggi::TestKeys keys(cggi::gate_parameters());
  expect_result({"arithmetic", "add8", {{200}, {77}}, {{21}}}, &keys);
  expect_result({"arithmetic", "less64", {{3}, {5}}, {{1}}}, &keys);
  expect_result({"aes", "substitute", {{0x53}}, {{0xed}}}, &keys);
}

}  // namespace
}  // namespace tacet::gates
