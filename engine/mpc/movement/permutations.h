#pragma once

#include <vector>

#include "engine/mpc/protocol.h"

/// Arrays in another order that nobody may know.
namespace tacet::mpc {

/// All in one random order.
auto shuffle(Party& party, std::vector<Share> arrays) -> Task<std::vector<Share>>;

/// Element i of each array moves to place `places[i]`. `places` is a permutation: if it is none,
/// the parties see which numbers it has and how often. A shuffle of all, and the opened places.
auto move_to(Party& party, Share places, std::vector<Share> arrays) -> Task<std::vector<Share>>;
/// Place i gets element `places[i]` of each array: the inverse of `move_to`. Two shuffles.
auto move_from(Party& party, Share places, std::vector<Share> arrays) -> Task<std::vector<Share>>;

}  // namespace tacet::mpc
