#include "engine/program/mpc/batches.h"

#include <map>
#include <tuple>

#include "engine/program/mpc/families.h"

namespace tacet::engine {

namespace {

/// Larger kernels do not gain from company.
constexpr int64_t kMostElements = 256;

class BatchFinder {
 public:
  explicit BatchFinder(const MpcProgram& program) : program_(program) {}

  auto run() -> MpcBatches {
    for (const MpcInstruction& instruction : program_.code) {
      batches_.of.push_back(is_batched(instruction) ? batch_of(instruction, false)
                                                    : MpcBatches::kNone);
      const std::optional<size_t> operand = operand_needed_as_number(program_, instruction);
      const bool is_made = operand && n_elements(type(instruction, *operand)) <= kMostElements;
      batches_.numbers_of.push_back(is_made ? batch_of(instruction, true) : MpcBatches::kNone);
    }
    batches_.n = static_cast<uint32_t>(known_.size());
    return std::move(batches_);
  }

 private:
  using Operand = std::tuple<ElementKind, unsigned, MpcVisibility>;
  using Key = std::tuple<bool, uint32_t, MpcOpcode, std::vector<int64_t>, std::vector<Operand>>;

  [[nodiscard]] auto type(const MpcInstruction& instruction, size_t i) const -> const MpcType& {
    return program_.registers[instruction.operands[i]].type;
  }

  /// Of the numbers that an instruction needs, or of what it does.
  auto batch_of(const MpcInstruction& instruction, bool is_number) -> uint32_t {
    const auto operand_of = [](const MpcType& of) {
      return Operand{of.element.kind, of.element.fraction_bits, of.visibility};
    };
    std::vector<Operand> operands{operand_of(program_.registers[instruction.result].type)};
    for (const MpcRegisterId id : instruction.operands) {
      operands.push_back(operand_of(program_.registers[id].type));
    }
    Key key{is_number, instruction.line, instruction.op, instruction.numbers, std::move(operands)};
    return known_.emplace(std::move(key), static_cast<uint32_t>(known_.size())).first->second;
  }

  [[nodiscard]] auto is_batched(const MpcInstruction& instruction) const -> bool;

  const MpcProgram& program_;
  MpcBatches batches_;
  std::map<Key, uint32_t> known_;
};

auto BatchFinder::is_batched(const MpcInstruction& instruction) const -> bool {
  if (is_control(instruction.op)) {
    return false;
  }
  const MpcType& result = program_.registers[instruction.result].type;
  const int64_t n = n_elements(result);
  if (!result.is_secret() || n == 0 || n > kMostElements) {
    return false;
  }
  size_t n_secret = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const int64_t n_of_operand = n_elements(type(instruction, i));
    if (n_of_operand != n && n_of_operand != 1) {
      return false;
    }
    n_secret += type(instruction, i).is_secret() ? 1 : 0;
  }
  const bool are_all_secret = n_secret == instruction.operands.size();
  const bool are_truths =
      !instruction.operands.empty() && type(instruction, 0).element.kind == ElementKind::Bool;
  switch (family_of(instruction.op)) {
    case MpcFamily::Multiplication:
      return are_all_secret || (n_secret > 0 && result.element.kind == ElementKind::Fxp &&
                                instruction.op == MpcOpcode::Mul);
    case MpcFamily::Division:
    case MpcFamily::Shift:
      return are_all_secret;
    case MpcFamily::Order:
    case MpcFamily::Extremum:
    case MpcFamily::FixedFunction:
      return n_secret > 0;
    case MpcFamily::Equality:
      return n_secret > 0 && !are_truths;
    case MpcFamily::Logic:
      return instruction.op != MpcOpcode::Not && instruction.op != MpcOpcode::Invert &&
             (are_truths ? are_all_secret && instruction.op != MpcOpcode::Xor : n_secret > 0);
    case MpcFamily::Select:
      return type(instruction, 0).is_secret() &&
             (type(instruction, 1).is_secret() || type(instruction, 2).is_secret());
    case MpcFamily::Cast:
      return n_secret > 0 && !are_truths && type(instruction, 0).element != result.element;
    case MpcFamily::Control:
    case MpcFamily::Literal:
    case MpcFamily::Copy:
    case MpcFamily::Draw:
    case MpcFamily::DrawSecret:
    case MpcFamily::Addition:
    case MpcFamily::Negation:
    case MpcFamily::Wrap:
    case MpcFamily::Sum:
    case MpcFamily::Reduction:
    case MpcFamily::InnerProduct:
    case MpcFamily::Movement:
    case MpcFamily::SecretMovement:
    case MpcFamily::Reveal:
      break;
  }
  return false;
}

}  // namespace

auto find_batches(const MpcProgram& program) -> MpcBatches {
  return BatchFinder(program).run();
}

auto operand_needed_as_number(const MpcProgram& program, const MpcInstruction& instruction)
    -> std::optional<size_t> {
  const MpcFamily family = family_of(instruction.op);
  if (family != MpcFamily::Select && family != MpcFamily::Cast) {
    return std::nullopt;
  }
  const MpcType& first = program.registers[instruction.operands[0]].type;
  const MpcType& result = program.registers[instruction.result].type;
  const bool is_needed = first.is_secret() && first.element.kind == ElementKind::Bool &&
                         result.element.kind != ElementKind::Bool;
  return is_needed ? std::optional<size_t>(0) : std::nullopt;
}

}  // namespace tacet::engine
