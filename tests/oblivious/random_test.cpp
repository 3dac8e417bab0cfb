// Random device functions: rewritten, they compute what the source computes and show nothing of the
// secrets, in regions as well, and printed they still do. TACET_OBLIVIOUS_SEED says which one is
// the first. What fails is made small before it is shown.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/canonicalise_regions.h"
#include "compiler/device/oblivious/divide_regions.h"
#include "compiler/device/oblivious/form_regions.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"
#include "tests/kernel/smaller_text.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

constexpr int kInputs = 8;

/// What is wrong with what becomes of a function; empty if nothing is. `n_compared` grows by the
/// inputs for which results are compared.
using Complaint = std::string (*)(const kernel::Kernel& source, uint64_t& n_compared);

auto rewritten_complaint(const kernel::Kernel& source, uint64_t& n_compared) -> std::string {
  const ObliviousForm form = make_oblivious(source);
  for (const Diagnostic& diagnostic : form.diagnostics) {
    return diagnostic.message;
  }
  if (!form.is_oblivious) {
    return "a secret still steers it";
  }
  if (!make_oblivious(form.kernel).rewrites.empty()) {
    return "not all is rewritten at once";
  }
  return difference(source, form.kernel, kInputs, n_compared);
}

auto printed_complaint(const kernel::Kernel& source, uint64_t& n_compared) -> std::string {
  const std::string text = "#version 0.1.0\n\n" + kernel::print(make_oblivious(source).kernel);
  const std::optional<kernel::Kernel> again = find_kernel(text);
  if (!again) {
    return "what is printed does not check:\n" + text;
  }
  const ObliviousForm form = make_oblivious(*again);
  const std::string differs = difference(source, form.kernel, kInputs, n_compared);
  return differs.empty() ? "" : differs + "\nprinted:\n" + text;
}

auto regions_complaint(const kernel::Kernel& source, uint64_t& n_compared) -> std::string {
  kernel::Kernel kernel = make_oblivious(source).kernel;
  std::string complaint;
  uint64_t n_of_step = 0;
  const auto step = [&](std::string_view name, auto pass) {
    if (complaint.empty()) {
      pass(kernel);
      n_of_step = 0;
      complaint = difference(source, kernel, kInputs, n_of_step);
      complaint = complaint.empty() ? "" : fmt::format("{}: {}", name, complaint);
    }
  };
  step("form", form_regions);
  step("absorb", absorb_constants);
  step("canonicalise", canonicalise_regions);
  step("distribute", [](kernel::Kernel& k) { distribute_regions(k); });
  step("canonicalise again", canonicalise_regions);
  step("merge", merge_regions);
  n_compared += n_of_step;
  return complaint;
}

void check(testing::FunctionShape shape, uint64_t n, Complaint complaint) {
  const uint64_t first = harness::number_of("TACET_OBLIVIOUS_SEED", 1);
  uint64_t n_checked = 0;
  uint64_t n_compared = 0;
  for (uint64_t seed = first; seed < first + n; ++seed) {
    const std::string text = testing::random_function(shape, seed);
    const std::optional<kernel::Kernel> kernel = find_kernel(text);
    if (!kernel) {
      continue;  // what follows an exit in both arms is an error, for one
    }
    ++n_checked;
    if (!complaint(*kernel, n_compared).empty()) {
      const std::string small = testing::shrunk(text, [&](const std::string& candidate) {
        const std::optional<kernel::Kernel> less = find_kernel(candidate);
        return less && !complaint(*less, n_compared).empty();
      });
      ADD_FAILURE() << "seed " << seed << ": " << complaint(kernel_of(small), n_compared) << "\n"
                    << small;
      return;
    }
  }
  EXPECT_GE(n_checked * 10, n * 9);
  // Some inputs make some functions fail.
  EXPECT_GE(n_compared * 10, n_checked * kInputs * 7);
}

void check_all(uint64_t n, Complaint complaint) {
  check(testing::FunctionShape::Steered, harness::rounds(n), complaint);
  check(testing::FunctionShape::Arrays, harness::rounds(n / 5), complaint);
  check(testing::FunctionShape::States, harness::rounds(n / 5), complaint);
}

TEST(RandomFunctions, ComputeTheSameWhenOblivious) {
  check_all(240, rewritten_complaint);
}

TEST(RandomFunctions, ComputeTheSameWhenPrinted) {
  check_all(30, printed_complaint);
}

constexpr int kRunsOnReference = 3;

/// What `text`, made of the function `f` of `module`, gives on the reference device is what `f`
/// gives there, where that does not fail. Counts the runs that are compared.
auto n_same_on_reference(testing::CheckedModule& module, const std::string& text,
                         const kernel::Kernel& kernel, testing::Random& random) -> uint64_t {
  SCOPED_TRACE(text);
  testing::CheckedModule again(text);
  EXPECT_TRUE(again.is_right());
  uint64_t n_compared = 0;
  for (int i = 0; again.is_right() && i < kRunsOnReference; ++i) {
    const std::vector<kernel::Value> inputs = testing::random_inputs(random, kernel);
    const testing::Outcome expected = module.run("f", inputs);
    if (!expected.fault) {
      EXPECT_EQ(again.run("f", inputs).results, expected.results);
      ++n_compared;
    }
  }
  return n_compared;
}

TEST(RandomFunctions, OfAllTypesComputeTheSameOnTheReferenceDevice) {
  uint64_t n_oblivious = 0;
  uint64_t n_compared = 0;
  uint64_t n_on_reference = 0;
  const uint64_t n = harness::rounds(120);
  for (uint64_t seed = 0; seed < n && !HasFailure(); ++seed) {
    testing::Random random(seed);
    testing::FunctionOptions options;
    options.faults = static_cast<testing::FunctionOptions::Faults>(seed % 3);
    options.size = 4 + static_cast<uint32_t>(seed % 4) * 4;
    const std::string text = testing::random_function(random, options);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    testing::CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    const kernel::Kernel source = module.lower("f");
    const ObliviousForm form = make_oblivious(source);
    // A `while` without `max` in a secret arm is reported.
    EXPECT_NE(form.is_oblivious, !form.diagnostics.empty());
    EXPECT_EQ(form.is_oblivious ? difference(source, form.kernel, kInputs, n_compared)
                                : meaning_difference(source, form.kernel, kInputs, n_compared),
              "");
    n_oblivious += form.is_oblivious ? 1 : 0;
    if (seed % 4 == 0) {
      n_on_reference += n_same_on_reference(
          module, "#version 0.1.0\n\n" + kernel::print(form.kernel), source, random);
    }
  }
  EXPECT_GT(n_oblivious * 2, n);
  EXPECT_GE(n_compared * 10, n * kInputs * 9);
  EXPECT_GE(n_on_reference * 10, n / 4 * kRunsOnReference * 9);
}

TEST(RandomFunctions, ComputeTheSameInRegions) {
  check_all(60, regions_complaint);
}

}  // namespace
}  // namespace tacet::oblivious
