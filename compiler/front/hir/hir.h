#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/store.h"
#include "compiler/front/names/body_names.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/front/types/type.h"

/// The body of a function as a control-flow graph of three-address instructions. Plain data: what
/// is done with it are free functions over it.
///
/// One data structure has two forms. As built, variables are *places* that `Load` and `Store`
/// read and write. In *reference SSA* (`to_ssa`) every store is a definition: there are no places,
/// and phis stand where control flow joins. Encoders, futures and records are expanded in both: an
/// encoder is a handle and one place per field.
namespace tacet::hir {

struct ValueTag;
using ValueId = Id<ValueTag>;
struct InstructionTag;
using InstructionId = Id<InstructionTag>;
struct PlaceTag;
using PlaceId = Id<PlaceTag>;
struct BlockTag;
using BlockId = Id<BlockTag>;

inline constexpr uint32_t kNoNode = 0xffffffff;

/// `[begin, end)` in one of the function's pools.
struct Slice {
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] auto size() const -> uint32_t { return end - begin; }

  friend auto operator==(Slice, Slice) -> bool = default;
};

enum class Opcode : uint8_t {
#define TACET_HIR_OPCODE(Name, text, documentation) Name,
#include "compiler/front/hir/opcodes.def"
};

auto opcode_text(Opcode opcode) -> std::string_view;

/// True for what looks at the content of its place, where it has one.
constexpr auto looks_at_place(Opcode opcode) -> bool {
  return opcode == Opcode::Load || opcode == Opcode::Borrow || opcode == Opcode::Annotate;
}

/// One step. Which members mean something depends on the opcode; see `opcodes.def`.
struct Instruction {
  Opcode opcode = Opcode::Undefined;
  types::Operator op = types::Operator::Add;  ///< of `Unary` and `Binary`
  names::Device device = names::Device::Cpu;  ///< of `EncodeBegin`
  bool is_public = false;                     ///< of `EncodeCopy`: unencrypted
  bool is_at_entry = false;                   ///< of `Annotate`: `@in`
  bool is_expression = false;                 ///< of `Hole`: `?`, which holds no statements
  uint32_t number = 0;                        ///< of `Parameter`, `Dimension`: which one
  uint32_t n_dims = 0;                        ///< of calls: leading operands that are the grid
  uint32_t node = kNoNode;                    ///< in the item's tree: where it comes from
  PlaceId place = {};
  names::ItemId item = {};  ///< of calls, `Written` and `Constant`
  Name pattern = {};        ///< of `Pattern`: its text
  Slice operands = {};      ///< in `Function::operands`
  Slice results = {};       ///< in `Function::values`

  friend auto operator==(const Instruction&, const Instruction&) -> bool = default;
};

/// What an instruction computes, or one of several things.
struct Value {
  types::TypeId type;
  InstructionId definition;
  /// The variable that it is (a version of), or no name.
  Name name;
  /// The syntax node that stands for it: what a message about it points at.
  uint32_t node = kNoNode;

  friend auto operator==(const Value&, const Value&) -> bool = default;
};

enum class PlaceKind : uint8_t {
  Variable,  ///< a `var`
  Merged,    ///< the value of a block or `if`
  Referent,  ///< what a reference parameter, or a reference that a call gave back, refers to
  Field,     ///< of an encoder, future or record
  /// What the reference that a function gives back refers to, where that is one of several
  /// places: holds the same, but is none of them. Only what a place holds is stored here, right
  /// behind its load.
  Either,
};

/// Something that is written and read.
struct Place {
  PlaceKind kind = PlaceKind::Variable;
  Name name;   ///< of the variable or field, or none
  Name owner;  ///< of a field: its encoder, future or record, if that has a name
  types::TypeId type;
  uint32_t node = kNoNode;  ///< where it is declared

  friend auto operator==(const Place&, const Place&) -> bool = default;
};

enum class TerminatorKind : uint8_t { None, Jump, Branch, Return };

/// How a block ends.
struct Terminator {
  TerminatorKind kind = TerminatorKind::None;
  /// Of `Branch`.
  ValueId condition = {};
  /// `Jump`: the first. `Branch`: the targets on true and on false.
  std::array<BlockId, 2> targets = {};
  /// Of `Branch`: where the two paths join.
  BlockId join = {};
  /// Of `Return`, expanded.
  Slice operands = {};
  uint32_t node = kNoNode;

  friend auto operator==(const Terminator&, const Terminator&) -> bool = default;
};

struct Block {
  std::vector<InstructionId> instructions;
  Terminator terminator;
  std::vector<BlockId> predecessors;

  friend auto operator==(const Block&, const Block&) -> bool = default;
};

/// One of the things that a parameter or result was expanded to.
struct Port {
  /// Which parameter or result it belongs to.
  uint32_t ordinal = 0;
  /// Of a record, encoder or future; no name for the value itself or the handle.
  Name field;
  types::TypeId type;

  friend auto operator==(const Port&, const Port&) -> bool = default;
};

enum class TagSubject : uint8_t { Value, Instruction, Branch };

/// Tags that the text attaches to something: `x @ node(val.a)`, `if @ node(val.r) c { … }`.
struct TagUse {
  TagSubject subject = TagSubject::Value;
  uint32_t index = 0;       ///< of the value, instruction or block
  uint32_t node = kNoNode;  ///< the `tags` in the item's tree

  friend auto operator==(const TagUse&, const TagUse&) -> bool = default;
};

/// A name in the text and the value that it stands for there.
struct NameUse {
  uint32_t node = kNoNode;
  ValueId value;

  friend auto operator==(const NameUse&, const NameUse&) -> bool = default;
};

/// Block 0 is the entry; a block comes after all its predecessors. Control flow has no cycles,
/// since a loop of the coordinator is recursion.
struct Function {
  names::ItemId item;
  bool is_ssa = false;
  Store<BlockId, Block> blocks;
  Store<InstructionId, Instruction> instructions;
  Store<ValueId, Value> values;
  Store<PlaceId, Place> places;
  std::vector<ValueId> operands;
  /// By operand of a phi: the syntax node that stored it; `kNoNode` for other operands.
  std::vector<uint32_t> operand_nodes;
  std::vector<Port> parameters;
  std::vector<Port> results;
  std::vector<TagUse> tags;
  /// In the order in which they were met.
  std::vector<NameUse> names;

  [[nodiscard]] auto operands_of(const Instruction& instruction) const -> std::span<const ValueId> {
    return std::span(operands).subspan(instruction.operands.begin, instruction.operands.size());
  }
  [[nodiscard]] auto operands_of(const Terminator& terminator) const -> std::span<const ValueId> {
    return std::span(operands).subspan(terminator.operands.begin, terminator.operands.size());
  }
  [[nodiscard]] auto result_of(const Instruction& instruction, uint32_t i = 0) const -> ValueId {
    return {instruction.results.begin + i};
  }
  [[nodiscard]] auto definition_of(ValueId value) const -> const Instruction& {
    return instructions[values[value].definition];
  }

  friend auto operator==(const Function&, const Function&) -> bool = default;
};

/// The blocks that control may go to next.
auto successors(const Terminator& terminator) -> std::span<const BlockId>;

/// What a value of `type` is passed as: itself, or the handle (of an encoder or future) and the
/// fields in the order of their declaration.
auto expand(const types::TypeStore& types, types::TypeId type, uint32_t ordinal)
    -> std::vector<Port>;

/// True if a port holds something that a value specification speaks of: a number, a boolean, an
/// array of them or a reference to one; false for handles and events.
auto is_value(const types::TypeStore& types, types::TypeId type) -> bool;

}  // namespace tacet::hir
