// The programs of this folder beside what they become: `NAME.array` holds the array program with no
// `let` inlined, then, where that is another one, with all of them; or what is wrong.
// UPDATE_GOLDEN=1 writes them anew: read the difference.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/line_index.h"
#include "compiler/array/find_fault.h"
#include "compiler/array/lower.h"
#include "compiler/array/print.h"
#include "compiler/diagnostics/code.h"
#include "compiler/diagnostics/explanation.h"

namespace tacet::array {
namespace {

auto read_file(const std::filesystem::path& path) -> std::string {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The program of a `.tlhe` file, else the last device function, else the last `val`.
auto item_to_lower(const check::FrontendSnapshot& snapshot, FileId file) -> names::ItemId {
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

auto lowered_text(const std::string& path, const std::string& text) -> std::string {
  check::Frontend frontend;
  FileId file = frontend.set_file(path, text);
  check::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    if (diagnostic.severity == Severity::Error) {
      ADD_FAILURE() << path << ": " << code_name(diagnostic.code) << " " << diagnostic.message;
      return "";
    }
  }
  names::ItemId item = item_to_lower(snapshot, file);
  Lowering none = lower(snapshot, item);
  if (!none.program) {
    return diagnostics_text(text, none.diagnostics);
  }
  Lowering all = lower(snapshot, item, InliningChoice::all(find_lets(snapshot, item).size()));
  EXPECT_TRUE(all.program) << path;
  EXPECT_EQ(find_fault(*none.program), "") << path;
  EXPECT_EQ(find_fault(*all.program), "") << path;
  std::string result = print(*none.program);
  std::string inlined = print(*all.program);
  return result == inlined ? result : result + "\n-- all inlined\n\n" + inlined;
}

TEST(ArrayPrograms, AreWhatIsWrittenBesideThem) {
  std::set<std::filesystem::path> sources;
  std::set<std::filesystem::path> golden;
  const std::filesystem::path folder =
      std::filesystem::path(TACET_SOURCE_DIR) / "tests/array/programs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    (entry.path().extension() == ".array" ? golden : sources).insert(entry.path());
  }
  ASSERT_GE(sources.size(), 15U);
  for (const std::filesystem::path& source : sources) {
    std::filesystem::path beside = source;
    beside.replace_extension(".array");
    std::string found = lowered_text(source.filename().string(), read_file(source));
    bool fails = source.filename().string().rfind("fail_", 0) == 0;
    EXPECT_EQ(fails, found.rfind("T6", 0) == 0) << source;
    if (found != read_file(beside) && std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(beside, std::ios::binary) << found;
    } else {
      EXPECT_EQ(found, read_file(beside)) << source;
    }
    golden.erase(beside);
  }
  EXPECT_TRUE(golden.empty()) << *golden.begin() << " is of no program";
}

TEST(ArrayPrograms, OfPagesHaveTheirDiagnosticAlone) {
  for (DiagnosticCode code :
       {DiagnosticCode::T6001, DiagnosticCode::T6002, DiagnosticCode::T6003}) {
    size_t n_programs = 0;
    for (const PageProgram& program : page_programs(explanation(code))) {
      ++n_programs;
      check::Frontend frontend;
      FileId file = frontend.set_file("page.tlhe", program.text);
      check::FrontendSnapshot snapshot = frontend.snapshot();
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
