#include "compiler/device/oblivious/secrecy.h"

#include <gtest/gtest.h>

namespace tacet::oblivious {
namespace {

using kernel::Block;
using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;
using types::Operator;

/// A kernel with the secret parameter `s`, the public parameter `p` and the public array `t`.
class SecrecyTest : public testing::Test {
 protected:
  SecrecyTest() {
    s_ = parameter("s", types::Visibility::Secret);
    p_ = parameter("p", types::Visibility::Public);
    t_ = kernel_.variables.add({.name = "t", .type = {engine::kI64, {4}}});
    kernel_.results.push_back({{engine::kI64, {}}});
  }

  auto parameter(std::string name, types::Visibility visibility) -> VariableId {
    const VariableId id = kernel_.variables.add({.name = std::move(name),
                                                 .type = {engine::kI64, {}},
                                                 .kind = kernel::VariableKind::Parameter,
                                                 .visibility = visibility});
    kernel_.parameters.push_back(id);
    return id;
  }
  auto local(std::string name) -> VariableId {
    return kernel_.variables.add({.name = std::move(name), .type = {engine::kI64, {}}});
  }
  auto expr(decltype(kernel::Expr::node) node) -> ExprId {
    return kernel_.exprs.add({std::move(node), {engine::kI64, {}}});
  }
  auto read(VariableId variable) -> ExprId { return expr(kernel::Read{variable}); }
  auto one() -> ExprId { return expr(kernel::Literal{1}); }
  auto less(ExprId a, ExprId b) -> ExprId { return expr(kernel::Binary{Operator::Lt, a, b}); }
  auto sum(ExprId a, ExprId b) -> ExprId { return expr(kernel::Binary{Operator::Add, a, b}); }
  template <class Node>
  auto statement(Node node) -> StatementId {
    return kernel_.statements.add({std::move(node)});
  }
  auto assign(VariableId variable, ExprId value) -> StatementId {
    return statement(kernel::Assign{variable, value});
  }
  auto returns(ExprId value) -> StatementId { return statement(kernel::Return{{value}}); }

  /// `s <- s; x <- s; branch`: the path of a secret.
  auto path_text(const Secrecy& secrecy, CauseId cause) const -> std::string {
    static constexpr std::string_view kKinds[] = {"parameter", "declared", "called",  "assigned",
                                                  "stored",    "decided",  "counted", "branch",
                                                  "loop",      "exit"};
    std::string text;
    for (const Cause& step : secrecy.path(cause)) {
      text += text.empty() ? "" : ", ";
      text += kKinds[static_cast<size_t>(step.kind)];
      if (step.variable.has_value()) {
        text += " " + kernel_.variables[step.variable].name;
      }
    }
    return text;
  }

