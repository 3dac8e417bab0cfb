#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/run/conformance/device_functions.h"
#include "tests/conformance/random_expression.h"

namespace tacet::conformance {
namespace {

/// A specification and a device function that claims to be it.
struct Case {
  Expression specified;
  Expression implemented;
};

/// Returns early, binds its operands to names, or is the expression alone.
auto body_of(const Expression& e, uint64_t style) -> std::string {
  if (e.kind == ExpressionKind::Select && style % 2 == 0) {
    return fmt::format("var r = {}; if {} {{ r = {}; }} return r;", text_of(e.operands[2]),
                       text_of(e.operands[0]), text_of(e.operands[1]));
  }
  if (e.kind == ExpressionKind::Multiply && style % 2 == 0) {
    return fmt::format("let s = {}; let t = {}; s * t", text_of(e.operands[0]),
                       text_of(e.operands[1]));
  }
  if (e.kind == ExpressionKind::Add && style % 3 == 0) {
    return fmt::format("var t = {}; for i in 0..1 {{ t = t + {}; }} return t;",
                       text_of(e.operands[0]), text_of(e.operands[1]));
  }
  return text_of(e);
}

auto outcomes_of(const std::vector<Case>& cases) -> std::vector<Outcome> {
  std::string text = "#version 0.1.0\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    text += fmt::format(
        "val v{0}(x: i64, y: i64, z: i64, a: [i64; 3]) -> i64 {{ returns {1} }}\n"
        "fn(mpc) f{0}(x: secret i64, y: secret i64, z: secret i64, a: secret [i64; 3]) -> secret "
        "i64 impls v{0} {{ {2} }}\n",
        i, text_of(without_functions(cases[i].specified)), body_of(cases[i].implemented, i));
  }
  program::Frontend frontend;
  const FileId file = frontend.set_file("main.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.message;
  }
  std::vector<Outcome> outcomes;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind == names::ItemKind::Fn) {
      const auto found = snapshot.get<ConformanceOfFunction>(item.id);
      outcomes.push_back(found == nullptr ? Outcome::NotDecided : found->outcome);
    }
  }
  return outcomes;
}

auto differ_somewhere(const Case& one, std::mt19937_64& random) -> bool {
  for (int i = 0; i < 600; ++i) {
    Inputs inputs;
    for (size_t k = 0; k < kVariables; ++k) {
      inputs.push_back(i % 3 == 0 ? static_cast<int64_t>(random())
                                  : static_cast<int64_t>(random() % 9) - 4);
    }
    if (value_of(one.specified, inputs) != value_of(one.implemented, inputs)) {
      return true;
    }
  }
  return false;
}

auto part(size_t n, size_t of) -> double {
  return static_cast<double>(n) / static_cast<double>(of);
}

TEST(RandomFunctions, RewrittenOnesAreNeverRefused) {
  std::mt19937_64 random(1);
  std::vector<Case> cases;
  for (int i = 0; i < 300; ++i) {
    const Expression specified = random_expression(random, 2 + i % 3);
    cases.push_back({specified, rewritten(rewritten(specified, random), random)});
  }
  const std::vector<Outcome> outcomes = outcomes_of(cases);
  ASSERT_EQ(outcomes.size(), cases.size());
  size_t n_decided = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_NE(outcomes[i], Outcome::Different) << text_of(cases[i].specified) << "\n"
                                               << text_of(cases[i].implemented);
    n_decided += outcomes[i] == Outcome::Proved || outcomes[i] == Outcome::Probable ? 1 : 0;
  }
  RecordProperty("decided", fmt::format("{:.3f}", part(n_decided, cases.size())));
  EXPECT_GE(part(n_decided, cases.size()), 0.95);
}

TEST(RandomFunctions, OnesWithAMistakeAreRefused) {
  std::mt19937_64 random(2);
  std::vector<Case> cases;
  while (cases.size() < 300) {
    const Expression specified = random_expression(random, 2 + static_cast<int>(random() % 3));
    Case one{specified, rewritten(mutated(specified, random), random)};
    if (differ_somewhere(one, random)) {
      cases.push_back(std::move(one));
    }
  }
  const std::vector<Outcome> outcomes = outcomes_of(cases);
  ASSERT_EQ(outcomes.size(), cases.size());
  size_t n_refused = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_NE(outcomes[i], Outcome::Proved) << text_of(cases[i].specified) << "\n"
                                            << text_of(cases[i].implemented);
    EXPECT_NE(outcomes[i], Outcome::Probable) << text_of(cases[i].specified) << "\n"
                                              << text_of(cases[i].implemented);
    n_refused += outcomes[i] == Outcome::Different ? 1 : 0;
  }
  RecordProperty("refused", fmt::format("{:.3f}", part(n_refused, cases.size())));
  EXPECT_GE(part(n_refused, cases.size()), 0.95);
}

}  // namespace
}  // namespace tacet::conformance
