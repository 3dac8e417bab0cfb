// The bytes choose an array program, a schedule and numbers. If the schedule is valid its circuit
// computes what the program means, whatever is in slots that do not matter: as it is, made cheaper,
// lowered to a program of the engine, and read back from its text.

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/optimise.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/rotations.h"
#include "compiler/he/circuit/validate.h"
#include "compiler/he/lower/compile.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/make_circuit.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/residues.h"
#include "tests/array/random_program.h"
#include "tests/he_compile/run_parts.h"
#include "tests/schedule/random_case.h"

namespace tacet {
namespace {

constexpr uint64_t kModulus = 65537;
constexpr size_t kMaxWork = 1000;       ///< of an expression: values of all dimensions
constexpr size_t kMaxExpressions = 60;  ///< of a statement
constexpr uint64_t kGarbage = 7;

struct Sample {
  array::Program program;
  std::vector<array::Elements> inputs;
};

auto is_small(const array::Program& program) -> bool {
  const auto is_small_statement = [](const array::Statement& statement) {
    size_t work = 1;
    for (const array::Dim& dim : statement.dims.values()) {
      work *= static_cast<size_t>(dim.extent);
      if (work > kMaxWork) {
        return false;
      }
    }
    return statement.exprs.size() <= kMaxExpressions;
  };
  return std::all_of(program.statements.begin(), program.statements.end(), is_small_statement);
}

/// A program of a text that the bytes choose; nothing if it is large.
auto sample_of_text(RandomNumbers& numbers) -> std::optional<Sample> {
  const array::RandomProgram random = array::random_program(
      numbers, {.max_extent = 4, .max_rank = 2, .max_elements = 16, .depth = 3});
  program::Frontend frontend;
  const FileId file = frontend.set_file(random.path, random.text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    TACET_CHECK(diagnostic.severity != Severity::Error, "a random program with mistakes");
  }
  array::Lowering lowering = array::lower(snapshot, snapshot.items(file)->items.back().id);
  TACET_CHECK(lowering.program.has_value(), "a random program that is none");
  return Sample{std::move(*lowering.program), random.inputs};
}

auto sample_of(RandomNumbers& numbers) -> std::optional<Sample> {
  if (numbers() % 2 == 0) {
    return sample_of_text(numbers);
  }
  Sample sample;
  sample.program = schedule::random_program(numbers);
  sample.inputs = schedule::random_inputs(sample.program, numbers);
  return sample;
}

auto integers_of(const Sample& sample) -> engine::HeIntegers {
  engine::HeIntegers result;
  for (uint32_t i = 0; i < sample.inputs.size(); ++i) {
    result[sample.program.arrays[array::ArrayId{i}].name] = sample.inputs[i];
  }
  return result;
}

auto reduced(int64_t number) -> int64_t {
  const auto modulus = static_cast<int64_t>(kModulus);
  return (number % modulus + modulus) % modulus;
}

/// The case while it goes from stage to stage.
class Run {
 public:
  explicit Run(Sample sample) : sample_(std::move(sample)) {
    for (const auto& [name, numbers] : integers_of(sample_)) {
      values_[name].assign(numbers.begin(), numbers.end());
    }
    array::Evaluation evaluation = array::evaluate(sample_.program, sample_.inputs);
    fits_ = !evaluation.wrapped_at;
    for (const int64_t number : evaluation.output()) {
      expected_.push_back(reduced(number));
    }
  }

  void compare(const schedule::Schedule& schedule, bool is_optimised) const {
    if (!schedule::check(sample_.program, schedule)) {
      return;
    }
    Result<circuit::Circuit> circuit = schedule::make_circuit(sample_.program, schedule);
    if (!circuit) {
      TACET_CHECK(!circuit.error().message.empty(), "no reason");
      return;
    }
    expect(*circuit);
    if (!is_optimised) {
      return;
    }
    expect(circuit::optimise(*circuit, {.weights = circuit::recto_myers_weights(4096)}));
    circuit::RotationOptions rotations;
    rotations.weights = circuit::recto_myers_weights(4096);
    expect(circuit::plan_rotations(*circuit, rotations));
  }

  /// All that `tacet build` does, with this schedule.
  void compile(schedule::Schedule schedule) const {
    he_lower::CompileOptions options;
    for (const auto& [name, numbers] : integers_of(sample_)) {
      options.ranges.emplace_back(name, array::Interval{-9, 9});
    }
    options.pinned = [&](const array::Program&, uint32_t n_columns) {
      schedule.n_columns = n_columns;
      return schedule;
    };
    const he_lower::Compilation compilation = he_lower::compile(sample_.program, options);
    if (!compilation.compiled) {
      TACET_CHECK(!compilation.problem.empty(), "no reason");
      return;
    }
    TACET_CHECK(he_lower::clear_result(*compilation.compiled, integers_of(sample_), kGarbage) ==
                    array::evaluate(sample_.program, sample_.inputs).output(),
                "another result");
  }

 private:
  void expect(const engine::HeValues& outputs) const {
    std::vector<int64_t> found;
    for (const double number : outputs.begin()->second) {
      found.push_back(reduced(static_cast<int64_t>(number)));
    }
    TACET_CHECK(!fits_ || found == expected_, "another result");
  }

  void expect(const circuit::Circuit& circuit) const {
    const Status valid = circuit::validate(circuit);
    TACET_CHECK(valid.has_value(), "a circuit that is not valid");
    Result<circuit::CircuitValues> values = circuit::evaluate(circuit, kModulus, values_, kGarbage);
    TACET_CHECK(values.has_value(), "a circuit cannot be evaluated");
    expect(values->outputs);
    const std::string text = circuit::to_text(circuit);
    Result<circuit::Circuit> read = circuit::parse_circuit(text);
    TACET_CHECK(read.has_value(), "a printed circuit is refused");
    TACET_CHECK(circuit::to_text(*read) == text, "a printed circuit reads as another");
    Result<engine::HeProgram> lowered = circuit::lower(*read, {.modulus = kModulus});
    TACET_CHECK(lowered.has_value(), "a circuit cannot be lowered");
    Result<engine::HeValues> outputs = engine::run_in_the_clear(*lowered, values_, kGarbage);
    TACET_CHECK(outputs.has_value(), "a lowered circuit does not run");
    expect(*outputs);
  }

  Sample sample_;
  engine::HeValues values_;
  std::vector<int64_t> expected_;
  bool fits_ = true;
};

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet;
  RandomNumbers numbers(std::span<const uint8_t>(data, size));
  const uint64_t how = numbers() % 16;  // what takes longer is tried less often
  std::optional<Sample> sample = sample_of(numbers);
  if (!sample || !is_small(sample->program)) {
    return 0;
  }
  const schedule::Schedule schedule = schedule::random_schedule(sample->program, numbers);
  const Run run(std::move(*sample));
  if (how == 15) {
    run.compile(schedule);
  } else {
    run.compare(schedule, how >= 12);
  }
  return 0;
}
