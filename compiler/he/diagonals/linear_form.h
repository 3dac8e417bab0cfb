#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/device/array/program.h"

/// What expressions are where they are sums of products of public numbers and, at most, one element
/// of a secret array each.
namespace tacet::diagonals {

/// Dimensions of the statement by their index, and from `kFirstBound` on those that a term is the
/// sum over, each in one term alone.
using Variable = uint32_t;
inline constexpr Variable kFirstBound = uint32_t{1} << 20;

struct Affine {
  int64_t constant = 0;
  std::map<Variable, int64_t> factors;  ///< none is 0

  friend auto operator==(const Affine&, const Affine&) -> bool = default;
};

void add_multiple(Affine& sum, const Affine& other, int64_t factor);
/// With `value` in place of the variable.
auto substituted(const Affine& affine, Variable variable, const Affine& value) -> Affine;

/// An element of an array; outside of it, 0.
struct Element {
  array::ArrayId array;
  std::vector<Affine> indices;

  friend auto operator==(const Element&, const Element&) -> bool = default;
};

/// The sum over all values of `bound` of literal * product of factors * secret.
struct Term {
  int64_t literal = 1;
  std::map<Variable, int64_t> bound;  ///< extents
  std::vector<Element> factors;       ///< of public arrays
  std::optional<Element> secret;
};

/// Whether the secret's element is in its array for all values of the variables.
auto is_inside(const Term& term, const array::Program& program, const array::Statement& statement)
    -> bool;

/// A sum of terms.
using LinearForm = std::vector<Term>;

/// The forms of expressions of a program.
class LinearForms {
 public:
  explicit LinearForms(const array::Program& program);

  /// Nothing if it is no such sum, or one of too many terms.
  [[nodiscard]] auto form_of(uint32_t statement, array::ExprId expr) -> std::optional<LinearForm>;

  /// With what is computed before, where that is linear itself, so that maps that follow each
  /// other are one; only where that leaves few terms and sums.
  [[nodiscard]] auto folded(LinearForm form, const array::Statement& statement) -> LinearForm;

  [[nodiscard]] auto is_secret(array::ArrayId array) const -> bool {
    return is_secret_[array.index];
  }

 private:
  auto found_form(uint32_t statement, array::ExprId expr) -> std::optional<LinearForm>;
  auto fresh(Term term) -> Term;
  auto product(const LinearForm& left, const LinearForm& right) -> std::optional<LinearForm>;
  auto fold(const Term& term, const array::Statement& statement) -> std::optional<LinearForm>;

  const array::Program& program_;
  std::vector<bool> is_secret_;
  std::vector<std::optional<uint32_t>> statement_of_;  ///< by array, what computes it
  std::vector<std::optional<LinearForm>> computed_;    ///< by array, folded
  Variable n_bound_ = kFirstBound;
  std::set<std::pair<uint32_t, uint32_t>> not_linear_;  ///< by statement and expression
};

}  // namespace tacet::diagonals
