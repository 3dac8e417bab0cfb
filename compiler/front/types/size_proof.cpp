#include "compiler/front/types/size_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tacet::types {

namespace {

using Wide = __int128;

/// `constant + Σ coefficients[v] * v >= 0` over the variables of an elimination.
struct Inequality {
  std::vector<Wide> coefficients;
  Wide constant = 0;
};

constexpr Wide kLargest = Wide{1} << 60;
constexpr size_t kMostInequalities = 2000;

auto magnitude(Wide value) -> Wide {
  return value < 0 ? -value : value;
}

auto greatest_divisor(Wide a, Wide b) -> Wide {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return magnitude(a);
}

/// The variables that facts and a claim are about: parameters, locals, quotients, products.
class Variables {
 public:
  explicit Variables(const TypeStore& types) : types_(types) {}

  void collect(const SizeForm& form) {
    for (const SizeTerm& term : form.terms) {
      if (std::find(atoms_.begin(), atoms_.end(), term.atom) != atoms_.end()) {
        continue;
      }
      if (term.atom.kind == SizeAtomKind::Quotient) {
        collect(types_.form(term.atom.operand));
      }
      if (term.atom.kind == SizeAtomKind::Product) {
        collect(types_.form(term.atom.operand));
        collect(types_.form(term.atom.second));
      }
      atoms_.push_back(term.atom);
    }
  }

  /// Parameters come first, as they are declared: names are numbered in the order of all texts that
  /// were read, which is to make no difference.
  void put_in_order(const std::vector<Name>& sizes) {
    const auto place = [&](const SizeAtom& atom) {
      return atom.kind == SizeAtomKind::Parameter
                 ? std::find(sizes.begin(), sizes.end(), atom.name) - sizes.begin()
                 : static_cast<std::ptrdiff_t>(sizes.size() + 1);
    };
    std::stable_sort(atoms_.begin(), atoms_.end(),
                     [&](const SizeAtom& a, const SizeAtom& b) { return place(a) < place(b); });
  }

  [[nodiscard]] auto inequality(const SizeForm& form) const -> Inequality {
    Inequality result{std::vector<Wide>(atoms_.size()), form.constant};
    for (const SizeTerm& term : form.terms) {
      const auto place = std::find(atoms_.begin(), atoms_.end(), term.atom);
      result.coefficients[static_cast<size_t>(place - atoms_.begin())] += term.coefficient;
    }
    return result;
  }

  /// What holds of the variables themselves.
  [[nodiscard]] auto facts() const -> std::vector<Inequality> {
    std::vector<Inequality> result;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      const SizeAtom& atom = atoms_[i];
      if (atom.kind == SizeAtomKind::Parameter) {
        Inequality positive{std::vector<Wide>(atoms_.size()), -1};
        positive.coefficients[i] = 1;
        result.push_back(std::move(positive));
      } else if (atom.kind == SizeAtomKind::Quotient) {
        // divisor * q <= operand <= divisor * q + divisor - 1
        Inequality above = inequality(types_.form(atom.operand));
        Inequality below = above;
        above.coefficients[i] -= atom.second;
        for (Wide& coefficient : below.coefficients) {
          coefficient = -coefficient;
        }
        below.constant = -below.constant + atom.second - 1;
        below.coefficients[i] += atom.second;
        result.push_back(std::move(above));
        result.push_back(std::move(below));
      }
    }
    return result;
  }

  /// Adds inequalities times the parameters in products, which are positive: those whose terms all
  /// are variables.
  void add_multiples(std::vector<Inequality>& all) const {
    constexpr size_t kMostMultiples = 200;
    constexpr int kRounds = 2;
    size_t first = 0;
    for (int round = 0; round < kRounds; ++round) {
      const size_t end = all.size();
      for (const SizeAtom& parameter : parameters_in_products()) {
        for (size_t i = first; i < end && all.size() < kMostMultiples; ++i) {
          if (std::optional<Inequality> multiple = times(all[i], parameter)) {
            all.push_back(std::move(*multiple));
          }
        }
      }
      first = end;
    }
  }

