#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/core/syntax/tree.h"
#include "compiler/he/schedule/schedule.h"

/// Schedules as `schedule { … }` clauses of device functions write them.
///
/// There is an entry for each site, in the program's order, by its array's name: the k-th entry of
/// a name is for the k-th site of that array.
///
///     schedule { point: rows {1 as j: 2::2}[1: 2, 0: 64], tests: rows {1 as j: 2::2}[1: 2, 0: 64]
///     }
///
/// Dimensions are numbered as the site's statement numbers them. In braces are the exploded tiles
/// of the site's dimensions, in brackets, for each axis of the statement, outermost first, a tile
/// on it: of a dimension of the site if there is one, else of another, along which the site's
/// elements are the same. In front may stand `roll(a, b)`, a being read as a + b, with a pair for
/// each roll; `rows`, if the first axis is the row axis; or `rows_roll(a, b)`.
///
/// Axes are as long as the longest of their tiles needs, and axes without tiles are not written. A
/// dimension that no entry mentions is exploded. The number of columns is not written.
namespace tacet::schedule {

/// An error if an axis has a tile of a dimension that no site reads along.
auto to_text(const array::Program& program, const Schedule& schedule) -> Result<std::string>;

/// Reads a `schedule` of the syntax tree, for vectors with rows of `n_columns`, or, if that is 0,
/// of as many as the widest statement needs. Errors say which entry is wrong, and `at` is then the
/// node that is; `check` decides whether the result is valid.
auto read_schedule(const array::Program& program, syntax::Node schedule, uint32_t n_columns = 0,
                   syntax::Node* at = nullptr) -> Result<Schedule>;

/// The same of the text of a `schedule`.
auto parse_schedule(const array::Program& program, std::string_view text, uint32_t n_columns = 0)
    -> Result<Schedule>;

}  // namespace tacet::schedule
