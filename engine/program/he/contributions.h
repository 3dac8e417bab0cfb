#pragma once

#include <vector>

#include "engine/program/he/gather.h"

/// Inputs under a joint key: each array of the client's side is encrypted by the one that has it,
/// alone, and the ciphertexts of all are added up. Nobody has all numbers of a vector that several
/// arrays share.
namespace tacet::engine {

/// Which arrays are parts of the elements of a gathered register of ciphers, rising. Of one whose
/// slots have constants alone, that is the first array of the client's side, if there is one.
auto contributing_arrays(const HeProgram& program, const HeRegister& reg) -> std::vector<uint32_t>;

/// The most arrays that are parts of one register; at least 1.
auto most_contributions(const HeProgram& program) -> size_t;

/// What the numbers of one of the contributing arrays are in an element, as `gather_slots`: the
/// sum over these arrays is the element. The first of them has what no array has. `numbers` are
/// those of the array.
auto contributed_slots(const HeProgram& program, const HeRegister& reg,
                       const std::vector<int64_t>& coordinates, uint32_t array,
                       const std::vector<double>& numbers) -> HeSlots;

}  // namespace tacet::engine