  [[nodiscard]] auto atoms() const -> const std::vector<SizeAtom>& { return atoms_; }

 private:
  [[nodiscard]] auto parameters_in_products() const -> std::vector<SizeAtom> {
    std::vector<SizeAtom> found;
    for (const SizeAtom& atom : atoms_) {
      const bool is_in_product =
          atom.kind == SizeAtomKind::Parameter &&
          std::any_of(atoms_.begin(), atoms_.end(), [&](const SizeAtom& other) {
            const std::vector<SizeAtom> factors = factors_of(types_, other);
            return factors.size() > 1 &&
                   std::find(factors.begin(), factors.end(), atom) != factors.end();
          });
      if (is_in_product) {
        found.push_back(atom);
      }
    }
    return found;
  }

  [[nodiscard]] auto times(const Inequality& inequality, const SizeAtom& parameter) const
      -> std::optional<Inequality> {
    Inequality result{std::vector<Wide>(atoms_.size()), 0};
    const auto set = [&](std::vector<SizeAtom> factors, Wide coefficient) {
      factors.push_back(parameter);
      for (size_t i = 0; i < atoms_.size(); ++i) {
        const std::vector<SizeAtom> of_atom = factors_of(types_, atoms_[i]);
        if (of_atom.size() == factors.size() &&
            std::is_permutation(of_atom.begin(), of_atom.end(), factors.begin())) {
          result.coefficients[i] += coefficient;
          return true;
        }
      }
      return false;
    };
    for (size_t i = 0; i < atoms_.size(); ++i) {
      const Wide coefficient = inequality.coefficients[i];
      if (coefficient != 0 && !set(factors_of(types_, atoms_[i]), coefficient)) {
        return std::nullopt;
      }
    }
    if (inequality.constant != 0 && !set({}, inequality.constant)) {
      return std::nullopt;
    }
    return result;
  }

  const TypeStore& types_;
  std::vector<SizeAtom> atoms_;
};

/// Divides by the common divisor of the coefficients; integers allow to round the constant. False
/// if numbers are too large.
auto tighten(Inequality& inequality) -> bool {
  Wide divisor = 0;
  for (const Wide coefficient : inequality.coefficients) {
    divisor = greatest_divisor(divisor, coefficient);
    if (magnitude(coefficient) > kLargest) {
      return false;
    }
  }
  if (divisor > 1) {
    for (Wide& coefficient : inequality.coefficients) {
      coefficient /= divisor;
    }
    const Wide rest = inequality.constant % divisor;
    inequality.constant = inequality.constant / divisor - (rest < 0 ? 1 : 0);
  }
  return magnitude(inequality.constant) <= kLargest;
}

auto n_pairs(const std::vector<Inequality>& all, size_t variable) -> size_t {
  size_t above = 0;
  size_t below = 0;
  for (const Inequality& one : all) {
    above += one.coefficients[variable] > 0 ? 1 : 0;
    below += one.coefficients[variable] < 0 ? 1 : 0;
  }
  return above * below;
}

/// Removes a variable. False if there is too much to compute.
auto eliminate(std::vector<Inequality>& all, size_t variable) -> bool {
  std::vector<Inequality> next;
  for (const Inequality& upper : all) {
    const Wide a = upper.coefficients[variable];
    if (a == 0) {
      next.push_back(upper);
      continue;
    }
    if (a > 0) {
      continue;
    }
    for (const Inequality& lower : all) {
      const Wide b = lower.coefficients[variable];
      if (b <= 0) {
        continue;
      }
      Inequality sum{std::vector<Wide>(upper.coefficients.size()),
                     upper.constant * b - lower.constant * a};
      for (size_t i = 0; i < sum.coefficients.size(); ++i) {
        sum.coefficients[i] = upper.coefficients[i] * b - lower.coefficients[i] * a;
      }
      if (!tighten(sum) || next.size() >= kMostInequalities) {
        return false;
      }
      next.push_back(std::move(sum));
    }
  }
  all = std::move(next);
  return true;
}

