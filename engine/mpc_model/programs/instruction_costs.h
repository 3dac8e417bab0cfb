#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mpc_model/protocol_costs.h"
#include "engine/program/mpc/clear.h"

/// What instructions of MPC programs take: as engine/mpc/dispatch goes, operator by operator.
namespace tacet::mpc_model {

/// An operand as far as it is known before the program runs.
struct Operand {
  const engine::MpcType* type = nullptr;
  const engine::MpcCells* cells = nullptr;  ///< of a public value; null if they are not known
};

/// A path of the layers that an instruction is dispatched through, from the operator to the kernel:
/// `mul`, `fmul`, `mul_trunc_ss`.
using DispatchPath = std::vector<std::string_view>;

struct InstructionCost {
  /// Instructions that need a truth value as a number share making it: its cost, and of which
  /// operand, in which ring. It comes before `rest`.
  Cost number{};
  std::optional<size_t> number_of{};
  unsigned number_ring = 64;
  Cost rest{};
  /// One for each kernel that is called, in order. Empty for plaintext computations.
  std::vector<DispatchPath> paths{};
  bool is_average = false;   ///< it is up to random numbers
  bool is_greatest = false;  ///< it is up to public values that are not known: this or less

  [[nodiscard]] auto all() const -> Cost { return then(number, rest); }
};

/// Of an instruction that is no control and has a valid result of `type`. With exact truncation,
/// without what making correlated randomness takes. `fixed_ring` is that of the program.
auto cost_of(const ProtocolCosts& protocol, const engine::MpcInstruction& instruction,
             std::span<const Operand> operands, const engine::MpcType& type,
             unsigned fixed_ring = 64) -> InstructionCost;

/// Of revealing a value to all, or to one party.
auto cost_of_reveal(const ProtocolCosts& protocol, const engine::MpcType& type, bool is_to_one)
    -> Cost;
/// Of an input that a party brings.
auto cost_of_input(const ProtocolCosts& protocol, const engine::MpcType& type,
                   unsigned fixed_ring = 64) -> Cost;

/// `mul → fmul → rmul → mul_ss`, several paths after what they have in common, in parentheses.
auto stack_text(std::span<const DispatchPath> paths) -> std::string;

}  // namespace tacet::mpc_model
