#include "engine/program/mpc/validate.h"

#include <fmt/format.h>

#include <set>

#include "base/check.h"
#include "engine/program/mpc/families.h"
#include "engine/program/mpc/scheme.h"
#include "engine/program/mpc/text.h"

namespace tacet::engine {
namespace {

using Problem = std::string;

class Validation {
 public:
  explicit Validation(const MpcProgram& program)
      : program_(program), is_defined_(program.registers.size(), 0) {}

  auto run() -> std::optional<MpcFault>;

 private:
  /// What stands between two braces.
  struct Scope {
    MpcOpcode op = MpcOpcode::Loop;
    std::vector<MpcRegisterId> defined{};  ///< inside
  };

  auto declarations() -> Problem;
  [[nodiscard]] auto hand_overs() const -> Problem;
  auto instruction(const MpcInstruction& instruction) -> Problem;
  auto control(const MpcInstruction& instruction) -> Problem;
  auto for_loop(const MpcInstruction& instruction) -> Problem;
  auto operands(const MpcInstruction& instruction) -> Problem;
  auto outputs() -> Problem;
  void define(MpcRegisterId id);
  void close();
  auto is_in_loop() const -> bool;
  auto is_public_scalar(MpcRegisterId id, ElementType element) const -> bool;
  auto has_party(MpcPartyId id) const -> bool {
    return !id.has_value() || id.index < program_.parties.size();
  }