/// Do no rational numbers satisfy all? False if that was not found out.
auto is_infeasible(std::vector<Inequality> all, size_t n_variables) -> bool {
  std::vector<bool> is_gone(n_variables);
  const auto is_contradiction = [](const Inequality& one) {
    return one.constant < 0 && std::all_of(one.coefficients.begin(), one.coefficients.end(),
                                           [](Wide coefficient) { return coefficient == 0; });
  };
  for (size_t round = 0;; ++round) {
    if (std::any_of(all.begin(), all.end(), is_contradiction)) {
      return true;
    }
    size_t best = n_variables;
    for (size_t variable = 0; variable < n_variables; ++variable) {
      const bool is_better = !is_gone[variable] &&
                             (best == n_variables || n_pairs(all, variable) < n_pairs(all, best));
      best = is_better ? variable : best;
    }
    if (best == n_variables || !eliminate(all, best)) {
      return false;
    }
    is_gone[best] = true;
  }
}

/// Searches small values of parameters and locals.
class Search {
 public:
  Search(const TypeStore& types, const SizeFacts& facts, const SizeForm& claim,
         const std::vector<SizeAtom>& atoms)
      : types_(types), facts_(facts), claim_(claim) {
    for (const SizeAtom& atom : atoms) {
      if (atom.kind == SizeAtomKind::Parameter || atom.kind == SizeAtomKind::Local) {
        values_.emplace_back(atom, 0);
      }
    }
  }

  auto run() -> bool {
    span_ = values_.size() <= 1 ? 64 : values_.size() == 2 ? 24 : values_.size() <= 4 ? 9 : 4;
    return values_.size() <= 8 && fill(0);
  }

  [[nodiscard]] auto found() const -> const std::vector<std::pair<SizeAtom, int64_t>>& {
    return values_;
  }

 private:
  auto fill(size_t next) -> bool {
    if (next == values_.size()) {
      return is_counterexample();
    }
    const int64_t least = least_of(values_[next].first);
    for (int64_t i = 0; i < span_; ++i) {
      values_[next].second = least + i;
      if (fill(next + 1)) {
        return true;
      }
    }
    return false;
  }

  /// The least value that a fact about this atom alone leaves.
  auto least_of(const SizeAtom& atom) const -> int64_t {
    int64_t least = atom.kind == SizeAtomKind::Parameter ? 1 : 0;
    for (const SizeForm& fact : facts_.at_least_zero) {
      if (fact.terms.size() == 1 && fact.terms[0].atom == atom && fact.terms[0].coefficient > 0) {
        const int64_t c = fact.terms[0].coefficient;
        least = std::max(least, (-fact.constant + c - 1) / c);
      }
    }
    return least;
  }

  auto value_of(const SizeForm& form) const -> int64_t {
    Wide sum = form.constant;
    for (const SizeTerm& term : form.terms) {
      sum += Wide{term.coefficient} * value_of(term.atom);
    }
    return clamped(sum);
  }

  static auto clamped(Wide value) -> int64_t {
    return static_cast<int64_t>(std::clamp<Wide>(value, std::numeric_limits<int64_t>::min(),
                                                 std::numeric_limits<int64_t>::max()));
  }

  auto value_of(const SizeAtom& atom) const -> int64_t {
    if (atom.kind == SizeAtomKind::Quotient) {
      const int64_t operand = value_of(types_.form(atom.operand));
      return operand / atom.second - (operand % atom.second < 0 ? 1 : 0);
    }
    if (atom.kind == SizeAtomKind::Product) {
      return clamped(Wide{value_of(types_.form(atom.operand))} *
                     value_of(types_.form(atom.second)));
    }
    for (const auto& [known, value] : values_) {
      if (known == atom) {
        return value;
      }
    }
    return 0;
  }

  auto is_counterexample() const -> bool {
    return value_of(claim_) < 0 &&
           std::all_of(facts_.at_least_zero.begin(), facts_.at_least_zero.end(),
                       [&](const SizeForm& fact) { return value_of(fact) >= 0; }) &&
           std::all_of(facts_.unequal_zero.begin(), facts_.unequal_zero.end(),
                       [&](const SizeForm& fact) { return value_of(fact) != 0; });
  }

