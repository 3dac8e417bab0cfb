// Fixes that are safe change no result: random programs, whose parameters have bounds at random,
// run on the reference device before and after. `TACET_FIX_PROGRAMS` says how many programs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <regex>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/run/interpret/interpret.h"
#include "linter/linted_text_test.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::linter {
namespace {

using testing::FunctionShape;
using testing::Random;

/// A bound of integers of `bits`, mostly small.
auto random_bound(Random& random, bool is_signed, unsigned bits) -> std::string {
  const int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t least = is_signed ? -most - 1 : 0;
  int64_t lower = static_cast<int64_t>(random() % 12) - (is_signed ? 6 : 0);
  int64_t upper = lower + 1 + static_cast<int64_t>(random() % (random() % 2 == 0 ? 4 : 40));
  if (random() % 8 == 0) {
    (random() % 2 == 0 ? lower = least : upper = most);
  }
  return fmt::format("{}..{}", std::max(lower, least), std::min(upper, most));
}

/// Bounds about half of the parameters.
auto with_bounds(const std::string& text, Random& random) -> std::string {
  static const std::regex kParameter(
      R"((p[0-9]+: (?:secret )?(?:([iu])([0-9]+)|\[([iu])([0-9]+); [0-9, ]+\]))(?=, p|\) ->))");
  std::string result;
  size_t at = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), kParameter);
       match != std::sregex_iterator(); ++match) {
    const std::smatch& found = *match;
    const size_t end = static_cast<size_t>(found.position()) + static_cast<size_t>(found.length());
    result += text.substr(at, end - at);
    at = end;
    if (random() % 2 == 0) {
      const bool is_scalar = found[2].matched;
      const std::string sign = found[is_scalar ? 2 : 4];
      const std::string bits = found[is_scalar ? 3 : 5];
      result += " in " + random_bound(random, sign == "i", static_cast<unsigned>(std::stoi(bits)));
    }
  }
  return result + text.substr(at);
}

/// A text with its function `f`, or nothing if it is not right.
class Program : public LintedText {
 public:
  using LintedText::LintedText;

  auto kernel() -> std::optional<kernel::Kernel> {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    return kernel::lower(snapshot, item(snapshot)).kernel;
  }
  auto executable() -> std::optional<interpret::Executable> {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    return interpret::compile(snapshot, item(snapshot), {}).executable;
  }

 private:
  auto item(const program::FrontendSnapshot& snapshot) const -> names::ItemId {
    names::ItemId last;
    for (const names::FileItem& item : snapshot.items(file_)->items) {
      last = item.kind == names::ItemKind::Fn ? item.id : last;
    }
    return last;
  }
};

struct Counts {
  size_t n_endless = 0;    ///< programs whose fixes do not terminate
  size_t n_changed = 0;    ///< programs that fixes changed
  size_t n_different = 0;  ///< and that are others now
  size_t n_compared = 0;   ///< runs of these that did not fail
  size_t n_broken = 0;     ///< runs in which a call broke a bound
};

auto values_for(const interpret::Executable& executable, const kernel::Kernel& kernel,
                uint64_t seed) -> std::vector<interpret::Value> {
  std::vector<interpret::Value> values;
  const std::vector<kernel::Value> drawn = oblivious::random_inputs(kernel, seed, seed + 1);
  for (size_t i = 0; i < drawn.size(); ++i) {
    const interpret::EntryParameter& parameter = executable.parameters[i];
    values.push_back({parameter.type, parameter.shape, drawn[i].cells});
  }
  return values;
}

