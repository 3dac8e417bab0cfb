#include "engine/mpc_model/matrix_blocks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacet::mpc_model {
namespace {

auto divide_up(uint64_t a, uint64_t b) -> uint64_t {
  return (a + b - 1) / b;
}

/// Whether a smaller part would not need more of them.
auto is_wasteful(uint64_t whole, uint64_t part) -> bool {
  return divide_up(whole, divide_up(whole, part)) != part;
}

/// What a pair of parties sends for each plain modulus, in both directions.
auto bytes_of(const MatrixBlocks& blocks) -> uint64_t {
  const uint64_t n_replies = blocks.n_slices() * blocks.n_column_blocks();
  return blocks.n_row_blocks() *
         (blocks.n_inner_blocks() * encryption_bytes() +
          n_replies * reply_bytes(blocks.block.rows * blocks.block.columns));
}

}  // namespace

auto MatrixBlocks::n_row_blocks() const -> uint64_t {
  return divide_up(size.rows, block.rows);
}
auto MatrixBlocks::n_inner_blocks() const -> uint64_t {
  return divide_up(size.inner, block.inner);
}
auto MatrixBlocks::n_column_blocks() const -> uint64_t {
  return divide_up(size.columns, block.columns);
}
auto MatrixBlocks::n_slices() const -> uint64_t {
  return divide_up(n_inner_blocks(), kBlocksOfSlice);
}
auto MatrixBlocks::n_terms() const -> uint64_t {
  return std::min(size.inner, kBlocksOfSlice * block.inner);
}

auto choose_matrix_blocks(MatrixSize size) -> MatrixBlocks {
  MatrixBlocks best;
  uint64_t least = ~uint64_t{0};
  for (const EncryptedMatrix encrypted : {EncryptedMatrix::Left, EncryptedMatrix::Right}) {
    MatrixBlocks blocks{.encrypted = encrypted, .size = size, .block = {}};
    for (uint64_t inner = 1; inner <= std::min(size.inner, kPolynomialSize); ++inner) {
      if (is_wasteful(size.inner, inner)) {
        continue;
      }
      for (uint64_t columns = 1; columns <= std::min(size.columns, kPolynomialSize / inner);
           ++columns) {
        if (is_wasteful(size.columns, columns)) {
          continue;
        }
        const uint64_t rows = std::min(size.rows, kPolynomialSize / (inner * columns));
        blocks.block = {divide_up(size.rows, divide_up(size.rows, rows)), inner, columns};
        if (const uint64_t bytes = bytes_of(blocks); bytes < least) {
          least = bytes;
          best = blocks;
        }
      }
    }
    std::swap(size.rows, size.columns);
  }
  return best;
}

auto encryption_bytes() -> uint64_t {
  return 32 + kPolynomialSize * 4 * 46 / 8;
}

auto reply_bytes(uint64_t n_wanted) -> uint64_t {
  return (kPolynomialSize + divide_up(n_wanted, 64) * 64) * 2 * 46 / 8;
}

auto n_plain_moduli(unsigned bits, uint64_t n_terms) -> uint64_t {
  const auto term_bits = static_cast<unsigned>(std::bit_width(n_terms - 1));
  return ((bits == 1 ? 0 : 2 * bits) + term_bits + 126) / 43;
}

}  // namespace tacet::mpc_model
