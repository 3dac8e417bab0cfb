#include "engine/program/he/clear.h"

#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

/// Numbers that depend on a seed alone (SplitMix64).
class Garbage {
 public:
  Garbage(uint64_t seed, const HeProgram& program)
      : state_(seed), modulus_(program.is_integer() ? program.modulus : uint64_t{1} << 20) {}

  auto operator()() -> double {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ (x >> 31)) % modulus_);
  }

 private:
  uint64_t state_;
  uint64_t modulus_;
};

class Machine {
 public:
  Machine(const HeProgram& program, const HeValues& values, const std::function<double()>& any)
      : program_(program), arithmetic_(program) {
    for (const HeRegister& reg : program.registers) {
      auto& elements = registers_.emplace_back(n_elements(reg.dimensions));
      if (reg.gathers.empty()) {
        continue;
      }
      HeCounter counter(reg.dimensions);
      for (HeSlots& element : elements) {
        element = gather_slots(program, reg, counter.values(), values, any);
        counter.next();
      }
    }
  }

  void run() {
    HeWalk walk(program_);
    while (walk.next()) {
      const HeStatement& instruction = walk.instruction();
      const HeSlots& a = element(instruction.operands[0], walk);
      const HeSlots* b =
          instruction.operands.size() > 1 ? &element(instruction.operands[1], walk) : nullptr;
      const uint32_t steps = instruction.opcode == HeOpcode::Rotate
                                 ? rotation_steps(program_, instruction, walk.variables())
                                 : 0;
      HeSlots result = arithmetic_.apply(instruction.opcode, a, b, steps);
      element(instruction.result, walk) = std::move(result);
    }
  }

  auto outputs() const -> HeValues {
    HeValues values;
    for (const HeOutput& output : program_.outputs) {
      values[output.name] = read_output(program_, output, [&](size_t at) -> const HeSlots& {
        return registers_[output.source.reg][at];
      });
    }
    return values;
  }

 private:
  auto element(const HeAccess& access, const HeWalk& walk) -> HeSlots& {
    return registers_[access.reg][*flat_index(program_, access, walk.variables())];
  }

  const HeProgram& program_;
  HeArithmetic arithmetic_;
  std::vector<std::vector<HeSlots>> registers_;
};

}  // namespace

auto run_in_the_clear(const HeProgram& program, const HeValues& values,
                      std::optional<uint64_t> garbage_seed) -> Result<HeValues> {
  for (const HeOwner owner : {HeOwner::Client, HeOwner::Server}) {
    if (Status status = check_values(program, owner, values); !status) {
      return status.error();
    }
  }
  std::function<double()> any;
  if (garbage_seed) {
    any = Garbage(*garbage_seed, program);
  }
  Machine machine(program, values, any);
  machine.run();
  return machine.outputs();
}

}  // namespace tacet::engine
