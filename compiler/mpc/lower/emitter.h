#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/program/mpc/program.h"

/// Private to this folder.
namespace tacet::mpc_lower {

using engine::ElementType;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcType;
using engine::MpcVisibility;

using Extents = std::vector<int64_t>;

/// Writes instructions, equal ones once within the braces around them.
class Emitter {
 public:
  /// What was written up to a moment, to come back to.
  struct Mark {
    size_t n_registers = 0;
    size_t n_code = 0;
    std::vector<std::unordered_map<std::string, MpcRegisterId>> known{};
  };

  void set_line(uint32_t line) { line_ = line; }
  [[nodiscard]] auto line() const -> uint32_t { return line_; }

  /// The register with the result, whose visibility is narrowed from the operands'.
  auto emit(MpcOpcode op, ElementType element, Extents extents, std::vector<MpcRegisterId> operands,
            std::vector<int64_t> numbers = {}) -> MpcRegisterId;
  /// The register of an input, which has the name of the parameter.
  auto new_input(std::string_view name, MpcType type) -> MpcRegisterId;
  /// A register that is assigned to more than once.
  auto new_register(std::string_view name, MpcType type) -> MpcRegisterId;
  void assign(MpcRegisterId to, MpcOpcode op, std::vector<MpcRegisterId> operands,
              std::vector<int64_t> numbers = {});
  /// Instructions in front of what was written since `at`.
  void insert(size_t at, std::vector<MpcInstruction> code);
  /// What is written between the two goes to `at`, inside of braces that are closed already.
  void begin_tail() { known_.emplace_back(); }
  void end_tail(size_t begin, size_t at);
  /// Control; opens and closes braces.
  void control(MpcOpcode op, std::vector<MpcRegisterId> operands = {},
               std::vector<int64_t> numbers = {}, MpcRegisterId result = {});

  [[nodiscard]] auto type(MpcRegisterId id) const -> const MpcType& {
    return registers_[id.index].type;
  }
  [[nodiscard]] auto is_secret(MpcRegisterId id) const -> bool { return type(id).is_secret(); }
  [[nodiscard]] auto n_code() const -> size_t { return code_.size(); }

  [[nodiscard]] auto mark() const -> Mark { return {registers_.size(), code_.size(), known_}; }
  void go_back(const Mark& mark);

  /// Registers and instructions, put into `program`.
  void finish(engine::MpcProgram& program);

 private:
  std::vector<engine::MpcRegister> registers_;
  std::vector<MpcInstruction> code_;
  /// By braces: what was computed, and where it stands.
  std::vector<std::unordered_map<std::string, MpcRegisterId>> known_{1};
  uint32_t line_ = 0;
};

}  // namespace tacet::mpc_lower
