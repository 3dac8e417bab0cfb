// The device functions of `programs`: rewritten, as a whole or at one place, they compute what the
// source computes; as a whole they show nothing of the secrets, also cut into regions.

#include <gtest/gtest.h>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/oblivious/divide_regions.h"
#include "compiler/device/oblivious/form_regions.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/device/oblivious/regions.h"
#include "tests/harness/files.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

/// The programs of the folder, by path.
auto programs() -> std::vector<std::pair<std::string, kernel::Kernel>> {
  std::vector<std::pair<std::string, kernel::Kernel>> programs;
  for (const auto& path : harness::find_files(
           {.folder = "tests/oblivious/programs", .endings = {".tacet"}, .least = 27})) {
    programs.emplace_back(path.filename().string(), kernel_of(harness::read_file(path)));
  }
  return programs;
}

TEST(ObliviousPrograms, ComputeTheSameAndShowNothing) {
  for (const auto& [name, source] : programs()) {
    const ObliviousForm form = make_oblivious(source);
    for (const Diagnostic& diagnostic : form.diagnostics) {
      ADD_FAILURE() << name << ": " << code_name(diagnostic.code) << " " << diagnostic.message;
    }
    EXPECT_TRUE(form.is_oblivious) << name;
    EXPECT_EQ(difference(source, form.kernel, 100), "") << name;
    // Once is enough.
    EXPECT_TRUE(make_oblivious(form.kernel).rewrites.empty()) << name;
  }
}

TEST(ObliviousPrograms, ComputeTheSameWithOnePlaceRewritten) {
  size_t n_rewritten = 0;
  for (const auto& program : programs()) {
    const auto& name = program.first;
    const kernel::Kernel& source = program.second;
    std::vector<FileRange> places;
    kernel::walk_statements(source, source.body, [&](kernel::StatementId id) {
      places.push_back(source.statements[id].place);
    });
    for (FileRange place : places) {
      const ObliviousForm form = make_oblivious_at(source, place);
      n_rewritten += form.rewrites.empty() ? 0 : 1;
      EXPECT_EQ(meaning_difference(source, form.kernel, 20), "") << name;
    }
  }
  EXPECT_GE(n_rewritten, 50U);
}

auto count_regions(const kernel::Kernel& kernel) -> size_t {
  size_t n = 0;
  kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId id) {
    n += std::holds_alternative<kernel::SecretRegion>(kernel.statements[id].node) ? 1 : 0;
  });
  return n;
}

TEST(SecretRegions, AreCutAtSeparatorsAndStayApart) {
  size_t n_cut = 0;
  for (const auto& [name, source] : programs()) {
    const kernel::Kernel oblivious = make_oblivious(source).kernel;
    kernel::Kernel kernel = oblivious;
    form_regions(kernel);
    for_each_region(kernel, kernel.body, [&](kernel::Block& block, size_t position) {
      const kernel::StatementId separator = kernel.statements.add({kernel::Separator{}});
      kernel::Block& body =
          std::get<kernel::SecretRegion>(kernel.statements[block[position]].node).body;
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(body.size() / 2), separator);
      n_cut += body.size() > 2 ? 1 : 0;
    });
    const size_t n_before = count_regions(kernel);
    kernel::Kernel cut = kernel;
    split_at_separators(cut);
    EXPECT_GE(count_regions(cut), n_before) << name;
    EXPECT_EQ(difference(source, cut, 20), "") << name;
    merge_regions(kernel);
    EXPECT_EQ(difference(source, kernel, 20), "") << name;
  }
  EXPECT_GE(n_cut, 10U);
}

}  // namespace
}  // namespace tacet::oblivious
