#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/run/conformance/device_functions.h"
#include "compiler/spec/program/frontend.h"
#include "tests/check/fixture.h"

namespace tacet::program {
namespace {

auto read_file(const std::filesystem::path& path) -> std::string {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

auto fixture_paths() -> std::vector<std::filesystem::path> {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root = std::filesystem::path(TACET_SOURCE_DIR) / "tests/check";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".tacet" || ending == ".tlhe" || ending == ".cm") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A fixture is about one phase, and looks no further.
auto looks_of(const std::filesystem::path& path) -> Looks {
  const std::string folder = path.parent_path().filename().string();
  if (folder == "syntax") {
    return Looks::Syntax;
  }
  if (folder == "lint") {
    return Looks::Lint;
  }
  if (folder == "advice") {
    return Looks::Advice;
  }
  return folder == "names" || folder == "types" ? Looks::Types : Looks::Everything;
}

TEST(Fixtures, HaveTheDiagnosticsAndTypesWrittenInThem) {
  ASSERT_GE(fixture_paths().size(), 20U);
  for (const std::filesystem::path& path : fixture_paths()) {
    EXPECT_EQ(run_fixture(path.filename().string(), read_file(path), looks_of(path)), "") << path;
  }
}

TEST(Fixtures, SayInTheirNamesWhetherTheyFail) {
  for (const std::filesystem::path& path : fixture_paths()) {
    // What is only worth knowing is no failure.
    bool fails = false;
    for (const FixtureFile& file : read_fixture(path.filename().string(), read_file(path))) {
      for (const ExpectedDiagnostic& expected : file.diagnostics) {
        fails = fails || expected.severity != "INFORMATION";
      }
    }
    const std::string name = path.filename().string();
    EXPECT_EQ(fails ? "fail_" : "ok_", name.substr(0, fails ? 5 : 3)) << path;
  }
}

/// The harness itself: what it must notice.
TEST(Fixtures, FailOnWhatIsMissingAndOnWhatIsNotExpected) {
  EXPECT_NE(run_fixture("a.tacet", "#version 0.1.0\nconst a = b\n", Looks::Everything), "");
  EXPECT_NE(
      run_fixture("a.tacet", "#version 0.1.0\nconst a = 1 //~ ERROR[T1003]\n", Looks::Everything),
      "");
  EXPECT_NE(run_fixture("a.tacet", "#version 0.1.0\nconst a = b //~ ERROR[T1003] other words\n",
                        Looks::Everything),
            "");
  EXPECT_NE(run_fixture("a.tacet",
                        "#version 0.1.0\nval f(x: i64) -> i64 { returns x }\n"
                        "//                                            ^ type: i32\n",
                        Looks::Everything),
            "");
}

TEST(Fixtures, FailOnMalformedAnnotations) {
  for (const std::string annotation :
       {"//~ EROR[T1003] unknown", "//~ ERROR[T0000]", "//~ ERROR T1003", "//~ ERROR", "//~",
        "//~^^^ ERROR[T1003]", "// ^^^ tipe: i64", "// ^^^", "// ^ ^ type: i64", "//- b.tacet",
        "//-/b.tacet"}) {
    const std::string text = "#version 0.1.0\n" + annotation + "\n";
    EXPECT_EQ(run_fixture("a.tacet", text, Looks::Syntax),
              "a.tacet:2: malformed annotation: " + annotation + "\n");
  }
}

/// Such programs pass every check; the tests of the interpreter, of the oracle and of the lowering
/// to MPC programs run them.
auto is_found_by_running(DiagnosticCode code) -> bool {
  return code_name(code)[1] == '8' || code == DiagnosticCode::T3030 ||
         code == DiagnosticCode::T3031 || code == DiagnosticCode::T3032 ||
         code == DiagnosticCode::T3053;
}

/// Is it about what no rewrite makes oblivious? Such programs have findings besides.
auto is_about_rewriting(DiagnosticCode code) -> bool {
  return code_name(code).substr(0, 4) == "T503";
}

/// Programs of a page are about its phase; those before hold.
auto looks_of(DiagnosticCode code) -> Looks {
  if (code == DiagnosticCode::T1010) {
    return Looks::Everything;  // of coordinator functions, it is told with their flows
  }
  switch (code_name(code)[1]) {
    case '0':
    case '1':
    case '2':
      return Looks::Types;
    case '5':
      return Looks::Lint;
    case '9':
      return Looks::Advice;
    default:
      return Looks::Everything;
  }
}

/// Of all files of a program, which may be several as in a fixture.
auto diagnostics_of_program(std::string_view path, const std::string& text, Looks looks)
    -> std::vector<Diagnostic> {
  Frontend frontend;
  std::vector<FileId> files;
  for (const FixtureFile& file : read_fixture(path, text)) {
    EXPECT_EQ(file.malformed, "");
    files.push_back(frontend.set_file(file.path, file.text));
  }
  std::vector<Diagnostic> all;
  for (const FileId file : files) {
    std::vector<Diagnostic> found = diagnostics_of(frontend.snapshot(), file, looks);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

TEST(Pages, HaveProgramsThatFailWithTheirCodeAloneAndOnesThatPass) {
  for (DiagnosticCode code : all_codes()) {
    for (const PageProgram& program : page_programs(explanation(code))) {
      const bool is_array_program =
          program.text.rfind("#version", 0) != 0 && program.text.rfind("input ", 0) == 0;
      std::set<std::string_view> found;
      std::string all;
      for (const Diagnostic& diagnostic : diagnostics_of_program(
               is_array_program ? "main.tlhe" : "main.tacet", program.text, looks_of(code))) {
        if (diagnostic.severity == Severity::Information && diagnostic.code != code) {
          continue;  // the page about running into a hole has one
        }
        if (diagnostic.severity != Severity::Error && is_about_rewriting(code)) {
          continue;
        }
        found.insert(code_name(diagnostic.code));
        all += std::string(code_name(diagnostic.code)) + " " + diagnostic.message + "\n";
      }
      const bool fails = program.expectation == Expectation::Fails;
      const bool fails_check = fails && !is_found_by_running(code);
      const auto expected =
          fails_check ? std::set<std::string_view>{code_name(code)} : std::set<std::string_view>{};
      EXPECT_EQ(found, expected) << code_name(code) << ", line " << program.line << "\n" << all;
    }
  }
}

}  // namespace
}  // namespace tacet::program
