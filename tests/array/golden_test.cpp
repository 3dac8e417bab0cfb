// The programs of this folder beside what they become: `NAME.array` holds the array program with no
// `let` inlined, then, where that is another one, with all of them, and that with clear factors
// first; or what is wrong.
// In `ranges`, the interval of each expression is next to a program.
// UPDATE_GOLDEN=1 writes them anew: read the difference.

#include "tests/harness/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/line_index.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/device/array/clear_factors.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/intervals.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"
#include "tests/harness/files.h"

namespace tacet::array {
namespace {

/// The program of a `.tlhe` file, else the last device function, else the last `val`.
auto item_to_lower(const program::FrontendSnapshot& snapshot, FileId file) -> names::ItemId {
  names::ItemId found;
  for (names::ItemKind kind :
       {names::ItemKind::Val, names::ItemKind::Fn, names::ItemKind::Program}) {
    for (const names::FileItem& item : snapshot.items(file)->items) {
      found = item.kind == kind ? item.id : found;
    }
  }
  return found;
}

auto diagnostics_text(const std::string& text, const std::vector<Diagnostic>& diagnostics)
    -> std::string {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    TextRange range = diagnostic.place.range;
    auto line = 1 + std::count(text.begin(), text.begin() + range.begin, '\n');
    result += fmt::format("{} line {}: {}\n  at: {}\n", code_name(diagnostic.code), line,
                          diagnostic.message, text.substr(range.begin, range.end - range.begin));
    for (const std::string& note : diagnostic.notes) {
      result += fmt::format("  note: {}\n", note);
    }
  }
  return result;
}

/// A program that has no errors, and the item of it to look at.
class CheckedFile {
 public:
  CheckedFile(const std::string& path, const std::string& text)
      : file_(frontend_.set_file(path, text)), snapshot_(frontend_.snapshot()) {
    for (const Diagnostic& diagnostic : snapshot_.diagnostics(file_, program::Until::Types)) {
      if (diagnostic.severity == Severity::Error) {
        ADD_FAILURE() << path << ": " << code_name(diagnostic.code) << " " << diagnostic.message;
      }
    }
  }

  [[nodiscard]] auto snapshot() const -> const program::FrontendSnapshot& { return snapshot_; }
  [[nodiscard]] auto item() const -> names::ItemId { return item_to_lower(snapshot_, file_); }

 private:
  program::Frontend frontend_;
  FileId file_;
  program::FrontendSnapshot snapshot_;
};

auto lowered_text(const std::string& path, const std::string& text) -> std::string {
  CheckedFile file(path, text);
  Lowering none = lower(file.snapshot(), file.item());
  if (!none.program) {
    return diagnostics_text(text, none.diagnostics);
  }
  size_t n_lets = find_lets(file.snapshot(), file.item()).size();
  Lowering all = lower(file.snapshot(), file.item(), InliningChoice::all(n_lets));
  EXPECT_TRUE(all.program) << path;
  EXPECT_EQ(find_fault(*none.program), "") << path;
  EXPECT_EQ(find_fault(*all.program), "") << path;
  for (const Lowering* lowering : {&none, &all}) {
    Result<Program> read = parse_program(print(*lowering->program));
    EXPECT_TRUE(read.has_value()) << path << ": " << read.error().message;
    EXPECT_EQ(read ? print(*read) : "", print(*lowering->program)) << path;
  }
  std::string result = print(*none.program);
  std::string inlined = print(*all.program);
  std::string reordered = print(clear_factors_first(*all.program));
  result += result == inlined ? "" : "\n-- all inlined\n\n" + inlined;
  return reordered == inlined ? result : result + "\n-- clear factors first\n\n" + reordered;
}

auto interval_text(Interval interval) -> std::string {
  return fmt::format("{} .. {}", interval.low == INT64_MIN ? "-∞" : std::to_string(interval.low),
                     interval.high == INT64_MAX ? "∞" : std::to_string(interval.high));
}

auto ranges_text(const std::string& path, const std::string& text) -> std::string {
  CheckedFile file(path, text);
  Lowering lowering = lower(file.snapshot(), file.item());
  if (!lowering.program) {
    return diagnostics_text(text, lowering.diagnostics);
  }
  const Program& program = *lowering.program;
  std::vector<Interval> inputs;
  for (const Array& array : program.arrays.values()) {
    if (is_input(array.owner)) {
      inputs.push_back(array.range.value());
    }
  }
  ValueRanges ranges = find_ranges(program, inputs);
  std::string result;
  auto expression = [&](ExprPlace at) {
    return print(program, program.statements[at.statement], at.expr);
  };
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    result += fmt::format("{}: {}\n", program.arrays[statement.result].name,
                          interval_text(ranges.arrays[statement.result.index]));
    for (uint32_t k = 0; k < statement.exprs.size(); ++k) {
      if (!std::holds_alternative<Literal>(statement.exprs[ExprId{k}].node)) {
        result += fmt::format("  {}: {}\n", expression({i, ExprId{k}}),
                              interval_text(ranges.exprs[i][k]));
      }
    }
  }
  if (ranges.unbounded_at) {
    result += fmt::format("\nunbounded at {}\n", expression(*ranges.unbounded_at));
  }
  if (std::optional<Growth> growth = find_growth(program, ranges)) {
    result += fmt::format("\ngrows most at {}: {} -> {}\n", expression(growth->at),
                          interval_text(growth->operands), interval_text(growth->result));
  }
  return result;
}

