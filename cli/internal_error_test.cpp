#include "cli/internal_error.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <regex>
#include <stdexcept>
#include <vector>

#include "base/check.h"
#include "cli/thread_executor.h"

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

/// What with_crash_reports does in a process of its own, which ends with its answer.
[[noreturn]] void run_and_exit(const std::function<void()>& body,
                               std::vector<const char*> argv = {"tacet", "check", "a file.tacet"}) {
  std::_Exit(static_cast<int>(with_crash_reports(static_cast<int>(argv.size()), argv.data(), [&] {
    body();
    return ExitCode::Done;
  })));
}

class InternalError : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    folder_ = fs::path(testing::TempDir()) / "tacet_internal_error_test" /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  /// All reports in the folder, one behind the other.
  [[nodiscard]] auto reports() const -> std::string {
    std::string text;
    // The process under test makes a folder of its own in the one it inherits.
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path());
        text += std::string(std::istreambuf_iterator<char>(file), {});
      }
    }
    return text;
  }

  fs::path folder_;
};

#define EXPECT_REPORT(statement, words)                                                   \
  EXPECT_EXIT(run_and_exit([] { statement; }), testing::ExitedWithCode(3),                \
              words "(.|\n)*bug in Tacet(.|\n)*tacet-report-");                           \
  EXPECT_NE(reports().find("command line: tacet check a file.tacet"), std::string::npos); \
  EXPECT_NE(reports().find("stack:"), std::string::npos)

TEST_F(InternalError, FailedCheck) {
  EXPECT_REPORT(TACET_CHECK(1 == 2, "one is two"), "one is two");
}

TEST_F(InternalError, FailedCheckOnAnotherThread) {
  EXPECT_REPORT(ThreadExecutor(4).for_each(
                    100, [](size_t i) { TACET_CHECK(i != 77, "piece seventy-seven"); }),
                "piece seventy-seven");
}

TEST_F(InternalError, OutOfMemory) {
  EXPECT_REPORT(throw std::bad_alloc(), "out of memory");
}

TEST_F(InternalError, Exception) {
  EXPECT_REPORT(throw std::logic_error("a surprise"), "a surprise");
}

/// Throws, but not so that the compiler sees that it will.
void complain(const char* what) {
  throw std::logic_error(what);
}

/// A report is sent along: values of inputs are not in it, wherever the command line has them.
TEST_F(InternalError, HasNoValues) {
  EXPECT_EXIT(
      run_and_exit([] { throw std::logic_error("cannot read 77101"); },
                   {"/home/77102/tacet", "party", "run", "/home/77103/a.tacet", "77104", "[77105]",
                    "-77106", "--input", "a=77107", "--input=b=77108", "--seed", "77109", "--77110",
                    "--stats", "@77111.json", "--input", "c=\"77112.tacet", "-x77113"}),
      testing::ExitedWithCode(3), "cannot read 77101");
  // Addresses in the stack may have any digits.
  const std::string report = std::regex_replace(reports(), std::regex("0x[0-9a-f]+"), "0x");
  EXPECT_EQ(report.find("771"), std::string::npos) << report;
  EXPECT_NE(report.find("command line: tacet party run a.tacet <redacted> <redacted> <redacted> "
                        "--input <redacted> --input=<redacted> --seed <redacted> <redacted> "
                        "--stats <redacted> --input <redacted> <redacted>\n"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("an exception of type std::logic_error"), std::string::npos) << report;
}

TEST_F(InternalError, ExceptionThroughNoexcept) {
  EXPECT_REPORT([]() noexcept { complain("thrown in vain"); }(), "thrown in vain");
}

TEST_F(InternalError, NothingWrong) {
  EXPECT_EXIT(run_and_exit([] {}), testing::ExitedWithCode(0), "^$");
  EXPECT_EQ(reports(), "");
}

// Sanitizers report signals themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_F(InternalError, Abort) {
  EXPECT_REPORT(::raise(SIGABRT), "SIGABRT");
}

/// Uses up any stack; the sum keeps the calls from becoming a loop.
auto endless(unsigned depth) -> int {  // NOLINT(misc-no-recursion)
  volatile char frame[512] = {};
  return depth == ~0U ? 0 : endless(depth + 1) + frame[depth % 512];
}

TEST_F(InternalError, StackOverflow) {
  EXPECT_REPORT(std::_Exit(endless(0)), "stack overflow");
}

TEST_F(InternalError, StackOverflowOnAnotherThread) {
  EXPECT_REPORT(ThreadExecutor(3).for_each(3, [](size_t) { std::_Exit(endless(0)); }),
                "stack overflow");
}

#endif

}  // namespace
}  // namespace tacet::cli
