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
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

auto contents(const fs::path& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

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
  outcome.err = contents(error_file);
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
  std::istringstream lines(contents(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
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
  // A warning may stand beside results; an error may not.
  if (run.expected.empty()) {
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << "status " << outcome.status;
  } else {
    EXPECT_EQ(outcome.status, 0);
  }
}

TEST(Run, FixturesGiveWhatTheySay) {
  fs::path error_file = fs::temp_directory_path() / fmt::format("tacet_run_{}", ::getpid());
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(TACET_SOURCE_DIR) / "tests/run")) {
    fs::path ending = entry.path().extension();
    if (ending == ".tacet" || ending == ".tlhe" || ending == ".runs") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  size_t n_cases = 0;
  for (const fs::path& file : files) {
    std::vector<RunCase> cases = cases_of(file);
    EXPECT_FALSE(cases.empty()) << file << " has no run";
    n_cases += cases.size();
    for (const RunCase& run : cases) {
      check(run, error_file);
    }
  }
  fs::remove(error_file);
  EXPECT_GT(n_cases, 0U);
}

}  // namespace
