#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/run/conformance/device_functions.h"
#include "compiler/spec/program/frontend.h"
#include "problems/explored.h"
#include "problems/problems.h"
#include "project/explore_file.h"
#include "tests/check/fixture.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"

namespace tacet::program {
namespace {

class CheckFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CheckFixture, HasTheDiagnosticsAndTypesWrittenInIt) {
  const std::filesystem::path& path = GetParam();
  EXPECT_EQ(run_fixture(path.filename().string(), harness::read_file(path), looks_of(path)), "")
      << path;
}

TEST_P(CheckFixture, SaysInItsNameWhetherItFails) {
  // What is only worth knowing is no failure.
  bool fails = false;
  const std::string name = GetParam().filename().string();
  for (const FixtureFile& file : read_fixture(name, harness::read_file(GetParam()))) {
    for (const ExpectedDiagnostic& expected : file.diagnostics) {
      fails = fails || expected.severity != "INFORMATION";
    }
  }
  EXPECT_EQ(fails ? "fail_" : "ok_", name.substr(0, fails ? 5 : 3)) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Files, CheckFixture, ::testing::ValuesIn(fixture_paths()),
                         harness::name_below_folder);

/// A file with another ending is no fixture, and would be none silently.
TEST(CheckFixtures, AreAllFilesOfTheFolders) {
  const std::filesystem::path root = harness::source_path("tests/check");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().parent_path() != root) {
      const std::string ending = entry.path().extension().string();
      EXPECT_TRUE(ending == ".tacet" || ending == ".tlhe" || ending == ".cm") << entry.path();
    }
  }
}

/// The harness itself: what it must notice.
TEST(CheckFixtures, FailOnWhatIsMissingAndOnWhatIsNotExpected) {
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

TEST(CheckFixtures, FailOnMalformedAnnotations) {
  for (const std::string annotation :
       {"//~ EROR[T1003] unknown", "//~ ERROR[T0000]", "//~ ERROR T1003", "//~ ERROR", "//~",
        "//~^^^ ERROR[T1003]", "// ^^^ tipe: i64", "// ^^^", "// ^ ^ type: i64", "//- b.tacet",
        "//-/b.tacet"}) {
    const std::string text = "#version 0.1.0\n" + annotation + "\n";
    const std::string faults = run_fixture("a.tacet", text, Looks::Syntax);
    EXPECT_EQ(faults.rfind("a.tacet:2: malformed annotation: " + annotation + "\n", 0), 0U)
        << faults;
  }
}

/// Such programs pass every check; the tests of the interpreter, of the oracle and of the lowering
/// to MPC programs run them, those of the command line with `--scheme bfv`, and those of GPUs.
auto is_found_by_running(DiagnosticCode code) -> bool {
  return code_name(code)[1] == '8' || code == DiagnosticCode::T2033 ||
         code == DiagnosticCode::T2034 || code == DiagnosticCode::T2035 ||
         code == DiagnosticCode::T2036 || code == DiagnosticCode::T6004 ||
         code == DiagnosticCode::T6013 || code == DiagnosticCode::T3030 ||
         code == DiagnosticCode::T3031 || code == DiagnosticCode::T3032 ||
         code == DiagnosticCode::T3053;
}

/// Is it about what circuits of bits cost?
auto is_about_circuits(DiagnosticCode code) -> bool {
  return code == DiagnosticCode::T5021 || code == DiagnosticCode::T5022;
}

/// Is it about what no rewrite makes oblivious, or about secret indices? Such programs have
/// findings besides.
auto has_other_findings(DiagnosticCode code) -> bool {
  return code_name(code).substr(0, 4) == "T503" || is_about_circuits(code);
}

/// Programs of a page are about its phase; those before hold.
auto looks_of(DiagnosticCode code) -> Looks {
  if (code == DiagnosticCode::T1010) {
    return Looks::Everything;  // of coordinator functions, reported with their flows
  }
  if (is_about_circuits(code)) {
    return Looks::Advice;
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
  project::ExploreFile explored;
  for (const FixtureFile& file : read_fixture(path, text)) {
    EXPECT_EQ(file.malformed, "");
    if (file.path.ends_with(project::kExploreFile)) {
      Result<project::ExploreFile> read = project::parse_explore_file(file.text, file.path);
      EXPECT_TRUE(read) << read.error().message;
      explored = std::move(*read);
    } else {
      files.push_back(frontend.set_file(file.path, file.text));
    }
  }
  std::vector<Diagnostic> all;
  for (const FileId file : files) {
    std::vector<Diagnostic> found = diagnostics_of(frontend.snapshot(), file, looks);
    problems::merge(
        problems::explored_findings(
            frontend.snapshot(), file,
            explored.of_file(frontend.path(file).substr(frontend.path(file).rfind('/') + 1))),
        found);
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
        if (diagnostic.severity != Severity::Error && diagnostic.code != code &&
            has_other_findings(code)) {
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
