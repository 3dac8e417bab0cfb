#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/mpc/ring_arithmetic.h"

/// Private to engine/mpc: the product of matrices, compiled once for each instruction set. A tile
/// of the result stays in registers while it takes in a block of the inner dimension, of which a
/// strip of y stays in the cache.
namespace tacet::mpc {
namespace {

constexpr size_t kTileRows = 4;
constexpr size_t kInnerBlock = 256;

/// `kRows` × kColumns words of the result.
template <size_t kRows, size_t kColumns, class T>
[[gnu::always_inline]] inline void add_tile(const T* x, size_t x_stride, const T* y,
                                            size_t y_stride, T* out, size_t out_stride,
                                            size_t inner) {
  T sums[kRows][kColumns] = {};
  for (size_t k = 0; k < inner; ++k) {
    const T* row = y + k * y_stride;
    for (size_t i = 0; i < kRows; ++i) {
      const T factor = x[i * x_stride + k];
      for (size_t j = 0; j < kColumns; ++j) {
        sums[i][j] += factor * row[j];
      }
    }
  }
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      out[i * out_stride + j] += sums[i][j];
    }
  }
}

/// What does not fill a tile.
template <class T>
void add_rest(const T* x, size_t x_stride, const T* y, size_t y_stride, T* out, size_t out_stride,
              size_t rows, size_t columns, size_t inner) {
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      const T factor = x[i * x_stride + k];
      for (size_t j = 0; j < columns; ++j) {
        out[i * out_stride + j] += factor * y[k * y_stride + j];
      }
    }
  }
}

template <size_t kColumns, class T>
void add_product(const T* x, const T* y, T* out, MatrixShape shape) {
  const size_t tiled_rows = shape.rows / kTileRows * kTileRows;
  const size_t tiled_columns = shape.columns / kColumns * kColumns;
  for (size_t k = 0; k < shape.inner; k += kInnerBlock) {
    const size_t inner = std::min(kInnerBlock, shape.inner - k);
    const T* left = x + k;
    const T* right = y + k * shape.columns;
    for (size_t j = 0; j < tiled_columns; j += kColumns) {
      for (size_t i = 0; i < tiled_rows; i += kTileRows) {
        add_tile<kTileRows, kColumns>(left + i * shape.inner, shape.inner, right + j, shape.columns,
                                      out + i * shape.columns + j, shape.columns, inner);
      }
    }
    add_rest(left, shape.inner, right + tiled_columns, shape.columns, out + tiled_columns,
             shape.columns, tiled_rows, shape.columns - tiled_columns, inner);
    add_rest(left + tiled_rows * shape.inner, shape.inner, right, shape.columns,
             out + tiled_rows * shape.columns, shape.columns, shape.rows - tiled_rows,
             shape.columns, inner);
  }
}

}  // namespace
}  // namespace tacet::mpc
