#pragma once

#include <vector>

#include "compiler/device/oblivious/rewrite.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

/// What is looked for: an element, or a part, of an array.
struct Access {
  kernel::ExprId array;                 ///< what is scanned
  std::vector<kernel::ExprId> indices;  ///< secret ones are literals or variables of `i64`
  std::vector<bool> is_secret;          ///< by index; one at least is
};

/// Writes the scans of `scan_accesses`. Loops count from 0 to the extents; their statements are put
/// behind what a block already has.
class ScanWriter {
 public:
  explicit ScanWriter(Writer& writer) : writer_(writer) {}

  /// One scan over a single dimension, or the outermost of several.
  struct Scan {
    kernel::StatementId loop;
    kernel::VariableId counter;
    std::vector<kernel::StatementId> before;  ///< what it needs in front
  };

  /// Adds up what `access` means in `picked`, which is 0 in front of the loop.
  auto read(const Access& access, kernel::VariableId picked) -> Scan;
  /// The same for one scanned dimension inside of a loop over it.
  auto read_part(const Access& access, kernel::VariableId picked, kernel::VariableId counter)
      -> kernel::StatementId;

  /// How an element that was found becomes another.
  enum class Update : uint8_t { Replace, Add, Subtract };
  /// Gives what `access` means in the array `array` the value `value`, or adds it.
  auto write(kernel::VariableId array, const Access& access, uint64_t lenient, kernel::ExprId value,
             Update update) -> Scan;
  auto write_part(kernel::VariableId array, const Access& access, uint64_t lenient,
                  kernel::ExprId value, Update update, kernel::VariableId counter)
      -> kernel::StatementId;

  /// The sum as an expression, for where no statement may stand.
  auto expression(const Access& access) -> kernel::ExprId;
  /// `rotate(operand, by)` as a sum over all distances, by statements or as an expression. `by` is
  /// at least 0 and less than the extent.
  auto rotation(kernel::ExprId operand, kernel::ExprId by, kernel::VariableId picked) -> Scan;
  auto rotation(kernel::ExprId operand, kernel::ExprId by) -> kernel::ExprId;

  /// What a scan for `access` costs.
  [[nodiscard]] auto cost(const Access& access) const -> RewriteCost;

 private:
  auto extent(const Access& access, size_t dimension) const -> int64_t;
  auto is_at(kernel::VariableId counter, kernel::ExprId index) -> kernel::ExprId;
  auto term(kernel::ExprId is_here, kernel::ExprId value) -> kernel::ExprId;
  auto add_to(kernel::VariableId picked, kernel::ExprId is_here, kernel::ExprId value)
      -> kernel::StatementId;
  /// Moves `access` to the place of `counter` in the one dimension that is scanned; returns whether
  /// the access is there.
  auto move_to(kernel::VariableId counter, Access& access) -> kernel::ExprId;
  auto part(const Access& access) -> kernel::ExprId;
  auto hits(const Access& access, Scan& scan) -> std::vector<kernel::ExprId>;
  auto loop_over(const Access& access, size_t dimension, kernel::VariableId counter,
                 kernel::Block body) -> kernel::StatementId;
  auto update(kernel::VariableId array, const Access& access, uint64_t lenient,
              kernel::ExprId is_here, kernel::ExprId value, Update update) -> kernel::StatementId;

  Writer& writer_;
};

}  // namespace tacet::oblivious
