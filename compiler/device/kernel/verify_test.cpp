#include "compiler/device/kernel/verify.h"

#include <gtest/gtest.h>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/kernel_of_text.h"

namespace tacet::kernel {
namespace {

/// What is wrong with a function of `x` once `change` has changed it.
template <class Change>
auto mistakes_after(const Change& change) -> std::string {
  Kernel kernel = kernel_of_text("fn(mpc) f(x: i64, t: [i64; 3]) -> i64 { return x; }");
  EXPECT_TRUE(verify(kernel).empty());
  Builder build(kernel);
  change(build, kernel.parameters[0]);
  std::string text;
  for (const std::string& mistake : verify(kernel)) {
    text += mistake.substr(0, mistake.find(" (at")) + "; ";
  }
  return text;
}

TEST(Verify, PathsWithoutAReturn) {
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) { build.kernel().body.clear(); }),
            "a path through the body ends without a return; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) {
              Block& body = build.kernel().body;
              body = {build.statement(If{build.truth(true), body, {}})};
            }),
            "a path through the body ends without a return; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) {
              Block& body = build.kernel().body;
              body = {build.statement(While{.condition = build.truth(true), .body = body})};
            }),
            "");
}

TEST(Verify, Types) {
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) {
              build.kernel().body = {build.statement(Return{{build.truth(true)}})};
            }),
            "a return of other types; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId x) {
              const ExprId sum =
                  build.binary(types::Operator::Add, build.read(x), build.truth(true));
              build.kernel().body = {build.statement(Return{{sum}})};
            }),
            "an operator of another type; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId x) {
              build.kernel().variables[x].type.extents = {2};
            }),
            "a variable of another type; ");
}

TEST(Verify, VariablesThatAreNotTheirs) {
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId x) {
              Block& body = build.kernel().body;
              body.insert(body.begin(), build.assign(x, build.integer(1)));
            }),
            "`x` is assigned to; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) {
              Block& body = build.kernel().body;
              const VariableId twice = build.variable("twice", {engine::kI64, {}});
              body.insert(body.begin(), build.assign(twice, build.integer(1)));
              body.insert(body.begin(), build.assign(twice, build.integer(2)));
            }),
            "`twice` is assigned to in several places and not mutable; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId x) {
              const VariableId i = build.variable("i", {engine::kI64, {}}, VariableKind::Counter);
              const ExprId number = build.read(x);
              build.kernel().body = {
                  build.statement(For{.counter = i, .lower = number, .upper = number, .body = {}}),
                  build.statement(Return{{build.read(i)}})};
            }),
            "`i` is read outside of its loop; ");
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId x) {
              build.kernel().variables[build.kernel().parameters[1]].name =
                  build.kernel().variables[x].name;
            }),
            "two variables are called `x`; ");
}

TEST(Verify, JumpsWithoutALoop) {
  EXPECT_EQ(mistakes_after([](Builder& build, VariableId) {
              build.kernel().body.push_back(build.statement(Break{}));
            }),
            "a break outside of loops; ");
}

}  // namespace
}  // namespace tacet::kernel
