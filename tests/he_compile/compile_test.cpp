// Array programs compiled for encryption give what they mean: in plaintext, with random values in
// slots that do not matter, and a few of them really encrypted.

#include "compiler/he/lower/compile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/lower/encrypt_circuit.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "engine/program/he/text.h"
#include "tests/array/random_program.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

constexpr int64_t kMost = 9;  ///< of random inputs

/// The last item of a text.
class Text {
 public:
  explicit Text(const std::string& text, const std::string& path = "/random.tlhe")
      : file_(frontend_.set_file(path, text)),
        snapshot_(frontend_.snapshot()),
        item_(snapshot_.items(file_)->items.back().id) {}

  /// With no `let` inlined.
  [[nodiscard]] auto program() const -> array::Program {
    array::Lowering lowering = array::lower(snapshot_, item_);
    EXPECT_TRUE(lowering.program);
    return lowering.program ? std::move(*lowering.program) : array::Program{};
  }

  [[nodiscard]] auto compiled(const CompileOptions& options) const -> Compilation {
    return compile(snapshot_, item_, options);
  }

 private:
  program::Frontend frontend_;
  FileId file_;
  program::FrontendSnapshot snapshot_;
  names::ItemId item_;
};

auto program_of(const std::string& text) -> array::Program {
  return Text(text).program();
}

auto ranges_of(const array::Program& program)
    -> std::vector<std::pair<std::string, array::Interval>> {
  std::vector<std::pair<std::string, array::Interval>> ranges;
  for (const array::Array& array : program.arrays.values()) {
    if (is_input(array.owner)) {
      ranges.emplace_back(array.name, array::Interval{-kMost, kMost});
    }
  }
  return ranges;
}

auto values_of(const array::Program& program, const std::vector<std::vector<int64_t>>& inputs)
    -> engine::HeIntegers {
  engine::HeIntegers values;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    values[program.arrays[array::ArrayId{i}].name] = inputs[i];
  }
  return values;
}

/// The texts of stages are the same again once they were read.
void expect_reads_back(const Compiled& compiled) {
  Result<array::Program> program = array::parse_program(array::print(compiled.program));
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(array::print(*program), array::print(compiled.program));
  const std::string circuit_text = circuit::to_text(compiled.circuit);
  Result<circuit::Circuit> circuit = circuit::parse_circuit(circuit_text);
  ASSERT_TRUE(circuit) << circuit.error().message << "\n" << circuit_text;
  EXPECT_EQ(circuit::to_text(*circuit), circuit_text);
  for (const Encryption& part : compiled.parts) {
    Result<engine::HeProgram> read = engine::parse_he_program(engine::to_text(part.program));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, part.program);
  }
  if (Result<std::string> text =
          schedule::scheduled_text(compiled.program, compiled.search.best.schedule)) {
    Result<schedule::ScheduledProgram> read = schedule::parse_scheduled(*text);
    ASSERT_TRUE(read) << read.error().message << "\n" << *text;
    EXPECT_EQ(schedule::scheduled_text(read->program, read->schedule).value(), *text);
  }
}

/// How far a random program got.
enum class Fate : uint8_t { Right, TooLarge };

auto fate_of(const array::RandomProgram& random, bool is_encrypted) -> Fate {
  const Text text(random.text, random.path);
  const array::Program program = text.program();
  CompileOptions options;
  options.ranges = ranges_of(program);
  if (!is_encrypted) {
    options.choice.scheme = random.inputs.size() % 2 == 0 ? he::Scheme::Bfv : he::Scheme::Bgv;
  }
  const Compilation compilation = is_encrypted || program.statements.size() == 2
                                      ? text.compiled(options)
                                      : compile(program, options);
  if (!compilation.compiled) {
    // Some have results that no modulus holds, some are too deep for any ring.
    EXPECT_NE(compilation.problem, "");
    return Fate::TooLarge;
  }
  expect_reads_back(*compilation.compiled);
  const array::Evaluation expected = array::evaluate(program, random.inputs);
  const engine::HeIntegers values = values_of(program, random.inputs);
  for (const uint64_t seed : {1U, 2U}) {
    EXPECT_EQ(clear_result(*compilation.compiled, values, seed), expected.output());
  }
  if (is_encrypted) {
    EXPECT_EQ(encrypted_result(*compilation.compiled, values), expected.output());
  }
  return Fate::Right;
}

TEST(Compile, RandomProgramsAreRight) {
  const uint64_t n_programs = harness::rounds(250);
  const uint64_t n_to_encrypt = harness::rounds(15);
  size_t n_right = 0;
  size_t n_encrypted = 0;
  for (uint64_t seed = 0; seed < n_programs; ++seed) {
    const array::RandomProgram random =
        array::random_program(seed, {.max_extent = 4, .max_elements = 30, .depth = 4});
    SCOPED_TRACE(testing::Message() << "program " << seed << "\n" << random.text);
    const bool is_encrypted = n_encrypted < n_to_encrypt;
    if (fate_of(random, is_encrypted) == Fate::Right) {
      ++n_right;
      n_encrypted += is_encrypted ? 1 : 0;
    }
  }
  EXPECT_GT(n_right, n_programs / 2);
  EXPECT_EQ(n_encrypted, n_to_encrypt);
}

