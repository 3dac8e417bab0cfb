// Whatever text is read as a homomorphic program, it is rejected with a reason, or is a program
// that prints as a text of the same program and runs: in plaintext if it is small enough, and as
// the plan of a server. Slots that do not matter may hold anything without any failure.

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "engine/he_runtime/plan.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/text.h"

namespace tacet::engine {
namespace {

constexpr size_t kMaxSize = 4096;
/// Slots that may be computed, and elements of arrays.
constexpr size_t kMaxSlots = size_t{1} << 18;
constexpr size_t kMaxElements = size_t{1} << 12;
/// Instructions that may be planned, loops unrolled.
constexpr size_t kMaxInstructions = size_t{1} << 12;

auto n_instructions(const HeFacts& facts) -> size_t {
  size_t n = 0;
  for (int opcode = 0; opcode < static_cast<int>(HeOpcode::For); ++opcode) {
    for (const HeOperationKind kind : {HeOperationKind::Cipher, HeOperationKind::CipherPlain,
                                       HeOperationKind::Plain, HeOperationKind::Native}) {
      n += facts.counts.of(static_cast<HeOpcode>(opcode), kind);
    }
  }
  return n;
}

/// What a run writes: slots of registers, each as often as it is made.
auto n_slots(const HeProgram& program, const HeFacts& facts) -> size_t {
  size_t n_vectors = n_instructions(facts);
  for (const HeRegister& reg : program.registers) {
    n_vectors += n_elements(reg.dimensions) * reg.gathers.size();
  }
  return n_vectors * program.n_slots();
}

auto is_small(const HeProgram& program, const HeFacts& facts) -> bool {
  const auto fits = [](size_t n) { return n <= kMaxElements; };
  return n_slots(program, facts) <= kMaxSlots &&
         std::all_of(program.arrays.begin(), program.arrays.end(),
                     [&](const HeArray& array) { return fits(n_elements(array.extents)); }) &&
         std::all_of(program.outputs.begin(), program.outputs.end(), [&](const HeOutput& output) {
           return fits(n_elements(output.extents)) && fits(n_elements(output.dimensions));
         });
}

auto values_of(const HeProgram& program) -> HeValues {
  constexpr double kIntegers[] = {0, 1, -1, 2, 7, 0x1p53, -0x1p53, 100};
  constexpr double kReals[] = {0, 1, -1, 0.5, 0x1p-60, -0.1, 0.999, -0.0};
  HeValues values;
  for (const HeArray& array : program.arrays) {
    if (array.owner != HeOwner::Constant) {
      std::vector<double>& numbers = values[array.name];
      for (size_t i = 0; i < n_elements(array.extents); ++i) {
        const size_t k = (i + values.size()) % 8;
        numbers.push_back(program.is_integer() ? kIntegers[k] : array.bound * kReals[k]);
      }
    }
  }
  return values;
}

void run(const HeProgram& program) {
  const HeValues values = values_of(program);
  for (const auto seed : {std::optional<uint64_t>(), std::optional<uint64_t>(1)}) {
    const Result<HeValues> outputs = run_in_the_clear(program, values, seed);
    TACET_CHECK(outputs.has_value(), "a valid program has results");
    for (const HeOutput& output : program.outputs) {
      TACET_CHECK(outputs.value().at(output.name).size() == n_elements(output.extents),
                  "an output has all its elements");
      for (const double number : outputs.value().at(output.name)) {
        TACET_CHECK(
            !program.is_integer() || 2 * std::abs(number) <= static_cast<double>(program.modulus),
            "integers are near zero");
      }
    }
  }
}

void test(std::string_view text) {
  const Result<HeProgram> program = parse_he_program(text);
  if (!program) {
    TACET_CHECK(!program.error().message.empty(), "an error without a reason");
    return;
  }
  const std::string printed = to_text(program.value());
  const Result<HeProgram> again = parse_he_program(printed);
  TACET_CHECK(again.has_value() && again.value() == program.value(),
              "a printed program is read back");
  TACET_CHECK(to_text(again.value()) == printed, "a program has one text");
  const HeFacts facts = facts_of(program.value());
  if (n_instructions(facts) <= kMaxInstructions) {
    const Plan plan = make_plan(program.value());
    TACET_CHECK(plan.outputs.size() == output_elements(program.value()).size(),
                "a plan makes every output");
  }
  if (is_small(program.value(), facts)) {
    run(program.value());
  }
}

}  // namespace
}  // namespace tacet::engine

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  // In the fixtures of tests/he_program more than the program stands.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view program = text.substr(0, text.find("\n//-"));
  if (program.size() <= tacet::engine::kMaxSize) {
    tacet::engine::test(program);
  }
  return 0;
}
