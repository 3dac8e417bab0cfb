// Functions as arithmetic modulo a prime: every pair of operands in every kind of interval, against
// what functions mean; in plaintext, with random values in slots that do not matter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"
#include "compiler/he/lower/compile.h"
#include "compiler/he/lower/expand_functions.h"
#include "compiler/he/lower/table_polynomial.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

using array::ExprId;
using array::FunctionKind;
using array::Interval;

/// out[i] = (tree of functions)(a[i], b[i]); a tree is written from its operands up.
class PairProgram {
 public:
  PairProgram(Interval a, Interval b) : a_(a), b_(b) {
    for (int64_t x = a.low; x <= a.high; ++x) {
      for (int64_t y = b.low; y <= b.high; ++y) {
        left_.push_back(x);
        right_.push_back(y);
      }
    }
    const auto n = static_cast<int64_t>(left_.size());
    const auto client = array::Owner::Client;
    program_.arrays.add({"a", {n}, client, a, {}});
    program_.arrays.add({"b", {n}, client, b, {}});
    const array::ArrayId out =
        program_.arrays.add({"out", {n}, array::Owner::Computed, std::nullopt, {}});
    statement_.result = out;
    const array::DimId dim = statement_.dims.add({"i", n});
    statement_.shape = {dim};
    for (uint32_t i = 0; i < 2; ++i) {
      statement_.exprs.add(
          {array::Site{array::ArrayId{i}, {{.offset = 0, .terms = {{.dim = dim}}}}}, {}});
    }
  }

  static constexpr ExprId kA{0};
  static constexpr ExprId kB{1};

  auto literal(int64_t value) -> ExprId {
    return statement_.exprs.add({array::Literal{value}, {}});
  }
  auto function(FunctionKind kind, std::vector<ExprId> operands, array::Width width = {})
      -> ExprId {
    return statement_.exprs.add({array::Function{kind, std::move(operands), width}, {}});
  }
  auto operation(array::Operator op, ExprId left, ExprId right) -> ExprId {
    return statement_.exprs.add({array::Operation{op, left, right}, {}});
  }

  [[nodiscard]] auto arrays() const -> const Store<array::ArrayId, array::Array>& {
    return program_.arrays;
  }
  [[nodiscard]] auto size() const -> int64_t { return static_cast<int64_t>(left_.size()); }
  void set(array::Statement statement) { statement_ = std::move(statement); }

  /// With the last expression as its result.
  [[nodiscard]] auto program() const -> array::Program {
    array::Program program = program_;
    program.statements = {statement_};
    program.statements.back().root = ExprId{static_cast<uint32_t>(statement_.exprs.size() - 1)};
    return program;
  }

  void expect_right() const {
    const array::Program program = this->program();
    SCOPED_TRACE(array::print(program));
    ASSERT_EQ(array::find_fault(program), "");
    const Compilation compilation = compile(program, {});
    ASSERT_TRUE(compilation.compiled)
        << compilation.problem
        << (compilation.diagnostics.empty() ? "" : compilation.diagnostics.front().message);
    const std::vector<int64_t> expected = array::evaluate(program, {left_, right_}).output();
    for (const int64_t value : expected) {
      ASSERT_TRUE(compilation.compiled->result.low <= value &&
                  value <= compilation.compiled->result.high);
    }
    EXPECT_EQ(clear_result(*compilation.compiled, {{"a", left_}, {"b", right_}}, 1), expected);
  }

 private:
  Interval a_, b_;
  std::vector<int64_t> left_, right_;
  array::Program program_;
  array::Statement statement_;
};

constexpr FunctionKind kKinds[] = {
    FunctionKind::Equal,  FunctionKind::Less,      FunctionKind::Divide,
    FunctionKind::Modulo, FunctionKind::Remainder, FunctionKind::FloorDivide,
    FunctionKind::BitAnd, FunctionKind::BitOr,     FunctionKind::BitXor};

constexpr array::Operator kOperators[] = {array::Operator::Add, array::Operator::Subtract,
                                          array::Operator::Multiply};

TEST(ExpandFunctions, GivesEveryPairItsValue) {
  for (const auto& [a, b] : {std::pair<Interval, Interval>{{0, 1}, {0, 1}},
                             {{-3, 4}, {-2, 2}},
                             {{5, 9}, {0, 3}},
                             {{-1, 0}, {-7, 8}}}) {
    for (const FunctionKind kind : kKinds) {
      PairProgram pairs(a, b);
      pairs.function(kind, {PairProgram::kA, PairProgram::kB});
      pairs.expect_right();
    }
  }
}

