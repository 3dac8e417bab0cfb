// What the linter has nothing against shows nothing: two runs that differ in their secrets alone
// branch alike, address alike, fail alike. And every rule notices the leak that it is there for.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/spec/program/frontend.h"
#include "linter/lint_file.h"
#include "linter/rules/rules.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::linter {
namespace {

/// Is it a path on which a secret gets out?
auto is_path_out(DiagnosticCode code) -> bool {
  const Rule* rule = find_rule(code);
  return rule == nullptr || rule->kind == RuleKind::Channel || rule->kind == RuleKind::Leak;
}

/// The codes of findings in a module.
auto codes_in(const std::string& text, bool (*is_wanted)(DiagnosticCode)) -> std::set<std::string> {
  program::Frontend frontend;
  const FileId file = frontend.set_file("main.tacet", text);
  const auto findings = frontend.snapshot().query().run(
      [&](query::Context& context) { return lint_file(context, file); });
  std::set<std::string> codes;
  for (const Diagnostic& finding : findings) {
    if (is_wanted(finding.code)) {
      codes.emplace(code_name(finding.code));
    }
  }
  return codes;
}

auto leaks_in(const std::string& text) -> std::set<std::string> {
  return codes_in(text, is_path_out);
}

/// A choice between expressions is no branch: every device computes both.
auto with_selections(kernel::Kernel kernel) -> kernel::Kernel {
  for (uint32_t i = 0; i < kernel.exprs.size(); ++i) {
    if (auto* select = std::get_if<kernel::Select>(&kernel.exprs[kernel::ExprId{i}].node)) {
      select->is_oblivious = true;
    }
  }
  return kernel;
}

/// What a run shows, an event a line.
auto shown(const kernel::Kernel& kernel, const std::vector<kernel::Value>& inputs) -> std::string {
  const kernel::Evaluation run = kernel::evaluate(kernel, inputs);
  std::string text;
  for (const kernel::Event& event : run.events) {
    text += event_text(kernel, event) + "\n";
  }
  return text + (run.fault ? fmt::format("fault {}\n", static_cast<int>(*run.fault)) : "");
}

/// Two runs of the function in `text` with the same public values and other secrets.
void expect_same_traces(const std::string& text, uint64_t seed, size_t& n_events) {
  const kernel::Kernel kernel = with_selections(oblivious::kernel_of(text));
  for (uint64_t run = 0; run < 3; ++run) {
    const std::string trace = shown(kernel, oblivious::random_inputs(kernel, seed + run, 2 * seed));
    n_events += static_cast<size_t>(std::count(trace.begin(), trace.end(), '\n'));
    ASSERT_EQ(trace, shown(kernel, oblivious::random_inputs(kernel, seed + run, 2 * seed + 1)))
        << "seed " << seed << "\n"
        << text;
  }
}

TEST(Soundness, WhatPassesShowsNothingOfItsSecrets) {
  constexpr uint64_t kPrograms = 400;
  size_t n_clean = 0;
  size_t n_rewritten_clean = 0;
  size_t n_events = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    const std::string text = testing::random_function(testing::FunctionShape::Steered, seed);
    if (leaks_in(text).empty()) {
      ++n_clean;
      expect_same_traces(text, seed, n_events);
    }
    // What the compiler makes of it passes far more often.
    const oblivious::ObliviousForm form = oblivious::make_oblivious(oblivious::kernel_of(text));
    const std::string rewritten = "#version 0.1.0\n\n" + kernel::print(form.kernel);
    if (leaks_in(rewritten).empty()) {
      ++n_rewritten_clean;
      expect_same_traces(rewritten, seed, n_events);
    }
  }
  EXPECT_GE(n_clean + n_rewritten_clean, 100U) << n_clean << " and " << n_rewritten_clean;
  EXPECT_GE(n_events, 1000U);
}

/// A program that shows nothing, and changes of it that do.
struct Mutation {
  std::string_view what;
  std::string_view from, to;
  std::string_view code;
};

constexpr std::string_view kClean = R"(#version 0.1.0

extern(mpc) pure known(i64) -> i64 {}

fn(mpc) f(t: secret [i64; 8], s: secret i64, n: i64 in 1..9) -> (secret i64, i64) {
    var u = t;
    var sum = 0;
    for i in 0..n {
        if n > 3 {
            sum = sum + t[i];
        }
        u[i] = sum;
    }
    let quotient = s / n;
    let shifted = s << (n - 1);
    let chosen = sum / n if s > 0 else quotient;
    let public = n;
    return (chosen + shifted + u[n - 1], public);
}
)";

constexpr Mutation kMutations[] = {
    {"branch", "if n > 3", "if s > 3", "T5001"},
    {"bound of a loop, limited", "0..n {", "0..s max 8 {", "T5002"},
    {"bound of a loop, not limited", "0..n {", "0..s {", "T5030"},
    {"index read", "+ t[i]", "+ t[s]", "T5003"},
    {"index written", "u[i] = sum", "u[s] = sum", "T5004"},
    {"way out", "u[i] = sum;", "u[i] = sum; if s > sum { break; }", "T5005"},
    {"divisor", "s / n", "n / s", "T5006"},
    {"distance", "s << (n - 1)", "n << s", "T5007"},
    {"fault in an arm", "if n > 3 {\n            sum = sum + t[i]",
     "if s > 3 {\n            sum = sum + t[i] / (n - 4)", "T5008"},
    {"public result", "let public = n;", "var public: i64 = n; if s > 3 { public = 0; }", "T5009"},
    {"fault in a choice", "sum / n if", "sum / (n - 4) if", "T5008"},
    {"call under a secret", "let public = n;",
     "var public = n; var k: secret i64 = 0; if s > 3 { k = reveal(s); }", "T5032"},
};

TEST(Mutations, CleanProgramHasNoFinding) {
  EXPECT_EQ(leaks_in(std::string(kClean)), std::set<std::string>());
}

TEST(Mutations, EachIsNoticedByItsRule) {
  for (const Mutation& mutation : kMutations) {
    std::string text(kClean);
    const size_t at = text.find(mutation.from);
    ASSERT_NE(at, std::string::npos) << mutation.what;
    text.replace(at, mutation.from.size(), mutation.to);
    const auto found = codes_in(text, [](DiagnosticCode) { return true; });
    EXPECT_TRUE(found.contains(std::string(mutation.code))) << mutation.what << "\n" << text;
  }
}

}  // namespace
}  // namespace tacet::linter
