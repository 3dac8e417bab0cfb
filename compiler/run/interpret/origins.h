#pragma once

#include <cstdint>
#include <vector>

#include "compiler/run/interpret/joins.h"
#include "compiler/run/interpret/machine_state.h"
#include "compiler/run/interpret/traced_machine.h"

namespace tacet::interpret {

/// A branch whose condition depends on inputs: until its paths meet, so does all that is written.
struct OriginControl {
  uint64_t base = 0;      ///< the frame
  uint32_t join = 0;      ///< where the paths meet; `kNowhere`: where the frame ends
  bool is_apart = false;  ///< a value by need, which depends on no branch around its use
  OriginSet inputs = 0;   ///< of all branches around

  friend auto operator==(const OriginControl&, const OriginControl&) -> bool = default;
};

/// Follows which inputs each cell depends on: what a value is computed from, and the conditions of
/// the branches that were taken to compute it. What another path would have written is not seen.
/// Private to this folder.
class Origins {
 public:
  explicit Origins(const Program& program) : joins_(program) {}

  /// Makes as many sets as the stack has cells.
  void fit(const Machine& machine) {
    if (sets_.size() < machine.stack.capacity()) [[unlikely]] {
      sets_.resize(machine.stack.capacity());
    }
  }

  /// What `at`, which is executed next, does to the sets.
  void follow(const Machine& machine, const Instruction& at) {
    OriginSet* const slots = sets_.data() + machine.base + kHeaderCells;
    if (is_binary(at.opcode)) {
      slots[at.operands[0]] = slots[at.operands[1]] | slots[at.operands[2]] | control_;
    } else if (at.opcode == Opcode::Const) {
      slots[at.operands[0]] = control_;
    } else if (at.opcode == Opcode::Move && at.operands[2] == 1) {
      slots[at.operands[0]] = slots[at.operands[1]] | control_;
    } else if (at.opcode == Opcode::JumpIf || at.opcode == Opcode::JumpUnless) {
      if (slots[at.operands[0]] != 0) {
        branch(machine, slots[at.operands[0]]);
      }
    } else if (at.opcode != Opcode::Jump && at.opcode != Opcode::Loop) {
      follow_other(machine, at);
    }
  }

  /// Leaves the branches whose paths meet at the next instruction.
  void join(const Machine& machine) {
    while (machine.pc == next_join_ && controls_.back().base == machine.base)
      [[unlikely]] {
        leave();
      }
  }
  /// A value is computed by need, in the frame at `machine.base`.
  void enter_apart(const Machine& machine);
  void leave_apart();

  [[nodiscard]] auto sets() -> std::vector<OriginSet>& { return sets_; }
  [[nodiscard]] auto sets() const -> const std::vector<OriginSet>& { return sets_; }
  [[nodiscard]] auto controls() const -> const std::vector<OriginControl>& { return controls_; }
  void set_controls(std::vector<OriginControl> controls);

 private:
  void follow_other(const Machine& machine, const Instruction& at);
  void leave();
  void show_top();
  void branch(const Machine& machine, OriginSet condition);
  void repeat(const Machine& machine, const Instruction& at, OriginSet* slots);
  void apply(const Machine& machine, const uint32_t* operands, OriginSet* slots);
  void draw(const Machine& machine, const uint32_t* operands, OriginSet* slots);
  void fetch(const Machine& machine, const uint32_t* operands, OriginSet* slots);
  void put(const Machine& machine, const uint32_t* operands, OriginSet* slots);
  void settle(const Machine& machine, const uint32_t* operands, const OriginSet* slots);
  void call_extern(const Machine& machine, const uint32_t* operands);
  void return_from(const Machine& machine, const uint32_t* operands, OriginSet* slots);
  void copy(OriginSet* to, const OriginSet* from, uint64_t n);
  [[nodiscard]] static auto all_of(const OriginSet* sets, uint64_t n) -> OriginSet;

  Joins joins_;
  std::vector<OriginSet> sets_;
  std::vector<OriginControl> controls_;
  OriginSet control_ = 0;          ///< of all branches around
  uint32_t next_join_ = kNowhere;  ///< of the innermost one
};

}  // namespace tacet::interpret
