#include "compiler/he/schedule/check.h"

#include <gtest/gtest.h>

#include "compiler/he/schedule/make_circuit.h"

namespace tacet::schedule {
namespace {

using array::DimId;
using array::ExprId;

constexpr DimId kRow{0};
constexpr DimId kColumn{1};

/// out[i] = sum over j of matrix[i, j] * vector[j], 4 by 4.
auto matrix_times_vector() -> array::Program {
  array::Program program;
  array::ArrayId matrix = program.arrays.add({"matrix", {4, 4}, array::Owner::Server, {}, {}});
  array::ArrayId vector = program.arrays.add({"vector", {4}, array::Owner::Client, {}, {}});
  array::Statement statement;
  statement.dims.add({"i", 4});
  statement.dims.add({"j", 4});
  auto index = [](DimId dim) { return array::ArrayIndex{0, {{dim, 1, false, 0}}}; };
  ExprId a = statement.exprs.add({array::Site{matrix, {index(kRow), index(kColumn)}}, {}});
  ExprId b = statement.exprs.add({array::Site{vector, {index(kColumn)}}, {}});
  ExprId product = statement.exprs.add({array::Operation{array::Operator::Multiply, a, b}, {}});
  statement.root =
      statement.exprs.add({array::Reduction{array::Operator::Add, kColumn, product}, {}});
  statement.shape = {kRow};
  statement.result = program.arrays.add({"out", {4}, array::Owner::Computed, {}, {}});
  program.statements.push_back(statement);
  return program;
}

/// Why this is no schedule of the matrix and the vector; empty if it is one.
auto fault(const StatementSchedule& statement, uint32_t n_columns = 64) -> std::string {
  array::Program program = matrix_times_vector();
  Schedule schedule{n_columns, {statement}};
  Status status = check(program, schedule);
  EXPECT_EQ(make_circuit(program, schedule).has_value(), status.has_value());
  return status ? "" : status.error().message;
}

TEST(Check, AcceptsRowsInSlotsAndDiagonals) {
  EXPECT_EQ(fault({{}, {{4, false, {{kRow, 4, 1}}}, {4, false, {{kColumn, 4, 1}}}}, {}}), "");
  EXPECT_EQ(
      fault({{{kColumn, 2, 2}}, {{2, true, {{kColumn, 2, 1}}}, {4, false, {{kRow, 4, 1}}}}, {}}),
      "");
  EXPECT_EQ(fault({{{kColumn, 4, 1}}, {{4, false, {{kRow, 4, 1}}}}, {{kColumn, kRow}}}), "");
}

TEST(Check, WantsEachValueOfADimensionOnce) {
  EXPECT_EQ(fault({{{kRow, 4, 1}}, {}, {}}),
            "in the schedule of `out`: the tiles of `j` cover 0 of its 4 values");
  EXPECT_EQ(fault({{{kRow, 4, 1}, {kColumn, 2, 1}}, {}, {}}),
            "in the schedule of `out`: the tiles of `j` cover 2 of its 4 values");
  EXPECT_EQ(fault({{{kRow, 4, 1}, {kColumn, 2, 1}, {kColumn, 2, 1}}, {}, {}}),
            "in the schedule of `out`: the tiles of `j` do not cover each value exactly once");
  EXPECT_EQ(fault({{{kRow, 4, 1}, {kColumn, 4, 1}, {kColumn, 2, 4}}, {}, {}}),
            "in the schedule of `out`: the tiles of `j` do not cover each value exactly once");
}

TEST(Check, WantsAxesThatNumberSlots) {
  EXPECT_EQ(fault({{{kRow, 4, 1}}, {{6, false, {{kColumn, 4, 1}}}}, {}}),
            "in the schedule of `out`: an axis has extent 6, which is not a power of two");
  EXPECT_EQ(fault({{{kRow, 4, 1}}, {{2, false, {{kColumn, 4, 1}}}}, {}}),
            "in the schedule of `out`: a tile of `j` is longer than its axis");
  EXPECT_EQ(fault({{}, {{4, false, {{kRow, 4, 1}}}, {4, false, {{kColumn, 4, 1}}}}, {}}, 8),
            "in the schedule of `out`: the axes do not fit in 8 columns");
  EXPECT_EQ(fault({{{kRow, 4, 1}}, {{4, true, {{kColumn, 4, 1}}}}, {}}),
            "in the schedule of `out`: the row axis must be the first and have extent 2");
  EXPECT_EQ(fault({{}, {{4, false, {{kRow, 4, 1}, {kColumn, 4, 1}}}}, {}}),
            "in the schedule of `out`: `i` and `j` share an axis but are needed at the same time");
}

TEST(Check, WantsRollsAlongTheOutermostColumns) {
  EXPECT_EQ(
      fault({{}, {{4, false, {{kRow, 4, 1}}}, {4, false, {{kColumn, 4, 1}}}}, {{kColumn, kRow}}}),
      "in the schedule of `out`: `j` is rolled but not fully exploded");
  EXPECT_EQ(fault({{{kColumn, 4, 1}}, {{8, false, {{kRow, 4, 1}}}}, {{kColumn, kRow}}}),
            "in the schedule of `out`: `j` is rolled by `i`, which does not fill the outermost "
            "column axis");
  EXPECT_EQ(fault({{{kRow, 4, 1}}, {{4, false, {{kColumn, 4, 1}}}}, {{kRow, kColumn}}}),
            "in the schedule of `out`: `i` is rolled but not reduced");
}

TEST(Check, WantsAScheduleOfTheSameProgram) {
  array::Program program = matrix_times_vector();
  EXPECT_EQ(check(program, {64, {}}).error().message,
            "the schedule has 0 statements, but the program has 1");
  EXPECT_EQ(check(program, {48, {{}}}).error().message,
            "the schedule has 48 columns, which is not a power of two");
}

}  // namespace
}  // namespace tacet::schedule
