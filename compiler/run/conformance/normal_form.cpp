#include "compiler/run/conformance/normal_form.h"

#include <algorithm>

namespace tacet::conformance {

using engine::is_integer;

namespace {

constexpr uint64_t kMinusOne = ~uint64_t{0};

/// Whether addition is that of integers modulo a power of two.
auto adds_as_integer(ElementKind kind) -> bool {
  return is_integer(kind) || kind == ElementKind::Fxp;
}

auto is_bool(ElementType type) -> bool {
  return type.kind == ElementKind::Bool;
}

auto is_comparison(BinaryOperation operation) -> bool {
  return operation >= BinaryOperation::Less;
}

}  // namespace

auto NormalForms::of(TermId term, ElementType type) -> std::optional<FormId> {
  form_of_.resize(terms_.size());
  // Operands come first, so what is needed is found backwards and computed forwards.
  std::vector<bool> is_needed(term.index + 1);
  is_needed[term.index] = true;
  for (uint32_t i = term.index + 1; i-- > 0;) {
    const Term& needed = terms_[TermId{i}];
    if (is_needed[i] && !form_of_[i].has_value()) {
      for (const TermId operand : {needed.a, needed.b, needed.c}) {
        if (operand.has_value()) {
          is_needed[operand.index] = true;
        }
      }
    }
  }
  for (uint32_t i = 0; i <= term.index; ++i) {
    if (is_needed[i] && !form_of_[i].has_value()) {
      compute(TermId{i});
      if (work_left_ == 0) {
        return std::nullopt;
      }
    }
  }
  return intern(reduced(polynomial_of(term), type));
}

void NormalForms::spend(size_t work) {
  work_left_ -= std::min(work, work_left_);
}

void NormalForms::compute(TermId id) {
  Polynomial polynomial = form_of(terms_[id]);
  if (polynomial.size() > kMostMonomials) {
    work_left_ = 0;
  }
  form_of_[id.index] = intern(std::move(polynomial));
}

auto NormalForms::intern(Polynomial polynomial) -> FormId {
  const auto [known, is_new] =
      form_ids_.try_emplace(std::move(polynomial), FormId{static_cast<uint32_t>(forms_.size())});
  if (is_new) {
    forms_.push_back(known->first);
    spend(known->first.size());
  }
  return known->second;
}

auto NormalForms::number(uint64_t value) -> Polynomial {
  return value == 0 ? Polynomial() : Polynomial{{{}, value}};
}

auto NormalForms::number_in(const Polynomial& polynomial) -> std::optional<uint64_t> {
  if (polynomial.empty()) {
    return 0;
  }
  return polynomial.size() == 1 && polynomial.begin()->first.empty()
             ? std::optional(polynomial.begin()->second)
             : std::nullopt;
}

/// Coefficients modulo 2^w. Other types keep all 64 bits, and so do bits.
auto NormalForms::reduced(const Polynomial& polynomial, ElementType type) -> Polynomial {
  if (!is_integer(type.kind) || bit_width(type.kind) == 64) {
    return polynomial;
  }
  Polynomial result;
  for (const auto& [monomial, coefficient] : polynomial) {
    const uint64_t rest = coefficient & ((uint64_t{1} << bit_width(type.kind)) - 1);
    if (rest != 0) {
      result.emplace_hint(result.end(), monomial, rest);
    }
  }
  return result;
}

auto NormalForms::sum(const Polynomial& a, const Polynomial& b, uint64_t factor) -> Polynomial {
  spend(a.size() + b.size());
  Polynomial result = a;
  for (const auto& [monomial, coefficient] : b) {
    const auto [at, is_new] = result.try_emplace(monomial, 0);
    at->second += factor * coefficient;
    if (at->second == 0) {
      result.erase(at);
    }
  }
  return result;
}

auto NormalForms::product(const Polynomial& a, const Polynomial& b) -> Polynomial {
  Polynomial result;
  if (a.size() * b.size() > 4 * kMostMonomials * kMostMonomials / 16) {
    work_left_ = 0;
    return result;
  }
  for (const auto& [left, left_coefficient] : a) {
    for (const auto& [right, right_coefficient] : b) {
      const std::optional<Monomial> monomial = times(left, right);
      spend(1 + left.size() + right.size());
      if (monomial) {
        const auto [at, is_new] = result.try_emplace(*monomial, 0);
        at->second += left_coefficient * right_coefficient;
        if (at->second == 0) {
          result.erase(at);
        }
      }
    }
  }
  return result;
}

/// Nothing if the product is always 0.
auto NormalForms::times(const Monomial& a, const Monomial& b) const -> std::optional<Monomial> {
  Monomial merged;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  Monomial result;
  for (const uint32_t factor : merged) {
    if (!atoms_[factor].is_bit || result.empty() || result.back() != factor) {
      result.push_back(factor);
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    for (size_t k = i + 1; k < result.size(); ++k) {
      if (exclude(result[i], result[k])) {
        return std::nullopt;
      }
    }
  }
  return result;
}

/// Whether they say of one number that it is two different ones.
auto NormalForms::exclude(uint32_t a, uint32_t b) const -> bool {
  const Term& left = atoms_[a].term;
  const Term& right = atoms_[b].term;
  return left.kind == TermKind::Binary && left.operation == BinaryOperation::Equal &&
         right.kind == TermKind::Binary && right.operation == BinaryOperation::Equal &&
         left.type == right.type && left.a == right.a && left.number != right.number;
}

auto NormalForms::atom(Term key, bool is_bit) -> Polynomial {
  const auto word = [](TermId id) { return uint64_t{id.index}; };
  const std::vector<uint64_t> words = {
      static_cast<uint64_t>(key.kind) | static_cast<uint64_t>(key.operation) << 8 |
          static_cast<uint64_t>(key.type.kind) << 16 | uint64_t{key.type.fraction_bits} << 24 |
          static_cast<uint64_t>(key.from.kind) << 32 | uint64_t{key.from.fraction_bits} << 40,
      word(key.a), word(key.b), word(key.c), key.number};
  const auto [known, is_new] = atom_ids_.try_emplace(words, static_cast<uint32_t>(atoms_.size()));
  if (is_new) {
    atoms_.push_back({.term = key, .is_bit = is_bit});
  }
  return {{{known->second}, 1}};
}

auto NormalForms::form_of(const Term& term) -> Polynomial {
  switch (term.kind) {
    case TermKind::Number:
    case TermKind::Control:
      return number(term.number);
    case TermKind::Input:
      return atom(term, is_bool(term.type) || inputs_[term.number].is_bit);
    case TermKind::Cast:
      return cast(term);
    case TermKind::Select: {
      // Of the bits of cells, so it holds for every type.
      const Polynomial& otherwise = polynomial_of(term.c);
      const Polynomial difference = sum(polynomial_of(term.b), otherwise, kMinusOne);
      return sum(otherwise, product(polynomial_of(term.a), difference), 1);
    }
    case TermKind::Not:
      return sum(number(1), polynomial_of(term.a), kMinusOne);
    case TermKind::Binary:
      if (std::optional<Polynomial> comparison = this->comparison(term)) {
        return *comparison;
      }
      [[fallthrough]];
    case TermKind::Negate:
    case TermKind::Complement:
    case TermKind::Address:
      if (std::optional<Polynomial> polynomial = ring_operation(term)) {
        return *polynomial;
      }
      break;
  }
  // Not of a ring: an operation on forms.
  Term key = term;
  for (TermId* operand : {&key.a, &key.b, &key.c}) {
    if (operand->has_value()) {
      *operand = TermId{intern(reduced(polynomial_of(*operand), term.type)).index};
    }
  }
  const bool is_bitwise = term.operation == BinaryOperation::And ||
                          term.operation == BinaryOperation::Or ||
                          term.operation == BinaryOperation::Xor;
  const bool is_commutative =
      term.kind == TermKind::Binary &&
      (is_bitwise || term.operation == BinaryOperation::Add ||
       term.operation == BinaryOperation::Mul || term.operation == BinaryOperation::Equal ||
       term.operation == BinaryOperation::NotEqual);
  if (is_commutative && key.b.index < key.a.index) {
    std::swap(key.a, key.b);
  }
  if (is_bitwise && key.a == key.b) {
    return term.operation == BinaryOperation::Xor ? Polynomial() : forms_[key.a.index];
  }
  return atom(key, term.kind == TermKind::Binary && is_comparison(term.operation));
}

auto NormalForms::ring_operation(const Term& term) -> std::optional<Polynomial> {
  const Polynomial& a = polynomial_of(term.a);
  if (term.kind == TermKind::Negate || term.kind == TermKind::Complement) {
    if (!adds_as_integer(term.type.kind)) {
      return std::nullopt;
    }
    const uint64_t more = term.kind == TermKind::Complement ? kMinusOne : 0;
    return reduced(sum(number(more), a, kMinusOne), term.type);
  }
  const Polynomial& b = polynomial_of(term.b);
  if (is_bool(term.type)) {
    if (term.operation == BinaryOperation::And) {
      return product(a, b);
    }
    if (term.operation == BinaryOperation::Or) {
      return sum(sum(a, b, 1), product(a, b), kMinusOne);
    }
    if (term.operation == BinaryOperation::Xor) {
      return sum(sum(a, b, 1), product(a, b), kMinusOne - 1);
    }
    return std::nullopt;
  }
  if (!adds_as_integer(term.type.kind)) {
    return std::nullopt;
  }
  if (term.operation == BinaryOperation::Add) {
    return reduced(sum(a, b, 1), term.type);
  }
  if (term.operation == BinaryOperation::Sub) {
    return reduced(sum(a, b, kMinusOne), term.type);
  }
  if (term.operation == BinaryOperation::Mul && is_integer(term.type.kind)) {
    return reduced(product(a, b), term.type);
  }
  if (term.operation == BinaryOperation::Shl) {
    const std::optional<uint64_t> steps = number_in(b);
    if (steps && *steps < bit_width(term.type.kind)) {
      return reduced(product(a, number(uint64_t{1} << *steps)), term.type);
    }
  }
  return std::nullopt;
}

/// All comparisons but those of floats, where nothing is `<` a NaN.
auto NormalForms::comparison(const Term& term) -> std::optional<Polynomial> {
  if (!is_comparison(term.operation)) {
    return std::nullopt;
  }
  const Polynomial a = reduced(polynomial_of(term.a), term.type);
  const Polynomial b = reduced(polynomial_of(term.b), term.type);
  const bool is_equation =
      term.operation == BinaryOperation::Equal || term.operation == BinaryOperation::NotEqual;
  if (is_bool(term.type) && is_equation) {
    const Polynomial differ = sum(sum(a, b, 1), product(a, b), kMinusOne - 1);
    return term.operation == BinaryOperation::NotEqual ? differ : sum(number(1), differ, kMinusOne);
  }
  if (!adds_as_integer(term.type.kind)) {
    return std::nullopt;
  }
  if (is_equation) {
    const Polynomial equal = is_zero(reduced(sum(a, b, kMinusOne), term.type), term.type);
    return term.operation == BinaryOperation::Equal ? equal : sum(number(1), equal, kMinusOne);
  }
  const bool is_swapped =
      term.operation == BinaryOperation::Greater || term.operation == BinaryOperation::LessEqual;
  const bool is_negated = term.operation == BinaryOperation::GreaterEqual ||
                          term.operation == BinaryOperation::LessEqual;
  const Term key{.kind = TermKind::Binary,
                 .operation = BinaryOperation::Less,
                 .type = term.type,
                 .a = TermId{intern(is_swapped ? b : a).index},
                 .b = TermId{intern(is_swapped ? a : b).index}};
  const Polynomial less = key.a == key.b ? Polynomial() : atom(key, true);
  return is_negated ? sum(number(1), less, kMinusOne) : less;
}

/// As an equation of what depends on inputs, whose first coefficient is not above the half, with a
/// number.
auto NormalForms::is_zero(const Polynomial& polynomial, ElementType type) -> Polynomial {
  if (const std::optional<uint64_t> known = number_in(polynomial)) {
    return number(*known == 0 ? 1 : 0);
  }
  const unsigned width = is_integer(type.kind) ? bit_width(type.kind) : 64;
  const auto first =
      polynomial.begin()->first.empty() ? std::next(polynomial.begin()) : polynomial.begin();
  Polynomial variable = polynomial;
  if ((first->second >> (width - 1)) != 0) {
    variable = reduced(sum({}, polynomial, kMinusOne), type);
  }
  const auto constant = variable.find(Monomial());
  const uint64_t value = constant == variable.end() ? 0 : constant->second;
  variable.erase(Monomial());
  return atom({.kind = TermKind::Binary,
               .operation = BinaryOperation::Equal,
               .type = type,
               .a = TermId{intern(std::move(variable)).index},
               .number = value},
              true);
}

auto NormalForms::cast(const Term& term) -> Polynomial {
  const Polynomial from = reduced(polynomial_of(term.a), term.from);
  if (is_integer(term.type.kind) && is_bool(term.from)) {
    return from;
  }
  if (is_integer(term.type.kind) && is_integer(term.from.kind)) {
    if (bit_width(term.type.kind) <= bit_width(term.from.kind)) {
      return reduced(from, term.type);
    }
    if (is_small(from, term.from.kind)) {
      Polynomial wide;
      for (const auto& [monomial, coefficient] : from) {
        // Sums of bits: coefficients are signed numbers.
        const unsigned shift = 64 - bit_width(term.from.kind);
        wide[monomial] = static_cast<uint64_t>(static_cast<int64_t>(coefficient << shift) >> shift);
      }
      return reduced(wide, term.type);
    }
  }
  if (is_bool(term.type) && is_integer(term.from.kind)) {
    return sum(number(1), is_zero(from, term.from), kMinusOne);
  }
  Term key = term;
  key.a = TermId{intern(from).index};
  return atom(key, is_bool(term.type));
}

/// Whether it is a sum of bits that cannot leave its type.
auto NormalForms::is_small(const Polynomial& polynomial, ElementKind kind) const -> bool {
  double low = 0;
  double high = 0;
  for (const auto& [monomial, coefficient] : polynomial) {
    if (!std::all_of(monomial.begin(), monomial.end(),
                     [&](uint32_t factor) { return atoms_[factor].is_bit; })) {
      return false;
    }
    const unsigned shift = 64 - bit_width(kind);
    const auto value = static_cast<double>(static_cast<int64_t>(coefficient << shift) >> shift);
    (value < 0 ? low : high) += value;
  }
  return low >= static_cast<double>(engine::min_integer(kind)) &&
         high <= static_cast<double>(engine::max_integer(kind) / 2);
}

}  // namespace tacet::conformance
