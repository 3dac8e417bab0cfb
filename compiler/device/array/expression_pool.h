#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/device/array/index_formula.h"

/// Private to this folder.
namespace tacet::array {

/// The expressions of one statement while it is made: equal ones are one, also those that differ
/// in the names of the dimensions they reduce.
///
/// For that a reduction is kept with a dimension that stands for all of its extent and *height*,
/// the number of reductions nested in it: inside of the reduction no other has that height, so
/// nothing is captured, and reductions that mean the same are equal as they stand. `finish` gives
/// each of them a dimension of its own.
class ExpressionPool {
 public:
  /// A statement with more, or with more work to find that it has less, is rejected: `is_full`.
  static constexpr size_t kMaxExpressions = 1 << 16;

  /// How what is multiplied by itself again and again is: in few steps, or as it stands, which is
  /// what arithmetic that rounds must be compared with.
  enum class Powers : uint8_t { Squared, InOrder };

  explicit ExpressionPool(const Store<ArrayId, Array>& arrays, Powers powers = Powers::Squared)
      : arrays_(arrays), powers_(powers) {}

  auto new_dim(std::string_view name, int64_t extent) -> DimId;
  [[nodiscard]] auto dims() const -> const Dims& { return dims_; }

  auto literal(int64_t value, FileRange place) -> ExprId;
  /// The literal 0 where the site is always outside of its array, and the element of a constant if
  /// it is always the same integer.
  auto site(Site site, FileRange place) -> ExprId;
  /// Operations on literals are literals, where the result fits; what adds 0, multiplies by 1 or by
  /// 0 is left out.
  auto operation(Operator op, ExprId left, ExprId right, FileRange place) -> ExprId;
  /// Likewise of functions; a choice between equals, or by a literal, is none.
  auto function(FunctionKind kind, Width width, std::vector<ExprId> operands, FileRange place)
      -> ExprId;
  /// Over `dim`, which must not be used for anything else. A body that does not depend on it is
  /// multiplied by its extent, or raised to that power.
  auto reduction(Operator op, DimId dim, ExprId body, FileRange place) -> ExprId;

  [[nodiscard]] auto is_full() const -> bool {
    return nodes_.size() > kMaxExpressions || n_made_ > 16 * kMaxExpressions;
  }

  /// The statement that computes `root` along `shape`, with what that needs.
  [[nodiscard]] auto finish(ArrayId result, ExprId root, const std::vector<DimId>& shape) const
      -> Statement;

 private:
  struct Node {
    Expr expr;
    std::vector<DimId> free_dims;  ///< in order
    uint32_t height = 0;
    std::string name;  ///< of the dimension that a reduction was over
  };

  struct Hash {
    auto operator()(const Expr& expr) const -> size_t;
  };
  struct Equal {
    auto operator()(const Expr& a, const Expr& b) const -> bool { return a.node == b.node; }
  };

  class Finisher;

  auto intern(Expr expr) -> ExprId;
  auto known_element(const Site& site) const -> std::optional<int64_t>;
  auto literal_of(ExprId expr) const -> std::optional<int64_t>;
  void describe(Node& node) const;
  auto is_free(DimId dim, ExprId expr) const -> bool;
  /// The dimension of all reductions with that extent and height.
  auto bound_dim(int64_t extent, uint32_t height) -> DimId;
  auto renamed(ExprId expr, DimId from, DimId to, std::unordered_map<ExprId, ExprId>& done)
      -> ExprId;
  auto power(Operator op, ExprId base, int64_t exponent, FileRange place) -> ExprId;

  const Store<ArrayId, Array>& arrays_;
  Powers powers_;
  Dims dims_;
  Store<ExprId, Node> nodes_;
  size_t n_made_ = 0;  ///< with those that were there
  std::unordered_map<Expr, ExprId, Hash, Equal> ids_;
  std::map<std::pair<int64_t, uint32_t>, DimId> bound_dims_;
};

}  // namespace tacet::array