  const MpcProgram& program_;
  std::vector<uint8_t> is_defined_;
  std::vector<Scope> scopes_;
  bool has_stop_ = false;
  std::vector<uint8_t> is_defined_at_stop_;
};

auto extents_problem(const MpcRegister& reg) -> Problem {
  if (reg.type.extents.size() > MpcLimits::kDimensions) {
    return fmt::format("`{}` has too many dimensions", reg.name);
  }
  int64_t n = 1;
  for (const int64_t extent : reg.type.extents) {
    if (extent < 1 || extent > MpcLimits::kElements || n * extent > MpcLimits::kElements) {
      return fmt::format(
          "`{}` has an extent of {}; arrays have at most {} elements, and at least one", reg.name,
          extent, MpcLimits::kElements);
    }
    n *= extent;
  }
  return {};
}

auto Validation::declarations() -> Problem {
  if (program_.parties.size() > MpcLimits::kParties) {
    return "too many parties";
  }
  if (program_.registers.size() > MpcLimits::kRegisters ||
      program_.code.size() > MpcLimits::kInstructions) {
    return "the program is too long";
  }
  for (const MpcRegister& reg : program_.registers.values()) {
    if (Problem problem = extents_problem(reg); !problem.empty()) {
      return problem;
    }
    if (is_float(reg.type.element.kind)) {
      return fmt::format("`{}` holds floating-point numbers, which cannot be shared", reg.name);
    }
  }
  for (const MpcInput& input : program_.inputs) {
    if (input.reg.index >= program_.registers.size() || is_defined_[input.reg.index] != 0 ||
        !has_party(input.owner)) {
      return "an input has no register or no owner";
    }
    is_defined_[input.reg.index] = 1;
  }
  return hand_overs();
}

/// What goes in and out of a hand-over is there; shares are secret integers of different parties.
auto Validation::hand_overs() const -> Problem {
  if (program_.hand_overs.size() > MpcLimits::kHandOvers) {
    return "too many hand-overs";
  }
  const auto type_of = [&](uint32_t input) -> const MpcType& {
    return program_.registers[program_.inputs[input].reg].type;
  };
  std::vector<uint8_t> is_share(program_.inputs.size());
  for (const MpcHandOver& hand_over : program_.hand_overs) {
    for (const MpcHandOver::Result& result : hand_over.results) {
      std::vector<uint8_t> has_share(program_.parties.size());
      for (const uint32_t share : result.shares) {
        if (share >= program_.inputs.size() || is_share[share] != 0) {
          return fmt::format("a share of `{}` is no input of its own", hand_over.name);
        }
        is_share[share] = 1;
        const MpcPartyId owner = program_.inputs[share].owner;
        const MpcType& type = type_of(share);
        if (!owner.has_value() || has_share[owner.index] != 0 || !type.is_secret() ||
            !is_integer(type.element.kind) || type.extents != type_of(result.shares[0]).extents) {
          return fmt::format("shares of `{}` are not integers of different parties",
                             hand_over.name);
        }
        has_share[owner.index] = 1;
      }
    }
  }
  for (const MpcHandOver& hand_over : program_.hand_overs) {
    for (const MpcHandOver::Argument& argument : hand_over.arguments) {
      if (argument.input >= program_.inputs.size() || is_share[argument.input] != 0) {
        return fmt::format("an argument of `{}` is no input of the program", hand_over.name);
      }
    }
  }
  return {};
}

void Validation::define(MpcRegisterId id) {
  if (is_defined_[id.index] == 0) {
    is_defined_[id.index] = 1;
    if (!scopes_.empty()) {
      scopes_.back().defined.push_back(id);
    }
  }
}

void Validation::close() {
  for (const MpcRegisterId id : scopes_.back().defined) {
    is_defined_[id.index] = 0;
  }
  scopes_.pop_back();
}

auto Validation::is_in_loop() const -> bool {
  for (const Scope& scope : scopes_) {
    if (scope.op == MpcOpcode::For || scope.op == MpcOpcode::Loop) {
      return true;
    }
  }
  return false;
}

auto Validation::is_public_scalar(MpcRegisterId id, ElementType element) const -> bool {
  return program_.registers[id].type == MpcType{MpcVisibility::Public, element, {}};
}

auto Validation::for_loop(const MpcInstruction& loop) -> Problem {
  const size_t n = loop.numbers.size() == 2
                       ? 2 + (loop.numbers[0] != 0 ? 1U : 0U) + (loop.numbers[1] != 0 ? 1U : 0U)
                       : 0;
  if (loop.operands.size() != n || loop.result.index >= program_.registers.size()) {
    return "a `for` needs a counter and its bounds";
  }
  const MpcType& counter = program_.registers[loop.result].type;
  if (!is_integer(counter.element.kind) || is_defined_[loop.result.index] != 0) {
    return "a counter must be a new integer register";
  }
  for (const MpcRegisterId id : loop.operands) {
    const ElementType element = program_.registers[id].type.element;
    if (!is_public_scalar(id, element) || !is_integer(element.kind)) {
      return "loop bounds must be public integers";
    }
  }
  if (!is_public_scalar(loop.result, counter.element) ||
      program_.registers[loop.operands[0]].type.element != counter.element ||
      program_.registers[loop.operands[1]].type.element != counter.element) {
    return "the counter and bounds of a loop must have the same type";
  }
  scopes_.push_back({MpcOpcode::For, {loop.result}});
  is_defined_[loop.result.index] = 1;
  return {};
}

auto Validation::control(const MpcInstruction& instruction) -> Problem {
  if (instruction.op != MpcOpcode::For && instruction.result.has_value()) {
    return "this instruction has no result";
  }
  switch (control_kind_of(instruction.op)) {
    case MpcControlKind::For:
      return for_loop(instruction);
    case MpcControlKind::Loop:
      scopes_.push_back({MpcOpcode::Loop, {}});
      return {};
    case MpcControlKind::If:
      if (instruction.operands.size() != 1 || !is_public_scalar(instruction.operands[0], kBool)) {
        return "a condition must be a public boolean";
      }
      scopes_.push_back({MpcOpcode::If, {}});
      return {};
    case MpcControlKind::Else:
      if (scopes_.empty() || scopes_.back().op != MpcOpcode::If) {
        return "`else` without `if`";
      }
      close();
      scopes_.push_back({MpcOpcode::Else, {}});
      return {};
    case MpcControlKind::End:
      if (scopes_.empty()) {
        return "unmatched `}`";
      }
      close();
      return {};
    case MpcControlKind::Break:
    case MpcControlKind::Continue:
      return is_in_loop() ? "" : "not inside a loop";
    case MpcControlKind::Stop:
      if (!has_stop_) {
        has_stop_ = true;
        is_defined_at_stop_ = is_defined_;
      }
      return {};
    case MpcControlKind::None:
      break;
  }
  TACET_CHECK(false, "not an instruction of control");
}

auto Validation::operands(const MpcInstruction& instruction) -> Problem {
  for (const MpcRegisterId id : instruction.operands) {
    if (id.index >= program_.registers.size()) {
      return "an operand is not a register";
    }
    if (is_defined_[id.index] == 0) {
      return fmt::format("`{}` has no value here", program_.registers[id].name);
    }
  }
  return {};
}

auto Validation::instruction(const MpcInstruction& instruction) -> Problem {
  if (Problem problem = operands(instruction); !problem.empty()) {
    return problem;
  }
  if (!has_party(instruction.party) ||
      (instruction.party.has_value() && instruction.op != MpcOpcode::Reveal)) {
    return "unknown party";
  }
  if (is_control(instruction.op)) {
    Problem problem = control(instruction);
    return scopes_.size() > MpcLimits::kNesting ? "loops and branches are nested too deeply"
                                                : problem;
  }
  if (instruction.result.index >= program_.registers.size()) {
    return "missing result";
  }
  std::vector<MpcType> types;
  for (const MpcRegisterId id : instruction.operands) {
    types.push_back(program_.registers[id].type);
  }
  const Problem problem = scheme_problem(instruction.op, types, instruction.numbers,
                                         program_.registers[instruction.result].type);
  if (!problem.empty()) {
    return fmt::format("`{}` {}", mnemonic_of(instruction.op), problem);
  }
  for (const Scope& scope : scopes_) {
    if (scope.op == MpcOpcode::For && scope.defined.front() == instruction.result) {
      return "a counter can be assigned only by its loop";
    }
  }
  define(instruction.result);
  return {};
}

auto Validation::outputs() -> Problem {
  if (!scopes_.empty()) {
    return "unclosed brace";
  }
  for (const MpcOutput& output : program_.outputs) {
    if (output.reg.index >= program_.registers.size() || !has_party(output.receiver)) {
      return fmt::format("the output `{}` has no register or receiver", output.name);
    }
    if (is_defined_[output.reg.index] == 0 ||
        (has_stop_ && is_defined_at_stop_[output.reg.index] == 0)) {
      return fmt::format("the output `{}` has no value at the end", output.name);
    }
  }
  return {};
}

auto Validation::run() -> std::optional<MpcFault> {
  if (Problem problem = declarations(); !problem.empty()) {
    return MpcFault{SIZE_MAX, problem};
  }
  for (size_t i = 0; i < program_.code.size(); ++i) {
    if (Problem problem = instruction(program_.code[i]); !problem.empty()) {
      return MpcFault{i, fmt::format("{}: `{}`", problem, instruction_text(program_, i))};
    }
  }
  if (Problem problem = outputs(); !problem.empty()) {
    return MpcFault{SIZE_MAX, problem};
  }
  return std::nullopt;
}

}  // namespace

auto find_fault(const MpcProgram& program) -> std::optional<MpcFault> {
  return Validation(program).run();
}

}  // namespace tacet::engine
