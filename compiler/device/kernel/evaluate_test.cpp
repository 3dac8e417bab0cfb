#include "compiler/device/kernel/evaluate.h"

#include <gtest/gtest.h>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/kernel_of_text.h"

namespace tacet::kernel {
namespace {

/// The events of a run on scalars, `b` for branches and `a` for addresses; a star if a secret
/// decided it.
auto events_of(const Kernel& kernel, const std::vector<int64_t>& scalars) -> std::string {
  std::vector<Value> inputs;
  for (size_t i = 0; i < scalars.size(); ++i) {
    inputs.push_back(
        {kernel.variables[kernel.parameters[i]].type, {static_cast<Cell>(scalars[i])}});
  }
  std::string text;
  for (const Event& event : evaluate(kernel, inputs).events) {
    constexpr std::string_view kKinds[] = {"b", "a", "call", "reveal", "fault"};
    text += text.empty() ? "" : " ";
    text += kKinds[static_cast<size_t>(event.kind)];
    text += std::to_string(static_cast<int64_t>(event.value));
    text += event.depends_on_secret ? "*" : "";
  }
  return text;
}

TEST(Evaluate, SaysWhatASecretDecides) {
  const Kernel kernel = kernel_of_text(R"(
    fn(mpc) f(x: secret i64, n: i64) -> secret i64 {
      let t = [5, 6, 7];
      var s: secret i64 = 0;
      for i in 0..2 { if x > i { s = s + t[i]; } }
      return t[s] if n > 0 else s;
    })");
  EXPECT_EQ(events_of(kernel, {1, 1}), "b1 b1* a0* b1 b0* b0 b1 a5*");
  EXPECT_EQ(events_of(kernel, {0, 0}), "b1 b0* b1 b0* b0 b0");
}

TEST(Evaluate, WhatAnExitSkipsIsSecret) {
  const Kernel breaks = kernel_of_text(R"(
    fn(mpc) f(x: secret i64) -> i64 {
      for i in 0..2 { if x == i { break; } }
      for i in 0..1 {}
      return 0;
    })");
  EXPECT_EQ(events_of(breaks, {0}), "b1 b1* b1 b0");
  EXPECT_EQ(events_of(breaks, {5}), "b1 b0* b1* b0* b0* b1 b0");
  const Kernel continues = kernel_of_text(R"(
    fn(mpc) f(x: secret i64, n: i64) -> i64 {
      for i in 0..2 { if x == i { continue; } if n > i {} }
      return 0;
    })");
  EXPECT_EQ(events_of(continues, {1, 1}), "b1 b0* b1* b1 b1* b0");
  const Kernel returns = kernel_of_text(R"(
    fn(mpc) f(x: secret i64) -> secret i64 {
      if x > 0 { return x; }
      for i in 0..1 {}
      return 0;
    })");
  EXPECT_EQ(events_of(returns, {1}), "b1*");
  EXPECT_EQ(events_of(returns, {0}), "b0* b1* b0*");
}

TEST(Evaluate, VariablesOfBothArmsBecomeSecret) {
  const Kernel kernel = kernel_of_text(R"(
    fn(mpc) f(x: secret i64) -> secret i64 {
      var s = 0;
      if x > 0 { s = 1; }
      if s == 0 {}
      let r = reveal(s);
      if r == 0 {}
      return s;
    })");
  EXPECT_EQ(events_of(kernel, {0}), "b0* b1* reveal0 b1");
}

TEST(Evaluate, LoopsTestSecretBounds) {
  const Kernel kernel = kernel_of_text(R"(
    fn(mpc) f(x: secret i64) -> i64 {
      var n: secret i64 = 0;
      while n < x max 2 { n = n + 1; }
      for i in 0..x max 1 {}
      return 0;
    })");
  EXPECT_EQ(events_of(kernel, {1}), "b1* b1* b0* b1* b1* b0*");
  const std::vector<Value> inputs = {{kernel.variables[kernel.parameters[0]].type, {9}}};
  EXPECT_TRUE(evaluate(kernel, inputs).was_cut_short);
}

TEST(Evaluate, ObliviousNodesDoNotBranch) {
  Kernel kernel =
      kernel_of_text("fn(mpc) f(x: secret bool, y: secret bool) -> secret bool { x && y }");
  EXPECT_EQ(events_of(kernel, {1, 1}), "");
  Builder build(kernel);
  const ExprId x = build.read(kernel.parameters[0]);
  const ExprId y = build.read(kernel.parameters[1]);
  auto returns = [&](ExprId value) {
    kernel.body = {build.statement(Return{{value}})};
    return events_of(kernel, {1, 0});
  };
  EXPECT_EQ(returns(build.binary(types::Operator::Land, x, y, Obliviousness::MayBranch)), "b1*");
  EXPECT_EQ(returns(build.select(x, y, x, Obliviousness::MayBranch)), "b1*");
  EXPECT_EQ(returns(build.select(x, y, x, Obliviousness::Oblivious)), "");
}

TEST(Evaluate, FaultsEndARun) {
  const Kernel kernel = kernel_of_text(R"(
    fn(mpc) f(x: secret i64, n: i64, m: i64) -> secret i64 {
      var t = [1, 2];
      t[n] = 3;
      return (1 / x) / m;
    })");
  EXPECT_EQ(events_of(kernel, {1, 1, 1}), "a1");
  EXPECT_EQ(events_of(kernel, {0, 1, 1}), "a1");
  EXPECT_EQ(events_of(kernel, {1, 1, 0}), "a1 fault0");
  EXPECT_EQ(events_of(kernel, {1, 2, 1}), "a2 fault2");
}

}  // namespace
}  // namespace tacet::kernel
