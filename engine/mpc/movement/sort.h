#pragma once

#include <vector>

#include "engine/mpc/circuits/integers.h"

/// Secret numbers in order. Nothing is shown but sizes: not what is equal either.
namespace tacet::mpc {

struct Sorted {
  Share keys;
  std::vector<Share> values;
};

/// What keys may be: low, low + 1 … low + 2^width - 1, of which only so many bits are compared.
/// Others are sorted somehow, which shows as little of them.
struct KeyRange {
  Word128 low = 0;
  unsigned width = 64;

  KeyRange(Word128 first, unsigned n_bits) : low(first), width(n_bits) {}
  /// All of a type.
  KeyRange(IntegerType type)
      : low(type.signedness == Signedness::Signed ? 0 - (Word128{1} << (type.width - 1)) : 0),
        width(type.width) {}
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
auto sort(Party& party, Share keys, std::vector<Share> values, KeyRange range) -> Task<Sorted>;

/// The `k` greatest keys, the greatest first. By comparisons, without those between keys that are
/// known not to be among them: about 3 n in all for small k.
auto greatest(Party& party, Share keys, size_t k, KeyRange range) -> Task<Share>;

}  // namespace tacet::mpc
