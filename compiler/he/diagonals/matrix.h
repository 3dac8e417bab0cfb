#pragma once

#include <cstdint>
#include <vector>

#include "compiler/he/diagonals/linear_form.h"
#include "compiler/he/schedule/circuit_writer.h"

/// Maps between whole arrays as products of vectors with diagonals of their matrices.
///
/// An array is in one vector: the element with the (row-major) number f is in each slot whose
/// number is f modulo a power of two, the *period*. With inputs of period A, outputs of period B
/// and
///
///     y[t] = sum over q of x[t + q] * M[q][t]
///
/// slot t has a part of output t mod B, from the inputs (t + q) mod A: all of it for min(A, B)
/// values of q if A <= B, else the rest is in the slots t + B, t + 2 B, …, which are added by
/// rotations. Halevi and Shoup (Algorithms in HElib, section 4) have B = A; the rest is what
/// Juvekar, Vaikuntanathan and Chandrakasan call hybrid (GAZELLE, section 4).
///
/// A vector has N >= A, B slots. Where x comes from the client, its copies are *shifted*: with S =
/// max(A, B) and Q = A * B / N, copy r of S slots begins Q * r elements later. Then Q values of q
/// are enough, since copy r has what the others lack; the sum over all copies is what the output
/// is. (Slots whose q leads into the next copy find elements that are Q further, and so for every
/// r, so that all copies together still have each element once.)
namespace tacet::diagonals {

/// The part of a vector that an array takes.
struct Placing {
  std::vector<int64_t> extents;
  int64_t period = 1;
};

/// For an array of these extents.
auto placing_of(std::vector<int64_t> extents) -> Placing;

/// How a matrix is multiplied by.
struct Product {
  int64_t n_diagonals = 1;
  int64_t segment = 1;   ///< S
  int64_t n_copies = 1;  ///< that are shifted by `n_diagonals` each; 1 if none is
};

/// `n_columns` is a power of two, at least the periods.
auto product_of(const Placing& input, const Placing& output, int64_t n_columns, bool is_shifted)
    -> Product;

/// What a statement writes is in terms of its shape.
struct Target {
  const array::Program& program;
  const array::Statement& statement;
  Placing placing;
};

/// The circuit's number of an array that is no computed one.
using ArrayNumbers = std::vector<uint32_t>;

/// The client's array, once or in shifted copies.
auto input_vector(const array::Program& program, array::ArrayId array, const Placing& placing,
                  const Product& product, const ArrayNumbers& numbers,
                  schedule::CircuitWriter& writer) -> circuit::NodeId;

/// What slots have that have no element.
enum class Padding : uint8_t {
  Zero,
  Any,  ///< of a constant its number, so that all slots are alike
};

/// The public terms of a form: their numbers, and the padding in slots that have no element.
auto public_vector(const Target& target, const std::vector<Term>& terms, Padding padding,
                   const ArrayNumbers& numbers, schedule::CircuitWriter& writer) -> circuit::NodeId;

/// The sum of terms that read one secret array, which is in `x`.
auto mapped(const Target& target, const std::vector<Term>& terms, circuit::NodeId x,
            const Placing& input, const Product& product, const ArrayNumbers& numbers,
            schedule::CircuitWriter& writer) -> circuit::NodeId;

}  // namespace tacet::diagonals
