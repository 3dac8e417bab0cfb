#include "compiler/he/lower/place_drops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::he_lower {

using engine::HeAccess;
using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;
using engine::HeStatement;

namespace {

class DropPlacer {
 public:
  DropPlacer(const HeProgram& program, const Trace& trace, const Levels& levels)
      : program_(program),
        trace_(trace),
        levels_(levels),
        result_(program),
        lowering_(program.is_integer() ? HeOpcode::Drop : HeOpcode::Truncate) {
    result_.body.clear();
    find_operand_groups();
  }

  auto run() -> HeProgram {
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      engine::HeRegister& declared = result_.registers[reg];
      if (declared.kind == HeKind::Cipher && !declared.gathers.empty()) {
        const uint32_t level = levels_.of_group[trace_.register_group[reg]];
        declared.n_primes = level == result_.n_primes ? 0 : level;
      }
    }
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      place(at);
    }
    return std::move(result_);
  }

 private:
  /// The groups of what the operands of each statement read; both operands of a trace's step are
  /// its ciphertexts, in order.
  void find_operand_groups() {
    groups_.resize(program_.body.size());
    for (const Step& step : trace_.steps) {
      groups_[step.statement] = {trace_.group_of(step.a), trace_.group_of(step.b)};
    }
  }

  void place(uint32_t at) {
    HeStatement statement = program_.body[at];
    const uint32_t level = levels_.of_statement[at];
    if (level == 0) {  // no ciphertext, or never run
      result_.body.push_back(std::move(statement));
      return;
    }
    size_t cipher = 0;
    const std::vector<HeAccess> operands = statement.operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (program_.registers[operands[i].reg].kind != HeKind::Cipher) {
        continue;
      }
      const uint32_t had = levels_.of_group[groups_[at][cipher++]];
      if (had <= level) {
        continue;
      }
      const bool is_repeated = i == 1 && operands[1] == operands[0];
      statement.operands[i] =
          is_repeated ? statement.operands[0] : dropped(operands[i], had - level, i);
    }
    const HeAccess target = statement.result;
    uint32_t left = statement.opcode == HeOpcode::Bootstrap
                        ? result_.n_primes
                        : level - (statement.opcode == HeOpcode::Drop ? statement.count : 0);
    result_.body.push_back(std::move(statement));
    if (!levels_.is_rescaled.empty() && levels_.is_rescaled[at]) {
      result_.body.push_back({.opcode = HeOpcode::Drop, .result = target, .operands = {target}});
      left -= 1;
    }
    left -= levels_.of_group[trace_.statement_group[at]];
    if (left > 0) {
      result_.body.push_back(
          {.opcode = lowering_, .result = target, .operands = {target}, .count = left});
    }
  }

  /// A register that holds the operand with fewer primes: one for first operands, one for second
  /// ones.
  auto dropped(const HeAccess& operand, uint32_t count, size_t which) -> HeAccess {
    if (registers_[which] == engine::kNoArray) {
      registers_[which] = static_cast<uint32_t>(result_.registers.size());
      engine::HeRegister reg;
      reg.name = unused_name();
      result_.registers.push_back(std::move(reg));
    }
    const HeAccess target{.reg = registers_[which], .indices = {}};
    result_.body.push_back(
        {.opcode = lowering_, .result = target, .operands = {operand}, .count = count});
    return target;
  }

  auto unused_name() const -> std::string {
    const auto is_used = [&](const std::string& name) {
      const auto has_name = [&](const auto& thing) { return thing.name == name; };
      const auto among = [&](const auto& things) {
        return std::any_of(things.begin(), things.end(), has_name);
      };
      const auto is_variable = [&](const HeStatement& loop) { return loop.variable == name; };
      return among(result_.registers) || among(result_.arrays) || among(result_.tables) ||
             among(result_.outputs) ||
             std::any_of(program_.body.begin(), program_.body.end(), is_variable);
    };
    for (size_t i = 0;; ++i) {
      std::string name = fmt::format("lowered{}", i);
      if (!is_used(name)) {
        return name;
      }
    }
  }

  const HeProgram& program_;
  const Trace& trace_;
  const Levels& levels_;
  HeProgram result_;
  HeOpcode lowering_;                            ///< what leads to fewer primes, but for rescaling
  std::vector<std::array<uint32_t, 2>> groups_;  ///< by statement and ciphertext operand
  std::array<uint32_t, 2> registers_ = {engine::kNoArray, engine::kNoArray};
};

}  // namespace

auto with_drops(const HeProgram& program, const Trace& trace, const Levels& levels) -> HeProgram {
  return DropPlacer(program, trace, levels).run();
}

}  // namespace tacet::he_lower
