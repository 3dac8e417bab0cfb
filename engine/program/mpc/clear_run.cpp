#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/flow.h"

namespace tacet::engine {
namespace {

/// One run.
class ClearRun {
 public:
  ClearRun(const MpcProgram& program, const std::vector<MpcCells>& inputs,
           const PublicRandomKey& key)
      : program_(program), place_(key), control_(program), values_(program.registers.size()) {
    for (uint32_t i = 0; i < values_.size(); ++i) {
      values_[i].type = program.registers[MpcRegisterId{i}].type;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      values_[program.inputs[i].reg.index].cells = inputs[i];
    }
  }

  auto run() -> MpcClearRun {
    MpcClearRun result;
    size_t at = 0;
    while (at < program_.code.size() && result.fault == MpcRunFault::None) {
      ++result.n_instructions;
      result.instruction = at;
      at = step(at, result.fault);
    }
    if (result.fault == MpcRunFault::None) {
      for (const MpcOutput& output : program_.outputs) {
        result.outputs.push_back(values_[output.reg.index].cells);
      }
    }
    return result;
  }

 private:
  auto step(size_t at, MpcRunFault& fault) -> size_t {
    const MpcInstruction& instruction = program_.code[at];
    if (is_control(instruction.op)) {
      std::vector<Cell> operands;
      for (const MpcRegisterId id : instruction.operands) {
        operands.push_back(values_[id.index].cells.front());
      }
      const MpcStep step = control_.step(at, operands);
      if (step.counter) {
        values_[step.counter->reg.index].cells = {step.counter->value};
      }
      fault = step.fault;
      return step.next;
    }
    std::vector<const MpcClear*> operands;
    for (const MpcRegisterId id : instruction.operands) {
      operands.push_back(&values_[id.index]);
    }
    MpcClear result{program_.registers[instruction.result].type, {}};
    fault = compute(instruction, operands, result, place_);
    values_[instruction.result.index] = std::move(result);
    return at + 1;
  }

  const MpcProgram& program_;
  RngState place_;
  MpcControl control_;
  std::vector<MpcClear> values_;
};

}  // namespace

auto run_in_the_clear(const MpcProgram& program, const std::vector<MpcCells>& inputs,
                      const PublicRandomKey& key) -> MpcClearRun {
  return ClearRun(program, inputs, key).run();
}

}  // namespace tacet::engine
