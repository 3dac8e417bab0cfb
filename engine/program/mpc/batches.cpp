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
      const Kind kind = kind_of(instruction);
      batches_.of.push_back(kind == Kind::Alone ? MpcBatches::kNone : batch_of(instruction, kind));
      const std::optional<size_t> operand = operand_needed_as_number(program_, instruction);
      const bool is_made = operand && n_elements(type(instruction, *operand)) <= kMostElements;
      batches_.numbers_of.push_back(is_made ? batch_of(instruction, Kind::Number)
                                            : MpcBatches::kNone);
    }
    return std::move(batches_);
  }

 private:
  enum class Kind : uint8_t { Alone, Local, Waiting, Number };
  using Operand = std::tuple<ElementKind, unsigned, MpcVisibility>;
  using Key = std::tuple<Kind, uint32_t, MpcOpcode, std::vector<int64_t>, std::vector<Operand>>;

  [[nodiscard]] auto type(const MpcInstruction& instruction, size_t i) const -> const MpcType& {
    return program_.registers[instruction.operands[i]].type;
  }

  /// Of the numbers that an instruction needs, or of what it does.
  auto batch_of(const MpcInstruction& instruction, Kind kind) -> uint32_t {
    const auto operand_of = [](const MpcType& of) {
      return Operand{of.element.kind, of.element.fraction_bits, of.visibility};
    };
    std::vector<Operand> operands{operand_of(program_.registers[instruction.result].type)};
    for (const MpcRegisterId id : instruction.operands) {
      operands.push_back(operand_of(program_.registers[id].type));
    }
    Key key{kind, instruction.line, instruction.op, instruction.numbers, std::move(operands)};
    const auto [found, is_new] =
        known_.emplace(std::move(key), static_cast<uint32_t>(known_.size()));
    if (is_new) {
      batches_.is_local.push_back(kind == Kind::Local);
    }
    return found->second;
  }

  [[nodiscard]] auto kind_of(const MpcInstruction& instruction) const -> Kind;
  [[nodiscard]] auto waits(const MpcInstruction& instruction, size_t n_secret) const -> bool;
  [[nodiscard]] auto is_local(const MpcInstruction& instruction) const -> bool;

  const MpcProgram& program_;
  MpcBatches batches_;
  std::map<Key, uint32_t> known_;
};

auto BatchFinder::kind_of(const MpcInstruction& instruction) const -> Kind {
  if (is_control(instruction.op)) {
    return Kind::Alone;
  }
  const MpcType& result = program_.registers[instruction.result].type;
  const int64_t n = n_elements(result);
  if (!result.is_secret() || n == 0 || n > kMostElements || is_same_secret(program_, instruction)) {
    return Kind::Alone;
  }
  size_t n_secret = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const int64_t n_of_operand = n_elements(type(instruction, i));
    if (n_of_operand != n && n_of_operand != 1) {
      return Kind::Alone;
    }
    n_secret += type(instruction, i).is_secret() ? 1 : 0;
  }
  if (n_secret == 0) {
    return Kind::Alone;
  }
  if (waits(instruction, n_secret)) {
    return Kind::Waiting;
  }
  return n == 1 && is_local(instruction) ? Kind::Local : Kind::Alone;
}

/// Of what works element by element: does it send anything, as much whatever is public?
auto BatchFinder::waits(const MpcInstruction& instruction, size_t n_secret) const -> bool {
  const ElementType result = program_.registers[instruction.result].type.element;
  const bool are_all_secret = n_secret == instruction.operands.size();
  const bool are_truths = type(instruction, 0).element.kind == ElementKind::Bool;
  switch (family_of(instruction.op)) {
    case MpcFamily::Multiplication:
      return are_all_secret ||
             (result.kind == ElementKind::Fxp && instruction.op == MpcOpcode::Mul);
    case MpcFamily::Division:
    case MpcFamily::Shift:
      return are_all_secret;
    case MpcFamily::Order:
    case MpcFamily::Extremum:
    case MpcFamily::FixedFunction:
      return true;
    case MpcFamily::Equality:
      return !are_truths;
    case MpcFamily::Logic:
      return instruction.op != MpcOpcode::Not && instruction.op != MpcOpcode::Invert &&
             (!are_truths || (are_all_secret && instruction.op != MpcOpcode::Xor));
    case MpcFamily::Select:
      return type(instruction, 0).is_secret() &&
             (type(instruction, 1).is_secret() || type(instruction, 2).is_secret());
    case MpcFamily::Cast:
      return !are_truths;
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

/// Of what does not wait: does it send nothing at all, but for making its numbers?
auto BatchFinder::is_local(const MpcInstruction& instruction) const -> bool {
  const MpcFamily family = family_of(instruction.op);
  return family == MpcFamily::Addition || family == MpcFamily::Negation ||
         family == MpcFamily::Multiplication || family == MpcFamily::Logic ||
         family == MpcFamily::Equality ||
         operand_needed_as_number(program_, instruction).has_value();
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

auto is_same_secret(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  const MpcFamily family = family_of(instruction.op);
  if (family != MpcFamily::Copy && family != MpcFamily::Cast) {
    return false;
  }
  const MpcType& operand = program.registers[instruction.operands[0]].type;
  return operand.is_secret() && operand == program.registers[instruction.result].type;
}

}  // namespace tacet::engine
