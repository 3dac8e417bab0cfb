#pragma once

#include <map>
#include <optional>

#include "compiler/run/conformance/terms.h"

namespace tacet::conformance {

using FormId = Id<struct FormTag>;  ///< equal forms have equal ids
using AtomId = Id<struct AtomTag>;

/// What is known of an input.
struct InputFacts {
  ElementType type;
  bool is_bit = false;  ///< 0 or 1
};

/// Normal forms of terms: polynomials over atoms, with coefficients modulo 2^64, of integers
/// modulo 2^w of their type. Equal forms mean equal values.
///
/// Atoms are inputs and all operations that are none of a ring, each on normal forms: quotients,
/// shifts by what is not known, bits, comparisons, widening conversions, all of floats. Atoms that
/// are 0 or 1 are their own squares, so that `not`, `and`, `or` and selects are polynomials too: a
/// select is `otherwise + condition * (then - otherwise)`. Comparisons are all made of `<` and
/// `= 0`, up to sign; two equations that differ by a constant exclude one another.
class NormalForms {
 public:
  NormalForms(const Terms& terms, std::vector<InputFacts> inputs, size_t max_work)
      : terms_(terms), inputs_(std::move(inputs)), work_left_(max_work) {}

  /// The form of a value of this type. Nothing if it is too large.
  auto of(TermId term, ElementType type) -> std::optional<FormId>;

 private:
  /// Atoms in order; those that are no bits as often as they are factors.
  using Monomial = std::vector<uint32_t>;
  using Polynomial = std::map<Monomial, uint64_t>;  ///< coefficients other than 0

  struct Atom {
    Term term;  ///< its operands are forms: their ids are in `a`, `b` and `c`
    bool is_bit = false;

    friend auto operator==(const Atom&, const Atom&) -> bool = default;
  };

  static constexpr size_t kMostMonomials = 1024;

  void compute(TermId id);
  auto form_of(const Term& term) -> Polynomial;
  auto ring_operation(const Term& term) -> std::optional<Polynomial>;
  auto comparison(const Term& term) -> std::optional<Polynomial>;
  auto cast(const Term& term) -> Polynomial;
  auto is_zero(const Polynomial& polynomial, ElementType type) -> Polynomial;
  auto atom(Term key, bool is_bit) -> Polynomial;
  auto sum(const Polynomial& a, const Polynomial& b, uint64_t factor) -> Polynomial;
  auto product(const Polynomial& a, const Polynomial& b) -> Polynomial;
  auto times(const Monomial& a, const Monomial& b) const -> std::optional<Monomial>;
  auto exclude(uint32_t a, uint32_t b) const -> bool;
  auto is_small(const Polynomial& polynomial, ElementKind kind) const -> bool;
  void spend(size_t work);

  auto polynomial_of(TermId id) const -> const Polynomial& {
    return forms_[form_of_[id.index].index];
  }
  auto intern(Polynomial polynomial) -> FormId;
  static auto reduced(const Polynomial& polynomial, ElementType type) -> Polynomial;
  static auto number(uint64_t value) -> Polynomial;
  static auto number_in(const Polynomial& polynomial) -> std::optional<uint64_t>;

  const Terms& terms_;
  std::vector<InputFacts> inputs_;
  size_t work_left_;
  std::vector<FormId> form_of_;  ///< by term; none if it was not needed yet
  std::vector<Polynomial> forms_;
  std::map<Polynomial, FormId> form_ids_;
  std::vector<Atom> atoms_;
  std::map<std::vector<uint64_t>, uint32_t> atom_ids_;
};

}  // namespace tacet::conformance
