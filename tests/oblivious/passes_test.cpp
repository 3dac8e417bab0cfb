// What each pass makes of the functions in its folder of `passes`: `NAME.tacet` before,
// `NAME.after` behind it, as source, with the rewrites. UPDATE_GOLDEN=1 writes them anew: read the
// difference.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

auto read_file(const std::filesystem::path& path) -> std::string {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

auto rewrites_text(const std::string& source, const std::vector<Rewrite>& rewrites) -> std::string {
  std::string text;
  for (const Rewrite& rewrite : rewrites) {
    const auto line =
        1 + std::count(source.begin(), source.begin() + rewrite.place.range.begin, '\n');
    text +=
        fmt::format("// line {}: {}; {} comparisons, {} selections, {} turns\n", line, rewrite.what,
                    rewrite.cost.comparisons, rewrite.cost.selections, rewrite.cost.turns);
  }
  return text;
}

using Pass = bool (*)(Rewriting&);

/// Holds the files of a folder against what `after` makes of them.
template <class After>
void compare(const std::string& folder, const After& after) {
  const std::filesystem::path root =
      std::filesystem::path(TACET_SOURCE_DIR) / "tests/oblivious/passes" / folder;
  std::set<std::filesystem::path> sources;
  std::set<std::filesystem::path> golden;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    (entry.path().extension() == ".after" ? golden : sources).insert(entry.path());
  }
  ASSERT_FALSE(sources.empty());
  for (const std::filesystem::path& source : sources) {
    std::filesystem::path beside = source;
    beside.replace_extension(".after");
    const std::string found = after(read_file(source));
    if (found != read_file(beside) && std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(beside, std::ios::binary) << found;
    } else {
      EXPECT_EQ(found, read_file(beside)) << source;
    }
    golden.erase(beside);
  }
  EXPECT_TRUE(golden.empty()) << *golden.begin() << " is of no program";
}

void compare_pass(const std::string& folder, Pass pass) {
  compare(folder, [&](const std::string& text) {
    const kernel::Kernel source = kernel_of(text);
    Rewriting rewriting{source, [](FileRange) { return true; }};
    pass(rewriting);
    EXPECT_EQ(meaning_difference(source, rewriting.kernel, 50), "") << text;
    return kernel::print(rewriting.kernel) + rewrites_text(text, rewriting.rewrites);
  });
}

TEST(Passes, ExitsToFlags) {
  compare_pass("exits", exits_to_flags);
}

TEST(Passes, BoundForLoops) {
  compare_pass("for", bound_for_loops);
}

TEST(Passes, ScanAccesses) {
  compare_pass("access", scan_accesses);
}

TEST(Passes, BoundWhileLoops) {
  compare_pass("while", bound_while_loops);
}

TEST(Passes, BranchesToSelects) {
  compare_pass("branch", branches_to_selects);
}

TEST(Passes, GuardOperands) {
  compare_pass("guard", guard_operands);
}

TEST(Passes, AllTogether) {
  compare("all", [](const std::string& text) {
    const ObliviousForm form = make_oblivious(kernel_of(text));
    EXPECT_TRUE(form.is_oblivious) << text;
    return kernel::print(form.kernel) + rewrites_text(text, form.rewrites);
  });
}

TEST(Passes, Regions) {
  compare("regions", [](const std::string& text) {
    const kernel::Kernel source = make_oblivious(kernel_of(text)).kernel;
    kernel::Kernel kernel = source;
    std::string all;
    const auto step = [&](std::string_view name, auto pass) {
      pass(kernel);
      EXPECT_EQ(meaning_difference(source, kernel, 50), "") << name << text;
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
  });
}

}  // namespace
}  // namespace tacet::oblivious