auto text_of_file(const std::string& name) -> std::string {
  std::ifstream stream(std::string(TACET_SOURCE_DIR) + "/tests/schedule/programs/" + name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A published program, all of whose inputs are in 0..=most.
auto published(const std::string& name, int64_t most, CompileOptions options = {}) -> Compilation {
  const Text text(text_of_file(name));
  for (const auto& [input, range] : ranges_of(text.program())) {
    options.ranges.emplace_back(input, array::Interval{0, most});
  }
  return text.compiled(options);
}

TEST(Compile, MultipliesWhatIsClearFirst) {
  for (const bool is_summed_by_client : {false, true}) {
    CompileOptions options;
    options.is_summed_by_client = is_summed_by_client;
    const Compilation compilation = published("double_matmul.tlhe", 15, options);
    ASSERT_TRUE(compilation.compiled) << compilation.problem;
    EXPECT_EQ(compilation.compiled->program.statements.size(), 1U);
    EXPECT_EQ(compilation.compiled->parts.front().ring_dimension, 8192U);
    const circuit::Counts counts = circuit::counts_of(compilation.compiled->circuit);
    EXPECT_EQ(counts.rotations, is_summed_by_client ? 0U : 4U);
    EXPECT_EQ(counts.ct_pt_products, 1U);
  }
}

TEST(Compile, TakesTheFastestOfAllRingsAndSchemes) {
  for (const char* name : {"retrieval_256.tlhe", "set_union_16.tlhe"}) {
    SCOPED_TRACE(name);
    const Compilation best = published(name, 1);
    ASSERT_TRUE(best.compiled) << best.problem;
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
      CompileOptions options;
      options.choice.scheme = scheme;
      const Compilation other = published(name, 1, options);
      ASSERT_TRUE(other.compiled) << other.problem;
      EXPECT_EQ(other.compiled->parts.front().scheme, scheme);
      EXPECT_LE(time_of(best.compiled->parts), time_of(other.compiled->parts));
    }
  }
}

TEST(Compile, KnowsThePublishedWeights) {
  CompileOptions options;
  options.costs = CostModel::Published;
  const Compilation compilation = published("distance_64.tlhe", 15, options);
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  const Compilation measured = published("distance_64.tlhe", 15);
  EXPECT_NE(compilation.compiled->search.best.time, measured.compiled->search.best.time);
}

TEST(Compile, StageThatIsShownIsTheOneThatRuns) {
  const Compilation whole = published("retrieval_256.tlhe", 1);
  CompileOptions options;
  options.last = Stage::Schedule;
  const Compilation schedule = published("retrieval_256.tlhe", 1, options);
  ASSERT_TRUE(whole.compiled && schedule.compiled);
  EXPECT_EQ(whole.compiled->program, schedule.compiled->program);
  EXPECT_EQ(whole.compiled->search.best.schedule, schedule.compiled->search.best.schedule);
}

TEST(Compile, LargeResultsAreComputedInParts) {
  const array::Program program =
      program_of("input a: [2] from client\ninput b: [2] from client\nfor i: 2 { a[i] * b[i] }\n");
  CompileOptions options;
  const int64_t size = int64_t{3} << 29;
  for (const char* name : {"a", "b"}) {
    options.ranges.emplace_back(name, array::Interval{-size, size});
  }
  const Compilation compilation = compile(program, options);
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  EXPECT_GT(compilation.compiled->parts.size(), 1U);
  const engine::HeIntegers values = {{"a", {size, -size}}, {"b", {size - 1, size}}};
  EXPECT_EQ(encrypted_result(*compilation.compiled, values),
            (std::vector<int64_t>{size * (size - 1), -size * size}));
}

TEST(Compile, SaysWhatIsTooLarge) {
  const auto problem_of = [](const std::string& text, int64_t size) {
    const array::Program program = program_of(text);
    CompileOptions options;
    if (size > 0) {
      options.ranges.emplace_back("a", array::Interval{-size, size});
    }
    return compile(program, options).problem;
  };
  const std::string square = "input a: [2] from client\nfor i: 2 { a[i] * a[i] }\n";
  EXPECT_NE(problem_of(square, 0).find("the range of the elements of `a` is unknown"),
            std::string::npos);
  EXPECT_NE(problem_of(square, int64_t{1} << 40).find("may need more than 64 bits: `"),
            std::string::npos);
  EXPECT_EQ(problem_of(square, 1000), "");
}

TEST(Compile, StopsAtTheStageThatIsWanted) {
  const array::Program program = program_of("input a: [8] from client\nsum(for i: 8 { a[i] })\n");
  CompileOptions options;
  std::vector<Stage> entered;
  options.entered = [&](Stage stage) { entered.push_back(stage); };
  options.last = Stage::Circuit;
  const Compilation compilation = compile(program, options);
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  EXPECT_EQ(entered, (std::vector<Stage>{Stage::Schedule, Stage::Circuit}));
  EXPECT_FALSE(compilation.compiled->circuit.statements.empty());
  EXPECT_TRUE(compilation.compiled->parts.empty());
}

}  // namespace
}  // namespace tacet::he_lower
