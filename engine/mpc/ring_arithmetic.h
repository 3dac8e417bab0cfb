#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/mpc/ring_array.h"

/// Arithmetic on arrays modulo 2^k, element by element unless said. Operands have one ring, and one
/// size where there are two. Results come from the memory of the first operand.
namespace tacet::mpc {

[[nodiscard]] auto add(const RingArray& x, const RingArray& y) -> RingArray;
[[nodiscard]] auto subtract(const RingArray& x, const RingArray& y) -> RingArray;
[[nodiscard]] auto negate(const RingArray& x) -> RingArray;
[[nodiscard]] auto multiply(const RingArray& x, const RingArray& y) -> RingArray;
/// x + `constant`, x * `constant`.
[[nodiscard]] auto add_constant(const RingArray& x, Word128 constant) -> RingArray;
[[nodiscard]] auto scale(const RingArray& x, Word128 constant) -> RingArray;
/// x * y + z.
[[nodiscard]] auto multiply_add(const RingArray& x, const RingArray& y, const RingArray& z)
    -> RingArray;

/// Shifts by `distance` < bits of the ring; to the right with zeros or with the top bit.
[[nodiscard]] auto shift_left(const RingArray& x, unsigned distance) -> RingArray;
[[nodiscard]] auto shift_right(const RingArray& x, unsigned distance) -> RingArray;
[[nodiscard]] auto shift_right_arithmetic(const RingArray& x, unsigned distance) -> RingArray;
/// The low `n_bits` bits; the rest is zero.
[[nodiscard]] auto low_bits(const RingArray& x, unsigned n_bits) -> RingArray;

/// Which bits of a word are copied upwards when it is converted to a larger ring.
enum class Extend : bool { Zero, Sign };
/// Modulo another ring; to a larger one each word is taken as an unsigned or signed number.
[[nodiscard]] auto convert(const RingArray& x, Ring ring, Extend extend) -> RingArray;

/// Element i of the result is the sum of `x[i*length … (i+1)*length)`.
[[nodiscard]] auto sum_rows(const RingArray& x, size_t length) -> RingArray;
/// Element i of the result is the dot product of rows i, of `length` elements each.
[[nodiscard]] auto dot_rows(const RingArray& x, const RingArray& y, size_t length) -> RingArray;

/// Sizes of a product of matrices, stored by rows: rows × inner times inner × columns.
struct MatrixShape {
  size_t rows = 0;
  size_t inner = 0;
  size_t columns = 0;
};
/// The product of matrices. Blocked for caches and registers.
[[nodiscard]] auto multiply_matrices(const RingArray& x, const RingArray& y, MatrixShape shape)
    -> RingArray;

/// Element i of the result is x[indices[i]].
[[nodiscard]] auto gather(const RingArray& x, std::span<const uint32_t> indices) -> RingArray;
/// Element indices[i] of the result is x[i]; `indices` is a permutation.
[[nodiscard]] auto scatter(const RingArray& x, std::span<const uint32_t> indices) -> RingArray;
[[nodiscard]] auto slice(const RingArray& x, size_t begin, size_t n) -> RingArray;
[[nodiscard]] auto concatenate(std::span<const RingArray> arrays) -> RingArray;
/// Each element `count` times: x0 x0 … x1 x1 ….
[[nodiscard]] auto repeat_each(const RingArray& x, size_t count) -> RingArray;
/// The whole array `count` times.
[[nodiscard]] auto tile(const RingArray& x, size_t count) -> RingArray;

}  // namespace tacet::mpc
