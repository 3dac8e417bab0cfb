#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/store.h"
#include "engine/program/common/arithmetic.h"
#include "engine/program/mpc/types.h"

/// Programs of the MPC machine as plain data: what compilers make and all parties of a computation
/// run. `docs/subsystems/mpc.md` describes their meaning and text.
///
/// Registers hold values of one type. Instructions are polymorphic: what `mul` does depends on the
/// visibility and dtype of its operands. What is computed from public values alone is public, and
/// every party computes it in plaintext. Control depends on public values alone. Instructions wait
/// for their operands and for nothing else, whatever loops and branches they are in.
namespace tacet::engine {

using MpcRegisterId = Id<struct MpcRegisterTag>;

enum class MpcOpcode : uint8_t {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) Name,
#include "engine/program/common/operators.def"
#define TACET_MPC_OPCODE(Name, mnemonic, n_operands, n_numbers) Name,
#include "engine/program/mpc/opcodes.def"
};

/// Is it one of the language's operators, which `operators.def` has the schemes of?
auto is_operator(MpcOpcode op) -> bool;
auto mnemonic_of(MpcOpcode op) -> std::string_view;
/// How many registers it works on; -1 if that varies.
auto n_operands_of(MpcOpcode op) -> int;
/// How many numbers are in it; -1 if that varies.
auto n_numbers_of(MpcOpcode op) -> int;
/// Has it no result, but for the counter of a `for`?
auto is_control(MpcOpcode op) -> bool;

/// The index of a party that `MpcProgram::parties` names.
using MpcPartyId = Id<struct MpcPartyTag>;

struct MpcRegister {
  std::string name;  ///< unique
  MpcType type;

  friend auto operator==(const MpcRegister&, const MpcRegister&) -> bool = default;
};

struct MpcInstruction {
  MpcOpcode op = MpcOpcode::Copy;
  MpcRegisterId result{};  ///< none of control, but of `for` its counter
  std::vector<MpcRegisterId> operands{};
  std::vector<int64_t> numbers{};
  MpcPartyId party{};  ///< who alone a `reveal` is for; none: all
  uint32_t line = 0;   ///< of the source, from 1; 0 if there is none

  friend auto operator==(const MpcInstruction&, const MpcInstruction&) -> bool = default;
};

struct MpcInput {
  MpcRegisterId reg;
  MpcPartyId owner{};  ///< who has it if it is secret; none: the first party that computes

  friend auto operator==(const MpcInput&, const MpcInput&) -> bool = default;
};

struct MpcOutput {
  std::string name;
  MpcRegisterId reg;
  MpcPartyId receiver{};  ///< who alone learns it; none: all

  friend auto operator==(const MpcOutput&, const MpcOutput&) -> bool = default;
};

/// A homomorphic program that the parties evaluate under a joint key before this one runs. Nobody
/// decrypts its results: each party gets a share of them modulo the plaintext modulus, and gives
/// that as an input.
struct MpcHandOver {
  /// An array of the homomorphic program, and the input that it is.
  struct Argument {
    std::string array;
    uint32_t input = 0;

    friend auto operator==(const Argument&, const Argument&) -> bool = default;
  };
  /// An output of it, and the inputs that its shares are: integers, each of another party.
  struct Result {
    std::string output;
    std::vector<uint32_t> shares{};

    friend auto operator==(const Result&, const Result&) -> bool = default;
  };

  std::string name;  ///< of the function
  std::vector<Argument> arguments{};
  std::vector<Result> results{};
  std::string bundle{};  ///< as text (`engine/he_format`)

  friend auto operator==(const MpcHandOver&, const MpcHandOver&) -> bool = default;
};

struct MpcProgram {
  std::vector<std::string> parties;  ///< owners and receivers
  Store<MpcRegisterId, MpcRegister> registers;
  std::vector<MpcInput> inputs;  ///< in order; their registers exist from the beginning
  std::vector<MpcInstruction> code;
  std::vector<MpcOutput> outputs;  ///< secret ones are revealed to those who receive them
  /// Of the ring that secrets of fixed point are held in: 64 or 128.
  unsigned fixed_ring_bits = 64;
  std::vector<MpcHandOver> hand_overs{};

  friend auto operator==(const MpcProgram&, const MpcProgram&) -> bool = default;
};

/// How large programs may be, so that one from an untrusted place cannot ask for the impossible.
struct MpcLimits {
  static constexpr size_t kInstructions = size_t{1} << 20;
  static constexpr size_t kRegisters = size_t{1} << 20;
  static constexpr size_t kNumbers = size_t{1} << 24;  ///< of all instructions
  static constexpr int64_t kElements = int64_t{1} << 28;
  static constexpr size_t kDimensions = 64;
  static constexpr size_t kNesting = 64;
  static constexpr size_t kParties = 64;
  static constexpr size_t kHandOvers = 64;
};

}  // namespace tacet::engine
