// Whatever text is read as a program of the MPC machine, it is rejected with a reason, or is a
// program that prints as a text of the same program and, if it is small and ends, runs in
// plaintext.

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"

namespace tacet::engine {
namespace {

constexpr size_t kMaxSize = 4096;
/// Elements that may be computed.
constexpr int64_t kMaxElements = int64_t{1} << 12;

/// Does a run take little, without loops, whose ends are seen only when they run?
auto is_small(const MpcProgram& program) -> bool {
  int64_t n = 0;
  for (const MpcRegister& reg : program.registers.values()) {
    n += n_elements(reg.type);
  }
  const bool has_loops =
      std::any_of(program.code.begin(), program.code.end(), [](const MpcInstruction& instruction) {
        return instruction.op == MpcOpcode::For || instruction.op == MpcOpcode::Loop;
      });
  return !has_loops && n <= kMaxElements;
}

/// Numbers around the ends of the type's range.
auto some_cells(const MpcType& type) -> MpcCells {
  constexpr int64_t kNumbers[] = {0, 1, -1, 2, INT64_MIN, 7, 63, INT64_MAX, 1000};
  MpcCells cells;
  for (int64_t i = 0; i < n_elements(type); ++i) {
    const auto number = static_cast<Cell>(kNumbers[static_cast<size_t>(i) % std::size(kNumbers)]);
    cells.push_back(type.element.kind == ElementKind::Fxp ? number
                                                          : cast(kI64, type.element, number));
  }
  return cells;
}

void run(const MpcProgram& program) {
  std::vector<MpcCells> inputs;
  for (const MpcInput& input : program.inputs) {
    inputs.push_back(some_cells(program.registers[input.reg].type));
  }
  const MpcClearRun result = run_in_the_clear(program, inputs);
  if (result.fault != MpcRunFault::None) {
    TACET_CHECK(!fault_text(result.fault).empty() && result.instruction < program.code.size(),
                "a fault says what and where");
    return;
  }
  TACET_CHECK(result.outputs.size() == program.outputs.size(), "each output has a value");
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const MpcType& type = program.registers[program.outputs[i].reg].type;
    TACET_CHECK(result.outputs[i].size() == static_cast<size_t>(n_elements(type)),
                "an output has all its elements");
  }
}

void test(std::string_view text) {
  const Result<MpcProgram> read = parse_mpc_program(text);
  if (!read) {
    TACET_CHECK(!read.error().message.empty(), "an error without a reason");
    return;
  }
  const MpcProgram& program = read.value();
  TACET_CHECK(is_mpc_program(text), "a program begins like one");
  TACET_CHECK(!find_fault(program), "what is read is valid");
  const Result<MpcProgram> again = parse_mpc_program(to_text(program));
  TACET_CHECK(again.has_value() && again.value() == program, "a printed program is read back");
  for (size_t at = 0; at < program.code.size(); ++at) {
    TACET_CHECK(!instruction_text(program, at).empty(), "an instruction has a text");
  }
  if (is_small(program)) {
    run(program);
  }
}

}  // namespace
}  // namespace tacet::engine

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size <= tacet::engine::kMaxSize) {
    tacet::engine::test(text);
  }
  return 0;
}
