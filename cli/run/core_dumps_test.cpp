#include "cli/run/core_dumps.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdlib>

#include "cli/own_process.h"
#include "cli/values/sanitized.h"

namespace tacet::cli {
namespace {

/// Exits with 0 if nothing of this process would be written anywhere.
[[noreturn]] void exit_without_dumps() {
  own_process();
  forbid_core_dumps();
  rlimit limit{1, 1};
  ::getrlimit(RLIMIT_CORE, &limit);
  const bool is_forbidden =
      limit.rlim_cur == 0 && limit.rlim_max == 0 && ::prctl(PR_GET_DUMPABLE) == 0;
  std::_Exit(is_forbidden || kSanitized ? 0 : 1);
}

TEST(CoreDumps, AreOffForGood) {
  EXPECT_EXIT(exit_without_dumps(), testing::ExitedWithCode(0), "");
}

/// Exits with 0 if this process, which is not ours, is as it was.
[[noreturn]] void exit_as_it_was() {
  const int before = ::prctl(PR_GET_DUMPABLE);
  forbid_core_dumps();
  std::_Exit(::prctl(PR_GET_DUMPABLE) == before && before == 1 ? 0 : 1);
}

TEST(CoreDumps, AreTheBusinessOfOtherPrograms) {
  EXPECT_EXIT(exit_as_it_was(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tacet::cli
