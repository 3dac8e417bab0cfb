#pragma once

#include <vector>

#include "engine/mpc/dispatch/context.h"

/// Secret arrays from elements of several values, and several values from one array. Local. Private
/// to this folder.
namespace tacet::mpc {

/// Elements `from` of a value, which go to elements `to` of another one. All of them if `from` is
/// empty.
struct Piece {
  Value value{};
  std::vector<uint32_t> from{};
  std::vector<uint32_t> to{};
};

/// The secret of `type` that has the elements of all pieces; of those that go to one place the last
/// one counts, and elsewhere it is 0.
auto assembled(const Context& context, const std::vector<Piece>& pieces, engine::MpcType type)
    -> Value;

/// Operations that differ in values and extents, element by element, as one on a row of all their
/// elements. Where `ring` says so, the first operand is a condition with numbers in it.
auto joined(const Context& context, const std::vector<Operation>& operations,
            std::optional<Ring> ring) -> Operation;

/// Elements of the result of such an operation from `begin` on, as a secret of `type`.
auto part_of(const Value& all, size_t begin, engine::MpcType type) -> Value;

}  // namespace tacet::mpc
