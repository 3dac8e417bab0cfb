#pragma once

#include <optional>
#include <span>

#include "engine/mpc/machine/slot.h"

/// Secret arrays of elements of other values. Local. Private to this folder.
namespace tacet::mpc {

/// An element of a value, and which element of another one it becomes.
struct ElementSource {
  uint32_t to = 0;
  SlotElements from{};  ///< exactly one element
};

/// The secret of `type` that is `base` with other elements in it; without a base it is 0 elsewhere.
/// Of several that become one element the last one counts.
auto assembled(const Context& context, const Value* base, std::span<const ElementSource> sources,
               engine::MpcType type) -> Value;

/// An instruction as part of a row: how many elements it has, and what it works on.
struct RowPart {
  size_t n = 1;
  std::span<const SlotPtr> operands{};
};

/// One operation, element by element, on a row of the elements of all parts; where operands have
/// one element, it goes with all of the part. With a `ring`, the first operands are truth values
/// that numbers in it were made of.
auto joined(const Context& context, const engine::MpcInstruction& instruction,
            const engine::MpcProgram& program, std::span<const RowPart> parts,
            std::optional<Ring> ring) -> Operation;

/// Elements of a secret from `begin` on, as a secret of `type`.
auto part_of(const Value& all, size_t begin, engine::MpcType type) -> Value;

}  // namespace tacet::mpc
