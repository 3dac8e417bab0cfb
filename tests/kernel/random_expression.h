#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kernel/random_function.h"

/// Private to this folder.
namespace tacet::testing {

/// `secret [i8; 3, 2]`.
struct RandomType {
  std::string_view element = "i64";
  std::vector<int64_t> extents{};
  bool is_secret = false;

  [[nodiscard]] auto is_scalar() const -> bool { return extents.empty(); }
  [[nodiscard]] auto text() const -> std::string;
};

struct RandomVariable {
  std::string name;
  RandomType type;
  bool can_change = false;
  /// Of `for i: n`: may index arrays by sums of multiples only.
  bool is_index = false;
};

struct RandomSignature {
  std::string name;
  std::vector<RandomType> parameters;
  std::vector<RandomType> results;
};

/// Writes expressions over the variables of a scope.
class ExpressionWriter {
 public:
  ExpressionWriter(Random& random, const FunctionOptions& options);

  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto chance(uint64_t one_in) -> bool { return below(one_in) == 0; }
  template <class List>
  auto pick(const List& list) -> const auto& {
    return list[below(std::size(list))];
  }

  /// Of exactly this type but for secrecy: public where a public one is expected.
  auto expression(const RandomType& type, uint32_t depth) -> std::string;
  auto scalar(std::string_view element, bool may_be_secret, uint32_t depth) -> std::string;
  auto condition(bool may_be_secret, uint32_t depth) -> std::string;
  /// An index for a dimension of that extent; of any integer type.
  auto index(int64_t extent, bool may_be_secret, uint32_t depth) -> std::string;
  /// One that is inside, without a secret.
  auto inside(int64_t extent) -> std::string;
  auto literal(std::string_view element) -> std::string;
  auto element() -> std::string_view;
  auto type(bool may_be_secret) -> RandomType;
  auto call(const RandomSignature& callee, uint32_t depth) -> std::string;
  /// A variable of this type, and no more secret; nothing if there is none.
  auto variable(const RandomType& type) -> std::optional<std::string>;

  std::vector<RandomVariable> scope;
  std::vector<RandomSignature> callees;
  uint32_t n_names = 0;

 private:
  auto array(const RandomType& type, uint32_t depth) -> std::string;
  auto ordered(const RandomType& type, uint32_t depth) -> std::string;
  auto tabulation(const RandomType& type, uint32_t depth) -> std::string;
  auto read(std::string_view element, bool may_be_secret, uint32_t depth)
      -> std::optional<std::string>;
  auto arithmetic(std::string_view element, bool may_be_secret, uint32_t depth) -> std::string;
  auto division(std::string_view element, bool may_be_secret, uint32_t depth) -> std::string;
  auto shift(std::string_view element, bool may_be_secret, uint32_t depth) -> std::string;

  Random& random_;
  const FunctionOptions& options_;
  std::vector<std::string_view> elements_;
  bool is_in_index_ = false;
};

}  // namespace tacet::testing