  kernel::Kernel kernel_;
  VariableId s_, p_, t_;
};

TEST_F(SecrecyTest, FollowsValuesThroughVariables) {
  const VariableId x = local("x");
  const ExprId sum_of_both = sum(read(p_), read(s_));
  const ExprId x_read = read(x);
  const StatementId first = assign(x, sum_of_both);
  const StatementId branch = statement(kernel::If{less(x_read, one()), {}, {}});
  const StatementId again = assign(x, one());
  const StatementId end = returns(x_read);
  kernel_.body = {first, branch, again, end};
  const Secrecy secrecy = analyse_secrecy(kernel_);
  EXPECT_TRUE(secrecy.is_secret(first, sum_of_both));
  EXPECT_FALSE(secrecy.is_secret(first, read(p_)));
  EXPECT_EQ(path_text(secrecy, secrecy.cause(branch, x_read)), "parameter s, assigned x");
  EXPECT_FALSE(secrecy.is_secret(end, x_read));
  EXPECT_FALSE(secrecy.result(0).has_value());
}

TEST_F(SecrecyTest, WhatASecretDecidesIsSecretBehindIt) {
  const VariableId x = local("x");
  const VariableId inner = local("inner");
  const StatementId first = assign(x, one());
  const StatementId mine = assign(inner, one());
  const StatementId use = assign(x, expr(kernel::Element{read(t_), {read(inner)}}));
  const StatementId branch = statement(kernel::If{less(read(s_), one()), {mine, use}, {}});
  const StatementId end = returns(read(x));
  kernel_.body = {first, branch, end};
  const Secrecy secrecy = analyse_secrecy(kernel_);
  EXPECT_FALSE(secrecy.control(branch).has_value());
  EXPECT_EQ(path_text(secrecy, secrecy.control(use)), "parameter s, branch");
  // Declared in the arm: it is 1 there whatever the secret is.
  EXPECT_FALSE(secrecy.cause_of(use, inner).has_value());
  EXPECT_EQ(path_text(secrecy, secrecy.result(0)), "parameter s, branch, decided x");
}

TEST_F(SecrecyTest, FollowsLoops) {
  // var a = 0; var b = 0; for i in 0..p { use b; b = a; a = s; }
  const VariableId a = local("a");
  const VariableId b = local("b");
  const VariableId i = kernel_.variables.add(
      {.name = "i", .type = {engine::kI64, {}}, .kind = kernel::VariableKind::Counter});
  const ExprId b_read = read(b);
  const ExprId i_read = read(i);
  const StatementId use = statement(kernel::If{less(b_read, i_read), {}, {}});
  const StatementId loop = statement(
      kernel::For{i, one(), read(p_), {}, {}, {use, assign(b, read(a)), assign(a, read(s_))}});
  kernel_.body = {assign(a, one()), assign(b, one()), loop, returns(read(b))};
  const Secrecy secrecy = analyse_secrecy(kernel_);
  EXPECT_EQ(path_text(secrecy, secrecy.cause(use, b_read)), "parameter s, assigned a, assigned b");
  EXPECT_FALSE(secrecy.is_secret(use, i_read));
  EXPECT_FALSE(secrecy.control(use).has_value());
  EXPECT_TRUE(secrecy.result(0).has_value());
}

TEST_F(SecrecyTest, TheRestOfALoopDependsOnABreak) {
  // var x = 1; for i in 1..p { before; if s < 1 { break; } let k = i; x = k; }
  const VariableId x = local("x");
  const VariableId k = local("k");
  const VariableId n = local("n");
  const VariableId i = kernel_.variables.add(
      {.name = "i", .type = {engine::kI64, {}}, .kind = kernel::VariableKind::Counter});
  const StatementId before = assign(n, read(i));
  const StatementId leave =
      statement(kernel::If{less(read(s_), one()), {statement(kernel::Break{})}, {}});
  const StatementId mine = assign(k, read(i));
  const ExprId k_read = read(k);
  const StatementId use = assign(x, k_read);
  const StatementId loop =
      statement(kernel::For{i, one(), read(p_), {}, {}, {before, leave, mine, use}});
  const StatementId after = assign(n, one());
  const StatementId end = returns(read(x));
  kernel_.body = {assign(x, one()), assign(n, one()), loop, after, end};
  const Secrecy secrecy = analyse_secrecy(kernel_);
  EXPECT_EQ(path_text(secrecy, secrecy.control(use)), "parameter s, branch, exit");
  EXPECT_TRUE(secrecy.control(before).has_value()) << "in later turns";
  EXPECT_FALSE(secrecy.is_secret(use, k_read));
  EXPECT_FALSE(secrecy.control(after).has_value());
  EXPECT_TRUE(secrecy.result(0).has_value());
}

TEST_F(SecrecyTest, AnEarlyReturnDecidesTheRest) {
  const StatementId leave = statement(kernel::If{less(read(s_), one()), {returns(one())}, {}});
  const StatementId end = returns(expr(kernel::Literal{2}));
  kernel_.body = {leave, end};
  const Secrecy secrecy = analyse_secrecy(kernel_);
  EXPECT_TRUE(secrecy.control(end).has_value());
  EXPECT_TRUE(secrecy.result(0).has_value());
}

TEST_F(SecrecyTest, RevealsAndContextsMakePublic) {
  const VariableId x = local("x");
  const StatementId reveal = statement(kernel::Reveal{x, read(s_)});
  const StatementId end = returns(read(x));
  kernel_.body = {reveal, end};
  EXPECT_FALSE(analyse_secrecy(kernel_).result(0).has_value());
  kernel_.statements[end] = {kernel::Return{{read(s_)}}};
  EXPECT_TRUE(analyse_secrecy(kernel_).result(0).has_value());
  EXPECT_FALSE(analyse_secrecy(kernel_, {.parameters = {false, false}}).result(0).has_value());
}

TEST_F(SecrecyTest, CallsDecideTheirResults) {
  const VariableId x = local("x");
  const VariableId y = local("y");
  const StatementId call =
      statement(kernel::Call{.name = "f", .arguments = {read(p_), read(s_)}, .results = {x, y}});
  const StatementId end = returns(sum(read(x), read(y)));
  kernel_.body = {call, end};
  SecrecyOptions options;
  options.summary = [](const kernel::Call&, const std::vector<bool>& arguments) {
    return std::vector<bool>{arguments[0], arguments[1]};
  };
  const Secrecy secrecy = analyse_secrecy(kernel_, options);
  EXPECT_FALSE(secrecy.cause_of(end, x).has_value());
  EXPECT_EQ(path_text(secrecy, secrecy.cause_of(end, y)), "parameter s, called y");
}

}  // namespace
}  // namespace tacet::oblivious
