#pragma once

#include <unordered_map>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Appends to a function, block by block.
class FunctionWriter {
 public:
  explicit FunctionWriter(Function& function) : function_(function) {}

  [[nodiscard]] auto function() -> Function& { return function_; }

  auto new_block() -> BlockId { return function_.blocks.add({}); }
  /// From now on instructions go to the end of `block`.
  void enter(BlockId block);
  [[nodiscard]] auto block() const -> BlockId { return block_; }

  void jump(BlockId target);
  void branch(ValueId condition, BlockId on_true, BlockId on_false, BlockId join, uint32_t node);
  void give_back(std::span<const ValueId> values, uint32_t node);

  /// Adds `instruction` with its operands and one result of each type.
  auto add(Instruction instruction, std::span<const ValueId> operands,
           std::span<const types::TypeId> results) -> InstructionId;
  /// Adds an instruction with one result, and gives that.
  auto value(Instruction instruction, std::span<const ValueId> operands, types::TypeId type)
      -> ValueId;

  auto new_place(Place place) -> PlaceId { return function_.places.add(place); }
  void store(PlaceId place, ValueId value, uint32_t node);
  /// What `place` holds: within a block, what was loaded last unless it was stored to since.
  auto load(PlaceId place, uint32_t node) -> ValueId;
  /// A reference to `place` for a callee. What it holds may be another afterwards.
  auto borrow(PlaceId place, types::TypeId type, uint32_t node) -> ValueId;
  /// Nothing is known any more of what `place` holds.
  void forget(PlaceId place) { loaded_.erase(place); }

  /// `@in`: holds at the beginning of the part that control runs through without a call, or, of
  /// what that part declares, right here.
  void annotate_entry(Instruction annotation);
  /// `@out`: holds at the end of that part.
  void annotate_exit(Instruction annotation) { at_exit_.push_back(annotation); }
  /// A call of a function is about to be added: ends such a part.
  void end_part();
  /// The call was added: begins the next.
  void begin_part();

 private:
  auto slice(std::span<const ValueId> values) -> Slice;
  void terminate(Terminator terminator);
  void link(BlockId target);

  Function& function_;
  BlockId block_;
  /// Where in the block the part began.
  size_t part_begin_ = 0;
  /// How many places there were.
  size_t part_places_ = 0;
  std::vector<Instruction> at_exit_;
  std::unordered_map<PlaceId, ValueId> loaded_;
};

}  // namespace tacet::hir
