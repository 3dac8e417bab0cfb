#pragma once

#include <vector>

#include "engine/mpc/circuits/integers.h"

/// Secret numbers in order. Nothing is shown but sizes: not what is equal either.
namespace tacet::mpc {

struct Sorted {
  Share keys;
  std::vector<Share> values;
};

/// Keys in ascending order, and arrays of the same size moved along; what has equal keys stays in
/// order. Fixed point is sorted as signed integers of its width.
///
/// Keys of up to 8 bits bit by bit, the lowest first: each pass finds the place of every element
/// from sums of bits, and moves to them. Wider ones by comparisons: all are shuffled, and then what
/// comparisons say may be seen, if no two keys are equal, for which their numbers before the
/// shuffle are appended to their bits (Hamada, Kikuchi, Ikarashi, Chida, Takahashi: "Practically
/// Efficient Multi-party Sorting Protocols from Comparison Sort Algorithms", 2012). We differ in
/// what is compared: samples of about the square root of the size are put in order by all their
/// pairs at once, and split the rest by binary search, so that there are half as many rounds as
/// with one pivot at a time and hardly more comparisons than there must be. About n log2(n)
/// comparisons in log2(n) + 2 log2(log2(n)) levels.
auto sort(Party& party, Share keys, std::vector<Share> values, IntegerType type) -> Task<Sorted>;

/// The `k` greatest keys, the greatest first. By comparisons, without those between keys that are
/// known not to be among them: about 3 n in all for small k.
auto greatest(Party& party, Share keys, size_t k, IntegerType type) -> Task<Share>;

}  // namespace tacet::mpc
