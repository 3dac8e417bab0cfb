// The device functions of `programs`: rewritten, they compute what the source computes, and show
// nothing of the secrets.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/oblivious/make_oblivious.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

TEST(ObliviousPrograms, ComputeTheSameAndShowNothing) {
  const std::filesystem::path root =
      std::filesystem::path(TACET_SOURCE_DIR) / "tests/oblivious/programs";
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    paths.insert(entry.path());
  }
  ASSERT_GE(paths.size(), 20U);
  for (const std::filesystem::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>()};
    const kernel::Kernel source = kernel_of(text);
    const ObliviousForm form = make_oblivious(source);
    for (const Diagnostic& diagnostic : form.diagnostics) {
      ADD_FAILURE() << path << ": " << code_name(diagnostic.code) << " " << diagnostic.message;
    }
    EXPECT_TRUE(form.is_oblivious) << path;
    EXPECT_EQ(difference(source, form.kernel, 100), "") << path;
    // Once is enough.
    EXPECT_TRUE(make_oblivious(form.kernel).rewrites.empty()) << path;
  }
}

}  // namespace
}  // namespace tacet::oblivious