/// Files of a folder of `tests/array`, none of which is golden text.
auto programs_of(const std::string& folder, size_t least) -> std::vector<std::filesystem::path> {
  return harness::find_files(
      {.folder = "tests/array/" + folder, .endings = {".tacet", ".tlhe"}, .least = least});
}

class ArrayPrograms : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ArrayPrograms, AreWhatIsWrittenBesideThem) {
  const bool has_ranges = GetParam().parent_path().filename() == "ranges";
  const std::string name = GetParam().filename().string();
  const std::string text = harness::read_file(GetParam());
  const std::string found = has_ranges ? ranges_text(name, text) : lowered_text(name, text);
  EXPECT_EQ(name.rfind("fail_", 0) == 0, found.rfind("T6", 0) == 0);
  harness::expect_golden(
      std::filesystem::path(GetParam()).replace_extension(has_ranges ? ".ranges" : ".array"),
      found);
}

INSTANTIATE_TEST_SUITE_P(Programs, ArrayPrograms, ::testing::ValuesIn(programs_of("programs", 21)),
                         harness::name_of_file);
INSTANTIATE_TEST_SUITE_P(Ranges, ArrayPrograms, ::testing::ValuesIn(programs_of("ranges", 2)),
                         harness::name_of_file);

TEST(ArrayGolden, IsBesidePrograms) {
  harness::expect_no_orphans(
      harness::find_files({.folder = "tests/array/programs", .endings = {".array"}}),
      programs_of("programs", 1));
  harness::expect_no_orphans(
      harness::find_files({.folder = "tests/array/ranges", .endings = {".ranges"}}),
      programs_of("ranges", 1));
}

TEST(ArrayPages, HaveTheirDiagnosticAlone) {
  for (DiagnosticCode code :
       {DiagnosticCode::T6001, DiagnosticCode::T6002, DiagnosticCode::T6003}) {
    size_t n_programs = 0;
    for (const PageProgram& program : page_programs(explanation(code))) {
      if (program.text.rfind("#version", 0) == 0) {
        continue;  // a module, which is not an array program
      }
      ++n_programs;
      program::Frontend frontend;
      FileId file = frontend.set_file("page.tlhe", program.text);
      program::FrontendSnapshot snapshot = frontend.snapshot();
      Lowering lowering = lower(snapshot, item_to_lower(snapshot, file));
      bool fails = program.expectation == Expectation::Fails;
      EXPECT_EQ(lowering.program.has_value(), !fails) << code_name(code) << program.text;
      for (const Diagnostic& diagnostic : lowering.diagnostics) {
        EXPECT_EQ(diagnostic.code, code) << diagnostic.message;
      }
    }
    EXPECT_EQ(n_programs, 2U);
  }
}

}  // namespace
}  // namespace tacet::array
