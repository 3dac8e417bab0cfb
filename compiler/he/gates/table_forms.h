#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/device/kernel/kernel.h"

namespace tacet::gates {

/// A read of an array whose elements are known, at an index that is not.
struct TableRead {
  kernel::ExprId expr;
  engine::ElementType index_type;
  engine::ElementType type;
  size_t first = 0;                    ///< the least index that is possible
  std::vector<engine::Cell> values{};  ///< at all that are

  friend auto operator==(const TableRead&, const TableRead&) -> bool = default;
};

/// An expression of the index that is what a table has, at every index that is possible.
struct TableForm {
  size_t n_bootstraps_of_table = 0;
  size_t n_bootstraps = 0;  ///< less
  size_t n_mentions = 0;    ///< of the index in the text
  std::string text{};       ///< in parentheses if it is more than a number
};

/// The cheapest form of a table, if there is one that is known and costs less: a constant, a linear
/// function of the index or of some of its bits, a square, a mask, an exclusive or with a constant,
/// a parity or number of bits, or one of two linear functions, left and right of an index.
///
/// Both are lowered and optimised by themselves, for any index in the range, and the form's circuit
/// is evaluated for all of them: what is not equal everywhere is no form. `index` is the text of
/// the index.
auto cheaper_form(const TableRead& read, const std::string& index) -> std::optional<TableForm>;

}  // namespace tacet::gates
