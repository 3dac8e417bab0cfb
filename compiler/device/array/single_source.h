#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/checked.h"

namespace tacet::array {

/// By expression of a statement: the number that it is whatever is read, if it is one.
using KnownNumbers = std::vector<std::optional<int64_t>>;

/// For each expression of a statement the nearest other one that all its values come by: `x` in
/// `select(less(x, 3), x * x, 7)`. So the sources of an expression are a chain, each the source of
/// the one before it. Elements of arrays and what reductions compute have none.
class SingleSources {
 public:
  SingleSources(const Statement& statement, const KnownNumbers& numbers);

  /// The nearest one; nothing if there is none.
  [[nodiscard]] auto of(ExprId expr) const -> std::optional<ExprId>;

 private:
  static constexpr int64_t kNumber = -2;  ///< it needs no source
  static constexpr int64_t kNone = -1;

  [[nodiscard]] auto common(int64_t a, int64_t b) const -> int64_t;
  [[nodiscard]] auto length(int64_t expr) const -> uint32_t;

  std::vector<int64_t> nearest_;  ///< by expression
  std::vector<uint32_t> length_;  ///< of the chain, by expression
};

/// An expression as a function of one of its sources.
class FunctionOfSource {
 public:
  FunctionOfSource(const Statement& statement, ExprId expr, ExprId source,
                   const KnownNumbers& numbers);

  /// Whether a comparison, choice, quotient or the like is in it.
  [[nodiscard]] auto has_functions() const -> bool { return has_functions_; }
  /// The expressions between both, the first included.
  [[nodiscard]] auto size() const -> size_t { return order_.size(); }
  /// Nothing if a number that matters needs more than 64 bits. O(size).
  [[nodiscard]] auto at(int64_t x) -> std::optional<int64_t>;

 private:
  void visit(ExprId id);
  [[nodiscard]] auto value(const Expr& expr) const -> Wrapped;
  [[nodiscard]] auto value(ExprId id) const -> Wrapped;

  const Statement& statement_;
  const KnownNumbers& numbers_;
  ExprId source_;
  std::vector<ExprId> order_;     ///< operands first
  std::vector<Wrapped> values_;   ///< by expression
  std::vector<bool> is_visited_;  ///< by expression
  bool has_functions_ = false;
};

}  // namespace tacet::array
