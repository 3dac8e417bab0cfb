#include "engine/mpc/ring_loops.h"

#include <algorithm>

namespace tacet::mpc {

namespace {

/// Blocks of so many rows of `y` and of so many words of each stay in the cache of the second
/// level.
constexpr size_t kInnerBlock = 128;
constexpr size_t kColumnBlock = 256;

template <class T>
void add_product(const T* x, const T* y, T* out, MatrixShape shape) {
  for (size_t k0 = 0; k0 < shape.inner; k0 += kInnerBlock) {
    const size_t k1 = std::min(k0 + kInnerBlock, shape.inner);
    for (size_t j0 = 0; j0 < shape.columns; j0 += kColumnBlock) {
      const size_t j1 = std::min(j0 + kColumnBlock, shape.columns);
      for (size_t i = 0; i < shape.rows; ++i) {
        T* to = out + i * shape.columns;
        for (size_t k = k0; k < k1; ++k) {
          const T factor = x[i * shape.inner + k];
          const T* row = y + k * shape.columns;
          for (size_t j = j0; j < j1; ++j) {
            to[j] += factor * row[j];
          }
        }
      }
    }
  }
}

}  // namespace

void add_matrix_product(const uint32_t* x, const uint32_t* y, uint32_t* out, MatrixShape shape) {
  add_product(x, y, out, shape);
}
void add_matrix_product(const uint64_t* x, const uint64_t* y, uint64_t* out, MatrixShape shape) {
  add_product(x, y, out, shape);
}
void add_matrix_product(const Word128* x, const Word128* y, Word128* out, MatrixShape shape) {
  add_product(x, y, out, shape);
}

}  // namespace tacet::mpc
