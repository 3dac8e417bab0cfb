#include "compiler/he/schedule/text.h"

#include <gtest/gtest.h>

#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "tests/array/random_program.h"
#include "tests/schedule/all_rings.h"
#include "tests/schedule/named_program.h"
#include "tests/schedule/random_case.h"

namespace tacet::schedule {
namespace {

TEST(ScheduleText, OfWhatTheSearchFindsReadsBack) {
  for (const char* name : {"distance_64", "conv_siso", "double_matmul", "set_union_16"}) {
    SCOPED_TRACE(name);
    array::Program program = named_program(name);
    Result<SearchResult> found = search(program, in_all_rings());
    ASSERT_TRUE(found.has_value()) << found.error().message;
    for (const Candidate& candidate : found->pareto) {
      Result<std::string> text = to_text(program, candidate.schedule);
      ASSERT_TRUE(text.has_value()) << text.error().message;
      Result<Schedule> read = parse_schedule(program, *text, candidate.schedule.n_columns);
      ASSERT_TRUE(read.has_value()) << *text << "\n" << read.error().message;
      EXPECT_EQ(*read, candidate.schedule) << *text;
    }
  }
}

TEST(ScheduleText, OfRandomSchedulesReadsBackToTheSameText) {
  size_t n_texts = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    RandomNumbers random(seed);
    array::Program program = random_program(random);
    Schedule schedule = random_schedule(program, random);
    if (!check(program, schedule)) {
      continue;
    }
    Result<std::string> text = to_text(program, schedule);
    if (!text) {
      continue;  // a dimension that no site reads along has no place in the text
    }
    Result<Schedule> read = parse_schedule(program, *text);
    ASSERT_TRUE(read.has_value()) << *text << "\n" << read.error().message;
    Status status = check(program, *read);
    EXPECT_TRUE(status.has_value()) << *text << "\n" << status.error().message;
    Result<std::string> again = to_text(program, *read);
    ASSERT_TRUE(again.has_value()) << *text << "\n" << again.error().message;
    Result<Schedule> read_again = parse_schedule(program, *again);
    ASSERT_TRUE(read_again.has_value());
    EXPECT_EQ(*read, *read_again) << *text << "\n" << *again;
    ++n_texts;
  }
  EXPECT_GT(n_texts, 200U);
}

/// The stage's text holds the program too.
TEST(ScheduledText, OfWhatTheSearchFindsReadsBackToTheSameText) {
  RingCost ring = published_rings().front();
  ring.n_columns = 64;
  SearchOptions options;
  options.n_epochs = 1;
  options.rings = {ring};
  size_t n_texts = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const array::RandomProgram random =
        array::random_program(seed, {.max_extent = 4, .max_rank = 2, .depth = 4});
    const std::optional<array::Program> program = program_of(random.path, random.text);
    Result<SearchResult> found = program ? search(*program, options) : Error{"no program"};
    if (!found) {
      continue;
    }
    Result<std::string> text = scheduled_text(*program, found->best.schedule);
    if (!text) {
      continue;  // a dimension that no site reads along has no place in the text
    }
    Result<ScheduledProgram> read = parse_scheduled(*text);
    ASSERT_TRUE(read.has_value()) << *text << "\n" << read.error().message;
    EXPECT_EQ(read->schedule, found->best.schedule) << *text;
    EXPECT_EQ(scheduled_text(read->program, read->schedule).value(), *text);
    ++n_texts;
  }
  EXPECT_GT(n_texts, 80U);
}

TEST(ScheduledText, SaysWhereItIsWrong) {
  const std::string program = "input a: [4] from client\nout[i: 4] = a[i] * a[i]\n\n";
  const auto fault = [&](const std::string& rest) {
    Result<ScheduledProgram> read = parse_scheduled(program + rest);
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(fault("columns 64\nschedule { a: [0: 4] }\n"), "");
  EXPECT_EQ(fault(""), "line 4, column 1: expected `columns N`, followed by a schedule");
  EXPECT_EQ(fault("columns 63\n"),
            "line 4, column 9: the number of columns must be a power of two");
  EXPECT_EQ(fault("columns x\n"), "line 4, column 9: the number of columns must be a power of two");
  EXPECT_EQ(fault("columns 64\n").substr(0, 7), "line 4,");
  EXPECT_EQ(fault("columns 64\nschedule { a: [0: 4 }").substr(0, 8), "line 5, ");
  EXPECT_EQ(fault("columns 64\nschedule {\n  a: [7: 4]\n}").substr(0, 18), "line 6, column 7: ");
  EXPECT_EQ(fault("columns 2\nschedule { a: [0: 4] }").substr(0, 8), "line 5, ");
}

auto fault_of(const std::string& text) -> std::string {
  Result<Schedule> read = parse_schedule(named_program("distance_64"), text);
  return read ? "" : read.error().message;
}

TEST(ScheduleText, LeavesWhatItDoesNotMentionExploded) {
  array::Program program = named_program("distance_64");
  Result<Schedule> read = parse_schedule(program, "schedule { tests: [0: 64] }");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->n_columns, 64U);
  EXPECT_EQ(read->statements[0].axes.size(), 1U);
  EXPECT_EQ(read->statements[0].exploded.size(), program.statements[0].dims.size() - 1);
}

TEST(ScheduleText, FaultsAreNamed) {
  EXPECT_EQ(fault_of("schedule { tests: [7: 64] }"),
            "in the schedule of `tests`: unknown dimension `7`; expected one of 0 (`i`), 1 (`j`)");
  EXPECT_EQ(fault_of("schedule { tests: spin(1, 0) [0: 64] }"),
            "in the schedule of `tests`: expected `roll`, `rows` or `rows_roll`, found `spin`");
  EXPECT_EQ(fault_of("schedule { tests: roll(1) [0: 64] }"),
            "in the schedule of `tests`: `roll` takes pairs of dimensions");
  EXPECT_EQ(fault_of("schedule { tests: [0: 0] }"),
            "in the schedule of `tests`: `0: 0` is not a tile");
  EXPECT_EQ(fault_of("schedule { point: [0: 64], tests: [0: 64, 1: 64] }"),
            "in the schedule of `tests`: its axes differ from those of the entries before it");
  EXPECT_EQ(fault_of("schedule { nothing: [0: 64] }"),
            "array `nothing` is not read; expected one of `point`, `tests`");
  EXPECT_EQ(fault_of("schedule { point: [0: 64], point: [0: 64] }"),
            "there are 2 entries for `point`, which is read once");
  EXPECT_EQ(fault_of("schedule { tests: [0: 64 }").substr(0, 31),
            "the schedule cannot be parsed: ");
}

}  // namespace
}  // namespace tacet::schedule
