#pragma once

#include <vector>

#include "compiler/he/schedule/cost.h"
#include "compiler/he/schedule/transform.h"

namespace tacet::schedule {

/// What schedules of a statement cost at least: cheap, and at most the time of every schedule that
/// steps of the search lead to.
///
/// Plaintext values, and constants whatever is read, count nothing. A product of ciphertexts, and
/// the result, need at least a vector for each full vector of elements; tiles on axes stay there,
/// so what is left for the exploded ones of an expression are the slots of axes that none of its
/// dimensions uses. Sums and products over tiles on axes take their rotations once at least, for
/// each axis; but not sums that may be left to the client (`final_sums.h`).
class LowerBound {
 public:
  /// `is_cipher` says which arrays are.
  LowerBound(const array::Program& program, size_t statement, const std::vector<bool>& is_cipher);

  /// Over all rings with enough columns and depth for the statement; those with the same columns
  /// follow each other.
  [[nodiscard]] auto of(const StatementSchedule& schedule, const std::vector<RingCost>& rings) const
      -> double;

 private:
  [[nodiscard]] auto least_products(const StatementSchedule& schedule, int64_t n_slots) const
      -> int64_t;

  const array::Statement& statement_;
  /// The free dimensions of products of ciphertexts. Those of one list differ only in their
  /// dimensions, and so may become one.
  std::vector<std::vector<DimSet>> products_;
  DimSet reduced_ = 0;      ///< dimensions over which ciphertexts are reduced
  double least_depth_ = 0;  ///< of the statement alone
  DimSet root_ = 0;
  bool is_root_cipher_ = false;
  bool is_last_ = false;
};

/// By statement: at least so many products of ciphertexts follow each other on the way from its
/// result to the program's output.
auto depths_to_output(const array::Program& program, const std::vector<bool>& is_cipher)
    -> std::vector<int64_t>;

/// The dimensions of a statement that nothing secret depends on, nor its result: exploded they cost
/// nothing that is counted.
auto clear_dims(const array::Statement& statement, const std::vector<bool>& is_cipher) -> DimSet;

/// By array: whether it is the client's or computed from that.
auto cipher_arrays(const array::Program& program) -> std::vector<bool>;

}  // namespace tacet::schedule
