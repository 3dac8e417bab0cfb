#pragma once

#include <initializer_list>
#include <utility>

#include "engine/mpc_model/programs/instruction_costs.h"

/// How the cost of one instruction is found: private to the files of this folder.
namespace tacet::mpc_model {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcOpcode;
using engine::MpcType;

inline auto is_bool(const MpcType& type) -> bool {
  return type.element.kind == ElementKind::Bool;
}
inline auto is_fixed(const MpcType& type) -> bool {
  return type.element.kind == ElementKind::Fxp;
}
inline auto width_of(ElementType element) -> unsigned {
  return engine::bit_width(element.kind);
}
inline auto is_signed(ElementType element) -> bool {
  return engine::is_signed_integer(element.kind) || element.kind == ElementKind::Fxp;
}
inline auto size_of(const MpcType& type) -> uint64_t {
  return static_cast<uint64_t>(engine::n_elements(type));
}

/// One instruction with secret operands; a function for each file of engine/mpc/dispatch.
class Dispatch {
 public:
  Dispatch(const ProtocolCosts& protocol, const engine::MpcInstruction& instruction,
           std::span<const Operand> operands, const MpcType& type, unsigned fixed_ring)
      : protocol_(protocol),
        instruction_(instruction),
        operands_(operands),
        type_(type),
        n_(size_of(type)),
        fixed_ring_(fixed_ring),
        name_(engine::mnemonic_of(instruction.op)) {}

  auto run() -> InstructionCost {
    by_family();
    return std::move(result_);
  }

 private:
  [[nodiscard]] auto type(size_t i) const -> const MpcType& { return *operands_[i].type; }
  [[nodiscard]] auto is_secret(size_t i) const -> bool { return type(i).is_secret(); }
  /// Of the ring that secrets of a type are held in.
  [[nodiscard]] auto ring_bits_of(ElementType element) const -> unsigned {
    return engine::ring_bits_of(element, fixed_ring_);
  }
  [[nodiscard]] auto ring(size_t i) const -> unsigned { return ring_bits_of(type(i).element); }

  void path(std::initializer_list<std::string_view> below) {
    DispatchPath& layers = result_.paths.emplace_back(DispatchPath{name_});
    layers.insert(layers.end(), below);
  }
  void then_rest(Cost cost) { result_.rest = then(result_.rest, cost); }
  void needs_number(size_t operand, unsigned ring) {
    result_.number_of = operand;
    result_.number_ring = ring;
    result_.number = protocol_.bits_to_arithmetic(1, size_of(type(operand)), ring);
  }

  void by_family();
  void mul();
  void in_wide_ring(size_t operand, unsigned ring);
  void divide();
  void wrap();
  void compare();
  void test_equal();
  void logic();
  void shift();
  void choose();
  void extremum();
  void convert_type();
  void reduce_by_tree();
  void inner_product();
  void function();
  void move_secretly();
  void by_secret_places(uint64_t n_rows, uint64_t n_columns);
  void draw_secretly();
  void sorted(uint64_t n_values, uint64_t n_kept);

  const ProtocolCosts& protocol_;
  const engine::MpcInstruction& instruction_;
  std::span<const Operand> operands_;
  const MpcType& type_;
  uint64_t n_;  ///< elements of the result
  unsigned fixed_ring_;
  std::string_view name_;
  InstructionCost result_;
};

}  // namespace tacet::mpc_model