  const TypeStore& types_;
  const SizeFacts& facts_;
  const SizeForm& claim_;
  std::vector<std::pair<SizeAtom, int64_t>> values_;
  int64_t span_ = 0;
};

}  // namespace

void SizeFacts::add(const SizeConstraint& constraint) {
  const SizeForm& form = constraint.form;
  if (constraint.relation == SizeRelation::Unequal) {
    unequal_zero.push_back(form);
    return;
  }
  at_least_zero.push_back(form);
  const MaybeForm negated = subtract({}, form);
  if (constraint.relation == SizeRelation::Equal && negated) {
    at_least_zero.push_back(*negated);
  }
}

auto prove_at_least_zero(const TypeStore& types, const SizeFacts& facts, const SizeForm& form)
    -> SizeProof {
  if (form.terms.empty() && form.constant >= 0) {
    return {SizeVerdict::Proven};
  }
  Variables variables(types);
  variables.collect(form);
  for (const SizeForm& fact : facts.at_least_zero) {
    variables.collect(fact);
  }
  for (const SizeForm& fact : facts.unequal_zero) {
    variables.collect(fact);
  }
  variables.put_in_order(facts.sizes);
  std::vector<Inequality> all = variables.facts();
  for (const SizeForm& fact : facts.at_least_zero) {
    all.push_back(variables.inequality(fact));
  }
  variables.add_multiples(all);
  // The claim is wrong: -form - 1 >= 0.
  Inequality negated = variables.inequality(form);
  for (Wide& coefficient : negated.coefficients) {
    coefficient = -coefficient;
  }
  negated.constant = -negated.constant - 1;
  all.push_back(std::move(negated));
  if (is_infeasible(std::move(all), variables.atoms().size())) {
    return {SizeVerdict::Proven};
  }
  Search search(types, facts, form, variables.atoms());
  return search.run() ? SizeProof{SizeVerdict::Refuted, search.found()} : SizeProof{};
}

auto prove(const TypeStore& types, const SizeFacts& facts, const SizeConstraint& constraint)
    -> SizeProof {
  const SizeForm& form = constraint.form;
  const SizeForm one{1};
  const MaybeForm negated = subtract({}, form);
  if (!negated) {
    return {};
  }
  const SizeProof below = prove_at_least_zero(types, facts, form);
  switch (constraint.relation) {
    case SizeRelation::AtLeast:
      return below;
    case SizeRelation::Equal:
      return below.verdict == SizeVerdict::Proven ? prove_at_least_zero(types, facts, *negated)
                                                  : below;
    case SizeRelation::Unequal:
      break;
  }
  // Above 0 everywhere, or below.
  for (const SizeForm& side : {form, *negated}) {
    const MaybeForm strict = subtract(side, one);
    if (strict && prove_at_least_zero(types, facts, *strict).verdict == SizeVerdict::Proven) {
      return {SizeVerdict::Proven};
    }
  }
  const bool is_assumed = std::find(facts.unequal_zero.begin(), facts.unequal_zero.end(), form) !=
                          facts.unequal_zero.end();
  return {is_assumed ? SizeVerdict::Proven : SizeVerdict::Unknown};
}

auto holds(const SizeConstraint& constraint) -> bool {
  const int64_t value = constraint.form.constant;
  switch (constraint.relation) {
    case SizeRelation::AtLeast:
      return value >= 0;
    case SizeRelation::Equal:
      return value == 0;
    case SizeRelation::Unequal:
      return value != 0;
  }
  return false;
}

auto example_text(const Interner& names, const SizeProof& proof) -> std::string {
  std::string text;
  for (const auto& [atom, value] : proof.counterexample) {
    if (atom.kind == SizeAtomKind::Parameter) {
      text += fmt::format("{}`{} = {}`", text.empty() ? "" : ", ", names.text(atom.name), value);
    }
  }
  return text;
}

}  // namespace tacet::types
