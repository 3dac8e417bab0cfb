#pragma once

#include <cstdint>

/// How a product of matrices becomes products of polynomials (`engine/masked_products`): in blocks.
/// The product of the polynomials of a block of the left matrix and of one of the right matrix has
/// the elements of the product of the blocks among its coefficients.
namespace tacet::mpc_model {

struct MatrixSize {
  uint64_t rows = 0;
  uint64_t inner = 0;
  uint64_t columns = 0;
};

/// Which matrix its owner encrypts.
enum class EncryptedMatrix : uint8_t { Left, Right };

/// Coefficients of a polynomial.
constexpr uint64_t kPolynomialSize = 8192;
/// Blocks along the inner dimension that are encrypted before something is sent back. What is
/// longer is cut into slices, so that encryptions that wait take no more than a gigabyte.
constexpr uint64_t kBlocksOfSlice = 64;
/// Encryptions, or replies, that are sent together.
constexpr uint64_t kBlocksTogether = 16;

/// If the right matrix is encrypted, all this is of the transposed problem: right' times left' is
/// the transpose of left times right.
struct MatrixBlocks {
  EncryptedMatrix encrypted = EncryptedMatrix::Left;
  MatrixSize size;   ///< of all
  MatrixSize block;  ///< rows · inner · columns ≤ 8192

  [[nodiscard]] auto n_row_blocks() const -> uint64_t;
  [[nodiscard]] auto n_inner_blocks() const -> uint64_t;
  [[nodiscard]] auto n_column_blocks() const -> uint64_t;
  [[nodiscard]] auto n_slices() const -> uint64_t;
  /// The most products that a number of a reply is the sum of.
  [[nodiscard]] auto n_terms() const -> uint64_t;
};

/// The blocks with which the fewest bytes are sent. `size` has no zero.
auto choose_matrix_blocks(MatrixSize size) -> MatrixBlocks;

/// Bytes of an encryption of 8192 numbers modulo one plain modulus: a seed and four rows of 46
/// bits a number; and of a reply, of which `n_wanted` numbers can be opened: two rows for its
/// second half, and for each of these.
auto encryption_bytes() -> uint64_t;
auto reply_bytes(uint64_t n_wanted) -> uint64_t;
/// Plain moduli of 43 bits for sums of `n_terms` products of two numbers of `bits` bits, with a
/// mask that is longer by 81 bits.
auto n_plain_moduli(unsigned bits, uint64_t n_terms) -> uint64_t;

}  // namespace tacet::mpc_model
