// Runs tests/cli/*.test. A fixture is a text of sections, each of which ends where the next one
// begins; what precedes the first is a comment:
//
//   //- file NAME          a file with these lines, in the folder that the runs share; folders on
//                          the way are created. `//- file NAME escapes` expands `\xNN` and
//                          `\{N:text}`
//                          and takes the last line without its end
//   //- run COMMAND        a line for bash, in that folder, with `tacet` on the path
//   //- stdout             what the run above prints; nothing if left out
//   //- stderr
//   //- exit CODE          how it ends; 0 if left out
//
// In outputs the version is written VERSION and the folder DIR. UPDATE_GOLDEN=1 rewrites what
// the runs print.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/core/diagnostics/explanation.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/harness/sections.h"

namespace tacet {
namespace {

namespace fs = std::filesystem;

using harness::read_file;
using harness::Section;
using harness::write_file;

struct Outcome {
  std::string out;
  std::string err;
  int code = 0;

  friend auto operator==(const Outcome&, const Outcome&) -> bool = default;
};

auto starts_with(const std::string& text, std::string_view start) -> bool {
  return text.compare(0, start.size(), start) == 0;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Runs bash in `folder` and waits.
auto run(const std::string& command, const fs::path& folder, const fs::path& outputs) -> Outcome {
  fs::path out = outputs / "stdout";
  fs::path err = outputs / "stderr";
  pid_t child = ::fork();
  if (child == 0) {
    int null = ::open("/dev/null", O_RDONLY);
    int to_out = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int to_err = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (::chdir(folder.c_str()) != 0 || ::dup2(null, 0) < 0 || ::dup2(to_out, 1) < 0 ||
        ::dup2(to_err, 2) < 0) {
      ::_exit(126);
    }
    ::setenv("TMPDIR", folder.c_str(), 1);
    // Nothing depends on what was measured on this machine.
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    ::alarm(300);  // kept by the program that takes our place; long, for busy machines
    ::execlp("bash", "bash", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  Outcome outcome = {read_file(out), read_file(err), code};
  for (std::string* text : {&outcome.out, &outcome.err}) {
    replace_all(*text, folder.string(), "DIR");
    replace_all(*text, "tacet " TACET_VERSION, "tacet VERSION");
    replace_all(*text, "\"version\":\"" TACET_VERSION "\"", "\"version\":\"VERSION\"");
    replace_all(*text, "\"version\": \"" TACET_VERSION "\"", "\"version\": \"VERSION\"");
    if (!text->empty() && text->back() != '\n') {
      *text += "\n[no line end]\n";
    }
  }
  return outcome;
}

auto render(const Outcome& outcome) -> std::string {
  std::string text;
  if (!outcome.out.empty()) {
    text += "//- stdout\n" + outcome.out;
  }
  if (!outcome.err.empty()) {
    text += "//- stderr\n" + outcome.err;
  }
  return outcome.code == 0 ? text : text + fmt::format("//- exit {}\n", outcome.code);
}

class CliFixture : public testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    root_ = fs::canonical(testing::TempDir()) /
            fmt::format("tacet_cli_{}_{}", GetParam().stem().string(), ::getpid());
    fs::create_directories(root_ / "work");
    ::setenv("PATH",
             fmt::format("{}:/usr/local/bin:/usr/bin:/bin",
                         fs::path(TACET_PROGRAM).parent_path().string())
                 .c_str(),
             1);
    for (const char* name : {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"}) {
      ::unsetenv(name);
    }
    ::setenv("TERM", "xterm", 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::setenv("SOURCE", TACET_SOURCE_DIR, 1);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(root_ / "work", fs::perms::owner_all, ignored);
    fs::remove_all(root_, ignored);
  }

  /// The fixture as it is after its runs.
  auto replay(const harness::Sections& fixture) -> std::string {
    std::string text = fixture.front;
    for (size_t i = 0; i < fixture.sections.size(); ++i) {
      const Section& section = fixture.sections[i];
      if (starts_with(section.heading, "file ")) {
        text += "//- " + section.heading + "\n" + section.body;
        add_file(section);
      } else if (starts_with(section.heading, "run ")) {
        Outcome outcome = run(section.heading.substr(4), root_ / "work", root_);
        text += "//- " + section.heading + "\n" + render(outcome);
        text += blank_lines_behind(fixture, i);
      } else if (!is_expectation(section)) {
        ADD_FAILURE() << "no such section: " << section.heading;
      }
    }
    return text;
  }

 private:
  static auto is_expectation(const Section& section) -> bool {
    return section.heading == "stdout" || section.heading == "stderr" ||
           starts_with(section.heading, "exit ");
  }

  /// Empty lines below `exit` or a run that prints nothing are for the reader.
  static auto blank_lines_behind(const harness::Sections& fixture, size_t i) -> std::string {
    while (i + 1 < fixture.sections.size() && is_expectation(fixture.sections[i + 1])) {
      ++i;
    }
    const Section& last = fixture.sections[i];
    bool is_silent = last.heading != "stdout" && last.heading != "stderr";
    return is_silent ? last.body : "";
  }

  void add_file(const Section& section) {
    std::string name = section.heading.substr(5);
    std::string text = section.body;
    if (size_t at = name.find(" escapes"); at != std::string::npos) {
      name.resize(at);
      text = expand_escapes(text);
      text.pop_back();
    }
    write_file(root_ / "work" / name, text);
  }

  fs::path root_;
};

TEST_P(CliFixture, PrintsWhatItSays) {
  harness::expect_golden(GetParam(), replay(harness::split_sections(read_file(GetParam()))));
}

INSTANTIATE_TEST_SUITE_P(Cli, CliFixture,
                         testing::ValuesIn(harness::find_files(
                             {.folder = "tests/cli", .endings = {".test"}, .least = 30})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet
