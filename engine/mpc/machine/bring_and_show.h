#pragma once

#include <optional>

#include "engine/mpc/dispatch/context.h"

/// How values get into a computation of several parties, and out of it again.
namespace tacet::mpc {

/// A value of a type that all parties know the type of. Secret ones are shared by `owner`, who
/// alone has the cells; public ones are given to all. One round if it is a secret, else none.
auto bring_value(Context& context, engine::MpcType type, Rank owner,
                 std::optional<engine::MpcCells> cells) -> Task<Value>;

/// The value in plaintext, for all parties or the receiving one: the others get zeros.
auto show_value(Context& context, Value value, std::optional<Rank> receiver) -> Task<Value>;

/// The value as one of the type, for which it may be public where the type is secret. Sends
/// nothing.
auto value_as(Context& context, Value value, engine::MpcType type) -> Task<Value>;

}  // namespace tacet::mpc