TEST(ExpandFunctions, WrapsOperandsToTheirType) {
  for (const auto& [a, b] : {std::pair<Interval, Interval>{{-3, 4}, {-2, 2}},
                             {{120, 130}, {126, 129}},
                             {{250, 260}, {-1, 1}},
                             {{-130, -125}, {510, 514}}}) {
    for (const array::Width width : {array::Width{8, false}, array::Width{8, true}}) {
      for (const FunctionKind kind : kKinds) {
        if (harness::rounds(1) == 1 && static_cast<size_t>(kind) % 2 != (width.is_signed ? 1 : 0)) {
          continue;  // each function with one of both; with more rounds with both
        }
        PairProgram pairs(a, b);
        pairs.function(kind, {PairProgram::kA, PairProgram::kB}, width);
        pairs.expect_right();
      }
    }
  }
}

TEST(ExpandFunctions, ComparesWideNumbersModuloTheirWidth) {
  PairProgram pairs({0, 9}, {0, 0});
  const ExprId unit = pairs.literal(8192);
  const ExprId wide = pairs.operation(array::Operator::Multiply, PairProgram::kA, unit);
  pairs.function(FunctionKind::Equal, {wide, unit}, array::Width{16, false});
  pairs.expect_right();
}

TEST(ExpandFunctions, KnowsOneOperand) {
  for (const int64_t number : {-3, 2}) {
    for (const FunctionKind kind : kKinds) {
      PairProgram pairs({-20, 30}, {0, 0});
      pairs.function(kind, {PairProgram::kA, pairs.literal(number)});
      pairs.expect_right();
      PairProgram other({-5, 9}, {0, 0});
      const ExprId literal = other.literal(number);
      other.function(kind, {literal, PairProgram::kA});
      other.expect_right();
    }
  }
}

TEST(ExpandFunctions, SelectsAndOrders) {
  const auto less = [](PairProgram& pairs) {
    return pairs.function(FunctionKind::Less, {PairProgram::kA, PairProgram::kB});
  };
  for (const bool is_larger : {true, false}) {
    PairProgram pairs({-9, 12}, {-4, 9});
    const ExprId condition = less(pairs);
    pairs.function(FunctionKind::Select, {condition, is_larger ? PairProgram::kB : PairProgram::kA,
                                          is_larger ? PairProgram::kA : PairProgram::kB});
    pairs.expect_right();
  }
  PairProgram pairs({-9, 12}, {-4, 9});
  const ExprId condition = less(pairs);
  const ExprId product =
      pairs.operation(array::Operator::Multiply, PairProgram::kA, PairProgram::kB);
  pairs.function(FunctionKind::Select, {condition, product, pairs.literal(-100)});
  pairs.expect_right();
}

/// Remainders by 0 and what one number exceeds another by are functions of the same difference.
TEST(ExpandFunctions, KeepsFunctionsOfTheSameNumbersApart) {
  PairProgram pairs({-5, 5}, {0, 5});
  const ExprId condition = pairs.function(FunctionKind::Less, {PairProgram::kA, PairProgram::kB});
  const ExprId larger =
      pairs.function(FunctionKind::Select, {condition, PairProgram::kB, PairProgram::kA});
  const ExprId difference =
      pairs.operation(array::Operator::Subtract, PairProgram::kA, PairProgram::kB);
  const ExprId rest =
      pairs.function(FunctionKind::Remainder, {difference, PairProgram::kB}, array::Width{});
  pairs.operation(array::Operator::Add, larger, rest);
  pairs.expect_right();
}

TEST(ExpandFunctions, DistinguishesWideNumbersByAPower) {
  PairProgram pairs({-20000, -19990}, {0, 2});
  const ExprId wide = pairs.operation(array::Operator::Multiply, PairProgram::kA, PairProgram::kB);
  pairs.function(FunctionKind::Equal, {wide, pairs.literal(-39982)});
  pairs.expect_right();
}

