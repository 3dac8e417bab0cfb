#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/he/circuit/relinearise.h"
#include "engine/program/he/gather.h"

namespace tacet::he_lower {

/// Runs a program of one element in one slot, without loops and rotations, in plaintext: with
/// errors, if numbers are complex also with what ciphertexts have beside the real numbers.
template <class Number>
class Scalars {
 public:
  explicit Scalars(const engine::HeProgram& program) : program_(program) {
    for (const engine::HeRegister& reg : program.registers) {
      const bool is_known = reg.kind != engine::HeKind::Cipher && !reg.gathers.empty();
      known_.push_back(is_known ? Number(engine::gather_slots(program, reg, {}, {})[0]) : Number());
    }
  }

  /// What each register holds at the end, with an error after each instruction on a ciphertext.
  auto run(const std::map<std::string, Number>& inputs,
           const std::function<Number(size_t)>& error_at = {}) const -> std::vector<Number> {
    std::vector<Number> values = known_;
    for (size_t reg = 0; reg < values.size(); ++reg) {
      const engine::HeRegister& declared = program_.registers[reg];
      if (declared.kind == engine::HeKind::Cipher && !declared.gathers.empty()) {
        values[reg] = inputs.at(program_.arrays[declared.gathers.front().array].name);
      }
    }
    for (size_t at = 0; at < program_.body.size(); ++at) {
      const engine::HeStatement& step = program_.body[at];
      const Number a = values[step.operands[0].reg];
      const Number b = step.operands.size() > 1 ? values[step.operands[1].reg] : Number(0);
      Number made = a;
      if (step.opcode == engine::HeOpcode::Add) {
        made = a + b;
      } else if (step.opcode == engine::HeOpcode::Sub) {
        made = a - b;
      } else if (step.opcode == engine::HeOpcode::Mul) {
        made = a * b;
      } else if (step.opcode == engine::HeOpcode::Negate) {
        made = -a;
      } else if (step.opcode == engine::HeOpcode::Bootstrap) {
        made = Number(std::real(a));
      } else {
        EXPECT_TRUE(step.opcode == engine::HeOpcode::Copy ||
                    step.opcode == engine::HeOpcode::Encode ||
                    step.opcode == engine::HeOpcode::Relinearise);
      }
      const bool is_cipher = program_.registers[step.result.reg].kind == engine::HeKind::Cipher;
      values[step.result.reg] = is_cipher && error_at ? made + error_at(at) : made;
    }
    return values;
  }

 private:
  const engine::HeProgram& program_;
  std::vector<Number> known_;  ///< by register
};

/// A program of one element as the engine runs it.
auto lowered(const std::string& text, double tolerance,
             circuit::Relinearisation relinearisation = circuit::Relinearisation::Fewest)
    -> engine::HeProgram;

}  // namespace tacet::he_lower
