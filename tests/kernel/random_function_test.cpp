// Random device functions: as kernels, and as the text of their kernels, they give what they give
// on the reference device.

#include "tests/kernel/random_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/device/kernel/print.h"
#include "tests/kernel/checked_module.h"

namespace tacet::testing {
namespace {

/// Or as many as the environment says.
auto n_programs() -> uint64_t {
  const char* given = std::getenv("TACET_KERNEL_PROGRAMS");
  return given == nullptr ? 800 : std::strtoull(given, nullptr, 10);
}

constexpr uint64_t kInputs = 3;
constexpr uint64_t kMaxFailed = 3;  // enough to look at

auto options_of(uint64_t seed) -> FunctionOptions {
  FunctionOptions options;
  options.faults = static_cast<FunctionOptions::Faults>(seed % 3);
  options.bounds_secret_loops = seed % 2 == 0;
  options.size = 4 + static_cast<uint32_t>(seed % 5) * 4;
  return options;
}

TEST(RandomFunctions, KernelsAndTheirTextsMeanTheSame) {
  uint64_t n_faults = 0;
  uint64_t n_runs = 0;
  uint64_t n_failed = 0;
  for (uint64_t seed = 0; seed < n_programs() && n_failed < kMaxFailed; ++seed) {
    Random random(seed);
    const std::string text = random_function(random, options_of(seed));
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + text);
    CheckedModule module(text);
    if (!module.is_right()) {
      ++n_failed;
      continue;
    }
    const kernel::Kernel kernel = module.lower("f");
    const std::string printed = "#version 0.1.0\n" + kernel::print(kernel);
    SCOPED_TRACE(printed);
    CheckedModule again(printed);
    if (!module.is_right() || !again.is_right()) {
      ++n_failed;
      continue;
    }
    const kernel::Kernel kernel_again = again.lower("f");
    for (uint64_t i = 0; i < kInputs; ++i) {
      const std::vector<kernel::Value> inputs = random_inputs(random, kernel);
      const Outcome expected = module.run("f", inputs);
      const std::string text_of_expected = outcome_text(expected);
      const std::string lowered = outcome_text(run(kernel, inputs));
      EXPECT_EQ(lowered, text_of_expected);
      EXPECT_EQ(outcome_text(run(kernel_again, inputs)), text_of_expected);
      EXPECT_EQ(outcome_text(again.run("f", inputs)), text_of_expected);
      n_failed += lowered == text_of_expected ? 0 : 1;
      n_faults += expected.fault ? 1 : 0;
      ++n_runs;
    }
  }
  // Both happen: faults, and runs without.
  EXPECT_GT(n_faults, n_runs / 100);
  EXPECT_LT(n_faults, n_runs / 2);
}

/// What a run shows where no secret decides it.
auto public_events(const kernel::Evaluation& evaluation) -> std::vector<kernel::Event> {
  std::vector<kernel::Event> events;
  std::copy_if(evaluation.events.begin(), evaluation.events.end(), std::back_inserter(events),
               [](const kernel::Event& event) { return !event.depends_on_secret; });
  return events;
}

/// Is one a beginning of the other?
auto agree(const std::vector<kernel::Event>& a, const std::vector<kernel::Event>& b) -> bool {
  const size_t n = std::min(a.size(), b.size());
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin());
}

TEST(RandomFunctions, WhatNoSecretDecidesIsTheSameForAll) {
  uint64_t n_secret_events = 0;
  uint64_t n_public_events = 0;
  uint64_t n_failed = 0;
  for (uint64_t seed = 0; seed < n_programs() && n_failed < kMaxFailed; ++seed) {
    Random random(~seed);
    const std::string text = random_function(random, options_of(seed));
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + text);
    CheckedModule module(text);
    if (!module.is_right()) {
      ++n_failed;
      continue;
    }
    const kernel::Kernel kernel = module.lower("f");
    const std::vector<kernel::Value> inputs = random_inputs(random, kernel);
    const kernel::Evaluation one = kernel::evaluate(kernel, inputs);
    const kernel::Evaluation other =
        kernel::evaluate(kernel, with_other_secrets(random, kernel, inputs));
    const std::vector<kernel::Event> events = public_events(one);
    const std::vector<kernel::Event> others = public_events(other);
    // A fault that a secret decides ends a run early.
    const bool ends = !one.fault && !other.fault;
    EXPECT_TRUE(ends ? events == others : agree(events, others));
    n_failed += (ends ? events == others : agree(events, others)) ? 0 : 1;
    for (size_t i = 0; ends && i < one.results.size(); ++i) {
      EXPECT_EQ(one.are_secret[i], other.are_secret[i]);
      for (size_t k = 0; k < one.results[i].cells.size(); ++k) {
        EXPECT_TRUE(one.are_secret[i][k] || one.results[i].cells[k] == other.results[i].cells[k]);
      }
    }
    n_public_events += events.size();
    n_secret_events += one.events.size() - events.size();
  }
  EXPECT_GT(n_public_events, 0);
  EXPECT_GT(n_secret_events, n_public_events / 100);
}

}  // namespace
}  // namespace tacet::testing
