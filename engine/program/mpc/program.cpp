#include "engine/program/mpc/program.h"

namespace tacet::engine {

namespace {

struct OpcodeFacts {
  std::string_view mnemonic;
  int n_operands;
  int n_numbers;
};

constexpr OpcodeFacts kFacts[] = {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) {text, arity, 0},
#include "engine/program/common/operators.def"
#define TACET_MPC_OPCODE(Name, mnemonic, n_operands, n_numbers) {mnemonic, n_operands, n_numbers},
#include "engine/program/mpc/opcodes.def"
};

auto facts_of(MpcOpcode op) -> const OpcodeFacts& {
  return kFacts[static_cast<size_t>(op)];
}

}  // namespace

auto is_operator(MpcOpcode op) -> bool {
  return op <= MpcOpcode::Invert;
}

auto mnemonic_of(MpcOpcode op) -> std::string_view {
  return facts_of(op).mnemonic;
}

auto n_operands_of(MpcOpcode op) -> int {
  return facts_of(op).n_operands;
}

auto n_numbers_of(MpcOpcode op) -> int {
  return facts_of(op).n_numbers;
}

auto is_control(MpcOpcode op) -> bool {
  return op >= MpcOpcode::For;
}

}  // namespace tacet::engine
