#include "compiler/mpc/lower/emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tacet::mpc_lower {

static auto key_of(MpcOpcode op, const MpcType& type, const std::vector<MpcRegisterId>& operands,
                   const std::vector<int64_t>& numbers) -> std::string {
  std::string key = fmt::format("{} {} [{}]", static_cast<int>(op), engine::type_text(type),
                                fmt::join(numbers, ","));
  for (const MpcRegisterId id : operands) {
    key += fmt::format(" {}", id.index);
  }
  return key;
}

auto Emitter::new_input(std::string_view name, MpcType type) -> MpcRegisterId {
  registers_.push_back({std::string(name), std::move(type)});
  return {static_cast<uint32_t>(registers_.size() - 1)};
}

auto Emitter::new_register(std::string_view name, MpcType type) -> MpcRegisterId {
  // `remove_unused` puts the register's number behind the last underscore.
  registers_.push_back({std::string(name) + "_", std::move(type)});
  return {static_cast<uint32_t>(registers_.size() - 1)};
}

auto Emitter::emit(MpcOpcode op, ElementType element, Extents extents,
                   std::vector<MpcRegisterId> operands, std::vector<int64_t> numbers)
    -> MpcRegisterId {
  MpcType type{MpcVisibility::Public, element, std::move(extents)};
  for (const MpcRegisterId id : operands) {
    type.visibility = narrow(type.visibility, this->type(id).visibility);
  }
  if (op == MpcOpcode::Reveal) {
    type.visibility = MpcVisibility::Public;
  } else if (op == MpcOpcode::DrawSecret) {
    type.visibility = MpcVisibility::Secret;
  }
  std::string key = key_of(op, type, operands, numbers);
  for (const auto& known : known_) {
    if (const auto found = known.find(key); found != known.end()) {
      return found->second;
    }
  }
  const MpcRegisterId result = new_register("", std::move(type));
  assign(result, op, std::move(operands), std::move(numbers));
  known_.back().emplace(std::move(key), result);
  return result;
}

void Emitter::assign(MpcRegisterId to, MpcOpcode op, std::vector<MpcRegisterId> operands,
                     std::vector<int64_t> numbers) {
  code_.push_back({.op = op,
                   .result = to,
                   .operands = std::move(operands),
                   .numbers = std::move(numbers),
                   .line = line_});
}

void Emitter::insert(size_t at, std::vector<MpcInstruction> code) {
  code_.insert(code_.begin() + static_cast<std::ptrdiff_t>(at),
               std::make_move_iterator(code.begin()), std::make_move_iterator(code.end()));
}

void Emitter::end_tail(size_t begin, size_t at) {
  known_.pop_back();
  const auto first = code_.begin();
  std::rotate(first + static_cast<std::ptrdiff_t>(at), first + static_cast<std::ptrdiff_t>(begin),
              code_.end());
}

void Emitter::control(MpcOpcode op, std::vector<MpcRegisterId> operands,
                      std::vector<int64_t> numbers, MpcRegisterId result) {
  if (op == MpcOpcode::End || op == MpcOpcode::Else) {
    known_.pop_back();
  }
  if (op == MpcOpcode::For || op == MpcOpcode::Loop || op == MpcOpcode::If ||
      op == MpcOpcode::Else) {
    known_.emplace_back();
  }
  code_.push_back({.op = op,
                   .result = result,
                   .operands = std::move(operands),
                   .numbers = std::move(numbers),
                   .line = line_});
}

void Emitter::go_back(const Mark& mark) {
  registers_.resize(mark.n_registers);
  code_.resize(mark.n_code);
  known_ = mark.known;
}

void Emitter::finish(engine::MpcProgram& program) {
  for (engine::MpcRegister& reg : registers_) {
    program.registers.add(std::move(reg));
  }
  program.code = std::move(code_);
}

}  // namespace tacet::mpc_lower