/// Random functions and operations on one number, literals and each other: one polynomial, whatever
/// is in between. Every third program has another number in its last expression.
TEST(ExpandFunctions, MakesOnePolynomialOfWhatDependsOnOneNumber) {
  for (uint32_t seed = 0; seed < 18; ++seed) {
    std::minstd_rand random(seed + 1);
    const auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
    const bool has_other = seed % 3 == 0;
    PairProgram pairs({-9, 14}, has_other ? Interval{0, 2} : Interval{0, 0});
    array::ExpressionPool pool(pairs.arrays());
    const array::DimId dim = pool.new_dim("i", pairs.size());
    const auto site = [&](uint32_t array) {
      return pool.site({array::ArrayId{array}, {{.offset = 0, .terms = {{.dim = dim}}}}}, {});
    };
    std::vector<ExprId> made = {site(0)};
    const auto any = [&] {
      return below(4) == 0 ? pool.literal(int64_t{below(9)} - 3, {}) : made[below(made.size())];
    };
    for (uint32_t i = 0; i < 12; ++i) {
      const ExprId left = i == 11 && has_other ? site(1) : any();
      const ExprId right = made.back();
      if (below(3) == 0) {
        const ExprId is_less = pool.function(FunctionKind::Less, {}, {any(), right}, {});
        made.push_back(pool.function(FunctionKind::Select, {}, {is_less, left, right}, {}));
      } else if (below(2) == 0) {
        const ExprId size = pool.literal(17, {});
        const ExprId small = pool.function(FunctionKind::Modulo, {}, {right, size}, {});
        made.push_back(pool.operation(kOperators[below(3)], left, small, {}));
      } else {
        made.push_back(pool.function(kKinds[below(4)], {}, {right, pool.literal(2, {})}, {}));
      }
    }
    SCOPED_TRACE(seed);
    pairs.set(pool.finish(array::ArrayId{2}, made.back(), {dim}));
    pairs.expect_right();
  }
}

TEST(ExpandFunctions, TakesSeveralPrimesForLargeResults) {
  PairProgram pairs({-3, 4}, {-2, 2});
  const ExprId is_less = pairs.function(FunctionKind::Less, {PairProgram::kA, PairProgram::kB});
  const ExprId large =
      pairs.operation(array::Operator::Multiply, PairProgram::kA, pairs.literal(int64_t{1} << 59));
  pairs.function(FunctionKind::Select, {is_less, large, PairProgram::kB});
  const Compilation compilation = compile(pairs.program(), {});
  ASSERT_TRUE(compilation.compiled) << compilation.problem;
  EXPECT_GE(compilation.compiled->parts.size(), 2U);
  pairs.expect_right();
}

/// Products of what is encrypted, and levels of them, that a table on [low, high] takes.
auto plan_of(Interval domain, int64_t (*function)(int64_t)) -> std::string {
  const std::optional<TablePolynomial> polynomial = polynomial_of(function, domain, 65537);
  return polynomial ? fmt::format("{} products, {} levels", polynomial->plan.n_products,
                                  polynomial->plan.depth)
                    : "too wide";
}

TEST(ExpandFunctions, NeedsFewProducts) {
  const auto is_zero = [](int64_t d) -> int64_t { return d == 0 ? 1 : 0; };
  const auto is_negative = [](int64_t d) -> int64_t { return d < 0 ? 1 : 0; };
  EXPECT_EQ(plan_of({0, 1}, is_zero), "0 products, 0 levels");
  EXPECT_EQ(plan_of({-1, 1}, is_zero), "1 products, 1 levels");
  EXPECT_EQ(plan_of({-1, 1}, is_negative), "1 products, 1 levels");
  EXPECT_EQ(plan_of({-15, 15}, is_zero), "8 products, 5 levels");
  EXPECT_EQ(plan_of({-15, 15}, is_negative), "11 products, 5 levels");
  EXPECT_EQ(plan_of({-255, 255}, is_zero), "34 products, 9 levels");
  EXPECT_EQ(plan_of({-255, 255}, is_negative), "35 products, 10 levels");
  EXPECT_EQ(plan_of({0, 4096}, is_zero), "too wide");
}

TEST(ExpandFunctions, ReportsWhatIsTooExpensive) {
  PairProgram pairs({-30000, -29990}, {0, 3});
  const ExprId wide = pairs.operation(array::Operator::Multiply, PairProgram::kA, PairProgram::kB);
  pairs.function(FunctionKind::Less, {wide, pairs.literal(-59982)});
  const Compilation compilation = compile(pairs.program(), {});
  ASSERT_EQ(compilation.diagnostics.size(), 1U);
  const Diagnostic& diagnostic = compilation.diagnostics.front();
  EXPECT_EQ(code_name(diagnostic.code), "T6004");
  EXPECT_EQ(
      diagnostic.message,
      "comparison of numbers in -90000..=0 and -59982..=-59982 is too expensive under encryption");
  ASSERT_EQ(diagnostic.notes.size(), 2U);
  EXPECT_EQ(diagnostic.notes[0], "the operands are `a[i] * b[i]` and `-59982`");
  EXPECT_EQ(diagnostic.notes[1],
            "it is a polynomial of degree 90000 in the difference, of multiplicative depth 17; the "
            "degree must be at most 4095: give the parameters narrower ranges, `in LO..HI`");
}

}  // namespace
}  // namespace tacet::he_lower
