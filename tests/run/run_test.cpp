// Runs the program `tacet run` as the fixtures of this folder say.
//
// A fixture is a `*.tacet` or `*.tlhe` file that names its runs in comments:
//
//   // run: --fn f 3 '[1, 2]'        the command line behind `tacet run FILE`, read by a shell
//   // expect: out = 6               a line of standard output; all of them, in order
//   // error: T8001                  a part of standard error; the run has to fail
//
// and `*.runs` files do the same for files elsewhere, `run:` being followed by the whole command
// line, from the repository's root.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/harness/sections.h"

namespace {

namespace fs = std::filesystem;

/// One command line and what it should print.
struct RunCase {
  std::string file;
  int line = 0;
  std::string arguments;
  std::vector<std::string> expected;
  std::vector<std::string> errors;
};

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

auto run_shell(const std::string& command, const fs::path& error_file) -> Outcome {
  Outcome outcome;
  FILE* pipe = ::popen(fmt::format("{} 2>'{}'", command, error_file.string()).c_str(), "r");
  if (pipe == nullptr) {
    outcome.status = -1;
    return outcome;
  }
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    outcome.out.append(buffer, n);
  }
  int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = tacet::harness::read_file(error_file);
  return outcome;
}

auto after(std::string_view line, std::string_view marker, std::string& rest) -> bool {
  size_t begin = line.find_first_not_of(' ');
  line.remove_prefix(std::min(begin, line.size()));
  if (!line.starts_with(marker)) {
    return false;
  }
  line.remove_prefix(marker.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  rest = line;
  return true;
}

auto cases_of(const fs::path& path) -> std::vector<RunCase> {
  bool is_list = path.extension() == ".runs";
  std::string comment = is_list ? "" : "// ";
  std::vector<RunCase> cases;
  int number = 0;
  for (const std::string& line : tacet::harness::lines_of(tacet::harness::read_file(path))) {
    ++number;
    std::string rest;
    if (after(line, comment + "run:", rest)) {
      std::string arguments = is_list ? rest : fmt::format("'{}' {}", path.string(), rest);
      cases.push_back({path.string(), number, arguments, {}, {}});
    } else if (!cases.empty() && after(line, comment + "expect:", rest)) {
      cases.back().expected.push_back(rest);
    } else if (!cases.empty() && after(line, comment + "error:", rest)) {
      cases.back().errors.push_back(rest);
    }
  }
  return cases;
}

void check(const RunCase& run, const fs::path& error_file) {
  Outcome outcome = run_shell(
      fmt::format("cd '{}' && '{}' run {}", TACET_SOURCE_DIR, TACET_PROGRAM, run.arguments),
      error_file);
  SCOPED_TRACE(
      fmt::format("{}:{}: tacet run {}\n{}", run.file, run.line, run.arguments, outcome.err));
  ASSERT_FALSE(run.expected.empty() && run.errors.empty()) << "expects nothing";
  std::string expected;
  for (const std::string& line : run.expected) {
    expected += line + '\n';
  }
  EXPECT_EQ(outcome.out, expected);
  for (const std::string& error : run.errors) {
    EXPECT_NE(outcome.err.find(error), std::string::npos) << "should say " << error;
  }
  // A warning may be next to results; an error may not.
  if (run.expected.empty()) {
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << "status " << outcome.status;
  } else {
    EXPECT_EQ(outcome.status, 0);
  }
}

class Run : public testing::TestWithParam<fs::path> {};

TEST_P(Run, GivesWhatItSays) {
  const fs::path error_file = fs::temp_directory_path() / fmt::format("tacet_run_{}", ::getpid());
  const std::vector<RunCase> cases = cases_of(GetParam());
  EXPECT_FALSE(cases.empty()) << "has no run";
  for (const RunCase& run : cases) {
    check(run, error_file);
  }
  fs::remove(error_file);
}

auto name_of_test(const testing::TestParamInfo<fs::path>& info) -> std::string {
  return tacet::harness::name_of_file(info) + "_" + info.param.extension().string().substr(1);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Run,
    testing::ValuesIn(tacet::harness::find_files(
        {.folder = "tests/run", .endings = {".runs", ".tacet", ".tlhe"}, .least = 27})),
    name_of_test);

}  // namespace
