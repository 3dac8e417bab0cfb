// What each pass makes of the functions in its folder of `passes`: `NAME.tacet` before,
// `NAME.after` behind it, as source, with the rewrites. UPDATE_GOLDEN=1 writes them anew: read the
// difference.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/bound_for_loops.h"
#include "compiler/device/oblivious/bound_while_loops.h"
#include "compiler/device/oblivious/branches_to_selects.h"
#include "compiler/device/oblivious/canonicalise_regions.h"
#include "compiler/device/oblivious/divide_regions.h"
#include "compiler/device/oblivious/exits_to_flags.h"
#include "compiler/device/oblivious/form_regions.h"
#include "compiler/device/oblivious/guard_operands.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/device/oblivious/scan_accesses.h"
#include "compiler/device/oblivious/secret_regions.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

auto rewrites_text(const std::string& source, const std::vector<Rewrite>& rewrites) -> std::string {
  std::string text;
  for (const Rewrite& rewrite : rewrites) {
    const auto line =
        1 + std::count(source.begin(), source.begin() + rewrite.place.range.begin, '\n');
    text += fmt::format("// line {}: {}; {} comparisons, {} selections, {} iterations\n", line,
                        rewrite.what, rewrite.cost.comparisons, rewrite.cost.selections,
                        rewrite.cost.iterations);
  }
  return text;
}

using Pass = bool (*)(Rewriting&);

auto after_pass(const std::string& text, Pass pass) -> std::string {
  const kernel::Kernel source = kernel_of(text);
  Rewriting rewriting{source, [](FileRange) { return true; }};
  pass(rewriting);
  EXPECT_EQ(meaning_difference(source, rewriting.kernel, 50), "");
  return kernel::print(rewriting.kernel) + rewrites_text(text, rewriting.rewrites);
}

auto after_all(const std::string& text) -> std::string {
  const ObliviousForm form = make_oblivious(kernel_of(text));
  EXPECT_TRUE(form.is_oblivious);
  return kernel::print(form.kernel) + rewrites_text(text, form.rewrites);
}

auto after_regions(const std::string& text) -> std::string {
  const kernel::Kernel source = make_oblivious(kernel_of(text)).kernel;
  kernel::Kernel kernel = source;
  std::string all;
  const auto step = [&](std::string_view name, auto pass) {
    pass(kernel);
    EXPECT_EQ(meaning_difference(source, kernel, 50), "") << name;
    all += fmt::format("// {}\n\n{}\n", name, kernel::print(kernel));
  };
  step("form", form_regions);
  step("absorb constants", absorb_constants);
  step("canonicalise", canonicalise_regions);
  step("distribute", [](kernel::Kernel& k) { distribute_regions(k, {true, false}); });
  step("canonicalise again", canonicalise_regions);
  step("merge", merge_regions);
  kernel = source;
  step("as devices get them", [](kernel::Kernel& k) { k = with_secret_regions(k); });
  return all;
}

const std::map<std::string, Pass> kPasses = {
    {"exits", exits_to_flags},    {"for", bound_for_loops},        {"access", scan_accesses},
    {"while", bound_while_loops}, {"branch", branches_to_selects}, {"guard", guard_operands}};

/// The folder of a file says what is done.
auto after(const std::string& folder, const std::string& text) -> std::string {
  if (folder == "all") {
    return after_all(text);
  }
  if (folder == "regions") {
    return after_regions(text);
  }
  return after_pass(text, kPasses.at(folder));
}

auto sources() -> std::vector<std::filesystem::path> {
  return harness::find_files({.folder = "tests/oblivious/passes",
                              .endings = {".tacet"},
                              .least = 31,
                              .depth = harness::Depth::Below});
}

class Passes : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Passes, MakeWhatIsWrittenBeside) {
  harness::expect_golden(
      std::filesystem::path(GetParam()).replace_extension(".after"),
      after(GetParam().parent_path().filename().string(), harness::read_file(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Files, Passes, ::testing::ValuesIn(sources()), harness::name_below_folder);

TEST(PassesGolden, IsBesideSources) {
  harness::expect_no_orphans(harness::find_files({.folder = "tests/oblivious/passes",
                                                  .endings = {".after"},
                                                  .depth = harness::Depth::Below}),
                             sources());
  std::set<std::string> folders;
  for (const std::filesystem::path& path : sources()) {
    folders.insert(path.parent_path().filename().string());
  }
  EXPECT_EQ(folders.size(), kPasses.size() + 2);
}

}  // namespace
}  // namespace tacet::oblivious
