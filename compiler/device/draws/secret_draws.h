#pragma once

#include <cstdint>
#include <set>

#include "compiler/spec/program/frontend.h"

/// Private to this folder.
namespace tacet::draws {

/// The calls of an item that draw secrets, if they are draws: by node, those whose value the text
/// gives a secret type. That is the declared type of the `let` or `var` that it is the value of,
/// of a cast, or of the function's result; also through `for i: n`, choices, casts and array
/// literals on the way, but through no operator: `let x: secret i64 = rand_int(6);` draws a secret,
/// `let x: secret i64 = y + rand_int(6);` does not.
auto find_secret_calls(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::set<uint32_t>;

}  // namespace tacet::draws
