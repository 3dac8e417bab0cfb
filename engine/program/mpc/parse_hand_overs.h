#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/program/mpc/program.h"

/// Private to this folder: the part of a program's text that is behind its outputs.
namespace tacet::engine {

/// Where the line of the first hand-over begins; the length of the text if there is none.
auto begin_of_hand_overs(std::string_view text) -> size_t;

/// Reads hand-overs; whether their inputs exist is not checked. O(length).
auto parse_hand_overs(std::string_view text) -> Result<std::vector<MpcHandOver>>;

}  // namespace tacet::engine
