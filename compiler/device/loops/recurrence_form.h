#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/kernel.h"

/// What one iteration makes of the variables that a loop carries, in forms that are closed under
/// composition. Private to this folder.
namespace tacet::loops {

/// constant + the sum of factor · variable, by what the variables held when the iteration started;
/// of truth values in the field of two elements. What is absent is 0.
struct LinearForm {
  std::map<kernel::VariableId, kernel::ExprId> factors{};
  std::optional<kernel::ExprId> constant{};
};

/// min(max(variable + shift, lower), upper), of numbers without bounds. What is absent is 0, or no
/// bound.
struct ClampForm {
  std::optional<kernel::ExprId> shift{}, lower{}, upper{};
};

/// The same but for places in the text.
auto is_same_value(const kernel::Kernel& kernel, kernel::ExprId left, kernel::ExprId right) -> bool;

/// Sums and products of numbers, or of truth values, in which 0 and 1 disappear.
class Field {
 public:
  Field(kernel::Builder& make, engine::ElementType element) : make_(make), element_(element) {}

  using Term = std::optional<kernel::ExprId>;  ///< absent: 0
  auto sum(Term left, Term right) -> Term;
  auto difference(Term left, Term right) -> Term;
  auto product(Term left, Term right) -> Term;
  auto select(kernel::ExprId condition, Term then, Term otherwise) -> Term;
  auto one() -> kernel::ExprId { return make_.literal(element_, 1); }
  auto of(Term term) -> kernel::ExprId { return term ? *term : make_.literal(element_, 0); }

 private:
  [[nodiscard]] auto is_truth() const -> bool { return element_ == engine::kBool; }
  [[nodiscard]] auto is_one(Term term) const -> bool;

  kernel::Builder& make_;
  engine::ElementType element_;
};

/// The form of a value of variables whose forms are known; none if it has no such form.
/// O(size of the value). Operands that may fail are not chosen by what is evaluated before them.
auto linear_form(kernel::Builder& make, const std::map<kernel::VariableId, LinearForm>& forms,
                 const std::set<kernel::VariableId>& unknown, kernel::ExprId value)
    -> std::optional<LinearForm>;

/// Of signed numbers, as long as nothing overflows. Bounds that only one of two chosen values has
/// become `lowest` and `highest`.
struct ClampReader {
  kernel::Builder& make;
  const std::map<kernel::VariableId, ClampForm>& forms;
  const std::set<kernel::VariableId>& unknown;  ///< all that may not be read
  kernel::ExprId lowest{}, highest{};
  /// What is added, subtracted, and compared with.
  std::vector<kernel::ExprId> shifts{}, bounds{};
  bool has_filled = false;  ///< `lowest` or `highest` was needed

  auto read(kernel::ExprId value) -> std::optional<ClampForm>;

 private:
  auto read_select(const kernel::Select& select, engine::ElementType element)
      -> std::optional<ClampForm>;
  auto limited(ClampForm form, kernel::ExprId bound, bool is_lower) -> ClampForm;
  [[nodiscard]] auto is_known(kernel::ExprId value) const -> bool;
  auto extremum(engine::Function function, kernel::ExprId left, kernel::ExprId right)
      -> kernel::ExprId;
};

}  // namespace tacet::loops
