#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/mpc/aby3_active/binary_field.h"
#include "engine/mpc/aby3_active/galois_ring.h"
#include "engine/mpc/ring_array.h"

/// Private to this folder: the loops of checks of products, over an algebra A, which is a
/// `GaloisRing` or a `BinaryField`.
namespace tacet::mpc {

/// The words or elements of both parts of shares.
template <class T>
struct PartsOf {
  const T* first = nullptr;
  const T* second = nullptr;
};

/// Pairs of `rows` rows, a row with itself among them.
constexpr auto n_pairs(size_t rows) -> size_t {
  return rows * (rows + 1) / 2;
}
/// The number of the pair a <= b.
constexpr auto pair_index(size_t a, size_t b) -> size_t {
  return b * (b + 1) / 2 + a;
}

/// Products of `rows` rows of `columns` words, row by row.
template <class A>
struct Block {
  PartsOf<typename A::Word> x;
  PartsOf<typename A::Word> y;
  size_t rows = 0;
  size_t columns = 0;
  const typename A::Weight* weights = nullptr;  ///< of columns
};

/// What a party can compute of sum_b weight_b (x_ab + x_cb) (y_ab + y_cb) for all pairs a < c, and
/// of sum_b weight_b x_ab y_ab: `n_pairs(rows)` elements. At most `kMostRows` rows.
constexpr size_t kMostRows = 32;
template <class A>
void multiply_rows(const Block<A>& block, typename A::Element* out);

/// out_a = sum_b weight_b x_ab.
template <class A>
void weigh_rows(const typename A::Word* x, size_t rows, size_t columns,
                const typename A::Weight* weights, typename A::Element* out);

/// The elements of sum_a weight_a x_ab, column by column: `A::kWordElements` for each.
template <class A>
void combine_rows(const typename A::Word* x, size_t rows, size_t columns,
                  const typename A::Weight* weights, typename A::Element* out);

/// What a party can compute of a dot product of `n` elements.
template <class A>
auto local_dot(PartsOf<typename A::Element> x, PartsOf<typename A::Element> y, size_t n) ->
    typename A::Element;

/// x_i := weight_i x_i.
template <class A>
void weigh_each(typename A::Element* x, size_t n, const typename A::Weight* weights);

/// sum_i += weight x_i.
template <class A>
void add_weighed(typename A::Element* sum, const typename A::Element* x, size_t n,
                 typename A::Weight weight);

}  // namespace tacet::mpc