/// What is other than before, or empty.
auto difference(const std::string& before, const std::string& after, uint64_t seed, Counts& counts)
    -> std::string {
  Program first(before);
  Program second(after);
  if (const std::string errors = second.errors(); !errors.empty()) {
    return errors;
  }
  const auto kernel = first.kernel();
  const auto one = first.executable();
  const auto other = second.executable();
  if (!kernel || !one || !other) {
    return other || !one ? "" : "it cannot be run\n";
  }
  ++counts.n_changed;
  for (uint64_t run = 0; run < 20; ++run) {
    const auto values = values_for(*one, *kernel, seed + 1000 * run);
    const interpret::RunResult expected = interpret::run(*one, values, {});
    if (!expected.is_done() || !expected.warnings.empty()) {
      counts.n_broken +=
          expected.failure && expected.failure->code == DiagnosticCode::T8020 ? 1 : 0;
      continue;
    }
    const interpret::RunResult found = interpret::run(*other, values, {});
    if (!found.is_done()) {
      return fmt::format("run {} fails: {}\n", run, found.failure ? found.failure->message : "");
    }
    for (size_t i = 0; i < expected.values.size(); ++i) {
      if (expected.values[i].cells != found.values[i].cells) {
        return fmt::format("result {} of run {} is another\n", i, run);
      }
    }
    ++counts.n_compared;
  }
  return {};
}

auto n_programs() -> uint64_t {
  const char* given = std::getenv("TACET_FIX_PROGRAMS");
  return given == nullptr ? 120 : std::strtoull(given, nullptr, 10);
}

TEST(SafeFixes, ChangeNoResultOfRandomPrograms) {
  constexpr FunctionShape kShapes[] = {FunctionShape::AllTypes, FunctionShape::AllTypes,
                                       FunctionShape::Steered, FunctionShape::Arrays};
  Counts counts;
  std::vector<uint64_t> seeds = {1074, 1381, 1532,
                                 2537, 4190, 5952};  // whose fixes once had no end
  for (uint64_t seed = 0; seed < n_programs(); ++seed) {
    seeds.push_back(seed);
  }
  for (const uint64_t seed : seeds) {
    Random random(seed);
    const std::string text = with_bounds(
        testing::random_function(kShapes[seed % 4], seed, seed % 8 < 4 ? "mpc" : "he"), random);
    if (!Program(text).errors().empty()) {
      continue;
    }
    const std::optional<std::string> after = fixed(text);
    if (!after) {
      constexpr size_t kMostShown = 5;
      if (++counts.n_endless <= kMostShown) {
        ADD_FAILURE() << "seed " << seed << ": safe fixes do not come to an end\n" << text;
      }
    } else if (*after != text) {
      const std::string found = difference(text, *after, seed, counts);
      constexpr size_t kMostShown = 5;
      if (!found.empty() && ++counts.n_different <= kMostShown) {
        ADD_FAILURE() << "seed " << seed << ": " << found << text << "\nbecomes\n" << *after;
      }
    }
  }
  fmt::print("{} programs changed, {} differ, {} runs compared, {} broke a bound, {} endless\n",
             counts.n_changed, counts.n_different, counts.n_compared, counts.n_broken,
             counts.n_endless);
  EXPECT_EQ(counts.n_endless, 0U);
  EXPECT_GE(10 * counts.n_changed, n_programs());
  EXPECT_GE(counts.n_compared, n_programs());
}

/// A bound that a call breaks is no reason to believe what it says: the run fails before it is
/// relied on, with and without the fix.
TEST(SafeFixes, OfAHelperHoldForItsCalls) {
  const std::string text = R"(#version 0.1.0

fn(mpc) sign(x: secret i64 in 0..100) -> secret i64 {
    1 if x >= 0 else -1
}
fn(mpc) f(x: secret i64) -> secret i64 { sign(x) }
)";
  bool warns = false;
  for (const Diagnostic& finding : Program(text).findings()) {
    warns = warns || finding.code == DiagnosticCode::T9116;
  }
  EXPECT_TRUE(warns);
  for (const std::string& version : {text, fixed(text).value_or("")}) {
    Program program(version);
    const auto executable = program.executable();
    ASSERT_TRUE(executable.has_value());
    const auto run = [&](int64_t x) {
      return interpret::run(*executable, {{engine::kI64, {}, {static_cast<uint64_t>(x)}}}, {});
    };
    EXPECT_TRUE(run(7).is_done());
    const interpret::RunResult broken = run(-7);
    ASSERT_TRUE(broken.failure.has_value()) << version;
    EXPECT_EQ(broken.failure->code, DiagnosticCode::T8020);
    EXPECT_EQ(broken.failure->message, "the argument is -7, but its bound allows at least 0");
  }
}

}  // namespace
}  // namespace tacet::linter
