#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "compiler/device/array/program.h"
#include "compiler/he/schedule/schedule.h"

namespace tacet::schedule {

/// Whether `schedule` lays out `program`, which is what holds of it whatever is read where:
///
/// * one structure for each statement; `n_columns` and extents of axes are powers of two; the
///   column axes fit into a row; at most one row axis, the first, of extent 2;
/// * the tiles of each dimension give each of its values exactly once: by increasing stride, the
///   first has stride 1, each following one the extent times the stride of the one before it, and
///   all but the last are needed whole;
/// * tiles on one axis are of dimensions that no expression depends on together;
/// * a roll's dimension is exploded and untiled, is reduced, and is not rolled by another; what it
///   is rolled by is the one tile of its dimension, fills the outermost column axis, and has the
///   same extent; it is not reduced where the rolled dimension is still there; and a site with
///   both covers the array's dimensions that it reads them in from end to end.
///
/// `make_circuit` may still reject a valid schedule, if a statement cannot read what an earlier one
/// left. Errors name the statement and the dimension.
auto check(const array::Program& program, const Schedule& schedule) -> Status;

/// What is wrong with the schedule of one statement, and with which of its dimensions, if it is
/// one.
struct Fault {
  size_t statement = 0;
  std::optional<array::DimId> dim;
  std::string reason;
};

/// The first that `check` finds, of a schedule with a power of two of columns and as many
/// statements as the program.
auto find_fault(const array::Program& program, const Schedule& schedule) -> std::optional<Fault>;

/// `check` of one statement, the program's `index`-th.
auto check_statement(const array::Program& program, size_t index, const StatementSchedule& schedule,
                     uint32_t n_columns) -> Status;

/// The columns that the axes of its largest statement take.
auto n_columns_of(const Schedule& schedule) -> int64_t;

}  // namespace tacet::schedule
