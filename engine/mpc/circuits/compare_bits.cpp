#include "engine/mpc/circuits/compare_bits.h"

#include <array>
#include <vector>

namespace tacet::mpc {

namespace {

/// The sizes of the levels of a tree over `width` leaves, from the root on. A place p of a level of
/// size s has the places p and s + p of the next one below it, the first of lower significance; the
/// last place may have the first one alone. So both operands of a level are ranges of planes.
auto level_sizes(unsigned width) -> std::vector<unsigned> {
  std::vector<unsigned> sizes;
  for (; width > 1; width = (width + 1) / 2) {
    sizes.push_back(width);
  }
  return {sizes.rbegin(), sizes.rend()};
}

/// The leaves of place `place` of the level above `sizes[depth]`, from the lowest on.
void append_leaves(const std::vector<unsigned>& sizes, size_t depth, unsigned place,
                   std::vector<unsigned>& leaves) {
  if (depth == sizes.size()) {
    leaves.push_back(place);
    return;
  }
  append_leaves(sizes, depth + 1, place, leaves);
  const unsigned high = (sizes[depth] + 1) / 2 + place;
  if (high < sizes[depth]) {
    append_leaves(sizes, depth + 1, high, leaves);
  }
}

/// Which bit is at which leaf of the tree.
auto bits_by_leaf(unsigned width) -> std::vector<unsigned> {
  std::vector<unsigned> leaves;
  append_leaves(level_sizes(width), 0, 0, leaves);
  std::vector<unsigned> bits(width);
  for (unsigned bit = 0; bit < width; ++bit) {
    bits[leaves[bit]] = bit;
  }
  return bits;
}

auto joined(const Bits& x, const Bits& y) -> Bits {
  const std::array<Bits, 2> parts{x, y};
  return stack_planes(parts);
}

}  // namespace

auto less_of_bits(Party& party, Bits x, Bits y) -> Task<Bits> {
  const Party::Scope scope = party.scope("less_of_bits");
  // Of each range of bits: whether it is less, and whether it is equal. What is equal in the lowest
  // range does not matter: `equal` lacks place 0.
  const unsigned width = x.width();
  const std::vector<unsigned> order = bits_by_leaf(width);
  y = select_planes(y, order);
  const Bits different = exclusive_or(select_planes(x, order), y);
  Bits less = co_await conjunction(party, different, std::move(y));
  Bits equal;
  if (width > 1) {
    equal = party.protocol().complement(party, plane_range(different, 1, width - 1));
  }
  for (unsigned size = width; size > 1; size = (size + 1) / 2) {
    const unsigned n_low = (size + 1) / 2;
    const unsigned n_pairs = size / 2;
    // The high places' equality with what is less, and with what is equal, in the low ones.
    const Bits high_equal = plane_range(equal, n_low - 1, n_pairs);
    Bits left = high_equal;
    Bits right = plane_range(less, 0, n_pairs);
    if (n_pairs > 1) {
      left = joined(left, plane_range(high_equal, 1, n_pairs - 1));
      right = joined(right, plane_range(equal, 0, n_pairs - 1));
    }
    const Bits products = co_await conjunction(party, std::move(left), std::move(right));
    Bits next = exclusive_or(plane_range(less, n_low, n_pairs), plane_range(products, 0, n_pairs));
    Bits next_equal;
    if (n_pairs > 1) {
      next_equal = plane_range(products, n_pairs, n_pairs - 1);
    }
    if (n_low > n_pairs) {
      const Bits last_equal = plane_range(equal, n_low - 2, 1);
      next = joined(next, plane_range(less, n_low - 1, 1));
      next_equal = n_pairs > 1 ? joined(next_equal, last_equal) : last_equal;
    }
    less = std::move(next);
    equal = std::move(next_equal);
  }
  co_return less;
}

}  // namespace tacet::mpc
