#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tacet::conformance {

enum class ExpressionKind : uint8_t {
  Number,
  Variable,  ///< x, y, z, then a[0], a[1], a[2]
  SumOfA,
  Add,
  Subtract,
  Multiply,
  Select,  ///< of a condition and two numbers
  Minimum,
  Maximum,
  Absolute,
  Less,
  LessEqual,
  Greater,
  Equal,
  Not,
};

/// An expression on three numbers and an array of three, of numbers or, for comparisons, of `bool`.
struct Expression {
  ExpressionKind kind = ExpressionKind::Number;
  int64_t number = 0;
  std::vector<Expression> operands{};
};

inline constexpr size_t kVariables = 6;
using Inputs = std::vector<int64_t>;  ///< as many

auto random_expression(std::mt19937_64& random, int depth) -> Expression;

/// An equivalent function: rewritten here and there.
auto rewritten(const Expression& expression, std::mt19937_64& random) -> Expression;

/// The same function without `min`, `max` and `abs`, which specifications do not call.
auto without_functions(const Expression& expression) -> Expression;

/// With another operator, number or variable at one place.
auto mutated(const Expression& expression, std::mt19937_64& random) -> Expression;

/// As Tacet has it.
auto text_of(const Expression& expression) -> std::string;

/// Modulo 2^64.
auto value_of(const Expression& expression, const Inputs& inputs) -> uint64_t;

}  // namespace tacet::conformance
