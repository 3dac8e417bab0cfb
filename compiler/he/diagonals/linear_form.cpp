#include "compiler/he/diagonals/linear_form.h"

#include <algorithm>
#include <utility>

namespace tacet::diagonals {

using array::ExprId;
using array::Operator;

/// More are no map that diagonals would make cheaper.
static constexpr size_t kMostTerms = 32;
/// Numbers of products that an element of a matrix of several maps is the sum of.
static constexpr int64_t kMostSummed = 64;

void add_multiple(Affine& sum, const Affine& other, int64_t factor) {
  sum.constant += factor * other.constant;
  for (const auto& [variable, of] : other.factors) {
    int64_t& known = sum.factors[variable];
    known += factor * of;
    if (known == 0) {
      sum.factors.erase(variable);
    }
  }
}

auto substituted(const Affine& affine, Variable variable, const Affine& value) -> Affine {
  const auto found = affine.factors.find(variable);
  if (found == affine.factors.end()) {
    return affine;
  }
  Affine result = affine;
  const int64_t factor = found->second;
  result.factors.erase(variable);
  add_multiple(result, value, factor);
  return result;
}

static void substitute(Element& element, Variable variable, const Affine& value) {
  for (Affine& index : element.indices) {
    index = substituted(index, variable, value);
  }
}

static void substitute(Term& term, Variable variable, const Affine& value) {
  for (Element& factor : term.factors) {
    substitute(factor, variable, value);
  }
  if (term.secret) {
    substitute(*term.secret, variable, value);
  }
}

static auto mentions(const Element& element, Variable variable) -> bool {
  return std::any_of(element.indices.begin(), element.indices.end(),
                     [&](const Affine& index) { return index.factors.count(variable) != 0; });
}

static auto mentions(const Term& term, Variable variable) -> bool {
  return (term.secret && mentions(*term.secret, variable)) ||
         std::any_of(term.factors.begin(), term.factors.end(),
                     [&](const Element& factor) { return mentions(factor, variable); });
}

static auto variable_affine(Variable variable) -> Affine {
  Affine affine;
  affine.factors[variable] = 1;
  return affine;
}

/// Nothing if an index is cyclic.
static auto element_of(const array::Site& site) -> std::optional<Element> {
  Element element{.array = site.array, .indices = {}};
  for (const array::ArrayIndex& index : site.indices) {
    Affine affine{.constant = index.offset, .factors = {}};
    for (const array::IndexTerm& term : index.terms) {
      if (term.is_cyclic) {
        return std::nullopt;
      }
      if (term.stride != 0) {
        affine.factors[term.dim.index] = term.stride;
      }
    }
    element.indices.push_back(std::move(affine));
  }
  return element;
}

LinearForms::LinearForms(const array::Program& program)
    : program_(program),
      is_secret_(program.arrays.size()),
      statement_of_(program.arrays.size()),
      computed_(program.arrays.size()) {
  for (uint32_t i = 0; i < program.arrays.size(); ++i) {
    is_secret_[i] = program.arrays[array::ArrayId{i}].owner == array::Owner::Client;
  }
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    const array::Statement& statement = program.statements[i];
    bool is_secret = false;
    for (const array::Expr& expr : statement.exprs.values()) {
      const auto* site = std::get_if<array::Site>(&expr.node);
      is_secret = is_secret || (site != nullptr && is_secret_[site->array.index]);
    }
    is_secret_[statement.result.index] = is_secret;
    statement_of_[statement.result.index] = i;
    if (std::optional<LinearForm> form = form_of(i, statement.root)) {
      computed_[statement.result.index] = folded(std::move(*form), statement);
    }
  }
}

auto LinearForms::fresh(Term term) -> Term {
  for (const auto& [variable, extent] : std::exchange(term.bound, {})) {
    const Variable renamed = n_bound_++;
    substitute(term, variable, variable_affine(renamed));
    term.bound[renamed] = extent;
  }
  return term;
}

auto LinearForms::product(const LinearForm& left, const LinearForm& right)
    -> std::optional<LinearForm> {
  LinearForm result;
  for (const Term& a : left) {
    for (const Term& given : right) {
      if ((a.secret && given.secret) || result.size() == kMostTerms) {
        return std::nullopt;
      }
      Term term = fresh(given);
      if (__builtin_mul_overflow(a.literal, term.literal, &term.literal)) {
        return std::nullopt;
      }
      term.bound.insert(a.bound.begin(), a.bound.end());
      term.factors.insert(term.factors.begin(), a.factors.begin(), a.factors.end());
      term.secret = a.secret ? a.secret : term.secret;
      result.push_back(std::move(term));
    }
  }
  return result;
}

auto LinearForms::form_of(uint32_t statement, ExprId expr) -> std::optional<LinearForm> {
  if (not_linear_.count({statement, expr.index}) != 0) {
    return std::nullopt;
  }
  std::optional<LinearForm> form = found_form(statement, expr);
  if (!form) {
    not_linear_.insert({statement, expr.index});
  }
  return form;
}

auto LinearForms::found_form(uint32_t statement, ExprId expr) -> std::optional<LinearForm> {
  const array::Statement& in = program_.statements[statement];
  const auto& node = in.exprs[expr].node;
  if (const auto* literal = std::get_if<array::Literal>(&node)) {
    Term term;
    term.literal = literal->value;
    return LinearForm{term};
  }
  if (const auto* site = std::get_if<array::Site>(&node)) {
    const std::optional<Element> element = element_of(*site);
    const bool is_public = !is_secret_[site->array.index];
    // What is computed of public numbers alone is a vector of its own.
    if (!element || (is_public && statement_of_[site->array.index])) {
      return std::nullopt;
    }
    Term term;
    if (is_public) {
      term.factors.push_back(*element);
    } else {
      term.secret = element;
    }
    return LinearForm{term};
  }
  if (const auto* reduction = std::get_if<array::Reduction>(&node)) {
    std::optional<LinearForm> body =
        reduction->op == Operator::Add ? form_of(statement, reduction->body) : std::nullopt;
    if (!body) {
      return std::nullopt;
    }
    const int64_t extent = in.dims[reduction->dim].extent;
    for (Term& term : *body) {
      if (mentions(term, reduction->dim.index)) {
        const Variable bound = n_bound_++;
        substitute(term, reduction->dim.index, variable_affine(bound));
        term.bound[bound] = extent;
      } else if (__builtin_mul_overflow(term.literal, extent, &term.literal)) {
        return std::nullopt;
      }
    }
    return body;
  }
  const auto* operation = std::get_if<array::Operation>(&node);
  if (operation == nullptr) {
    return std::nullopt;
  }
  std::optional<LinearForm> left = form_of(statement, operation->left);
  std::optional<LinearForm> right = left ? form_of(statement, operation->right) : std::nullopt;
  if (!right || operation->op == Operator::Multiply) {
    return right ? product(*left, *right) : std::nullopt;
  }
  if (left->size() + right->size() > kMostTerms) {
    return std::nullopt;
  }
  for (Term& term : *right) {
    term = fresh(std::move(term));
    if (operation->op == Operator::Subtract &&
        __builtin_mul_overflow(term.literal, int64_t{-1}, &term.literal)) {
      return std::nullopt;
    }
    left->push_back(std::move(term));
  }
  return left;
}

/// Whether the index is in [0, extent) for all values of its variables.
static auto is_inside(const Affine& index, const Term& term, const array::Statement& statement,
                      int64_t extent) -> bool {
  int64_t low = index.constant;
  int64_t high = index.constant;
  for (const auto& [variable, factor] : index.factors) {
    const int64_t n = variable >= kFirstBound ? term.bound.at(variable)
                                              : statement.dims[array::DimId{variable}].extent;
    (factor < 0 ? low : high) += factor * (n - 1);
  }
  return low >= 0 && high < extent;
}

auto is_inside(const Term& term, const array::Program& program, const array::Statement& statement)
    -> bool {
  const Element& read = *term.secret;
  for (size_t d = 0; d < read.indices.size(); ++d) {
    if (!is_inside(read.indices[d], term, statement, program.arrays[read.array].extents[d])) {
      return false;
    }
  }
  return true;
}

/// The term with what computes its secret in place of that.
auto LinearForms::fold(const Term& term, const array::Statement& statement)
    -> std::optional<LinearForm> {
  if (!term.secret || !computed_[term.secret->array.index]) {
    return std::nullopt;
  }
  const Element& read = *term.secret;
  const array::Statement& inner = program_.statements[*statement_of_[read.array.index]];
  if (!is_inside(term, program_, statement)) {
    return std::nullopt;  // there it is 0, and what computes it might not be
  }
  LinearForm result;
  for (const Term& given : *computed_[read.array.index]) {
    Term of = fresh(given);
    // Dimensions of the two statements have the same numbers: those of the inner one step aside.
    std::vector<Variable> aside;
    for (const array::DimId dim : inner.shape) {
      aside.push_back(n_bound_++);
      substitute(of, dim.index, variable_affine(aside.back()));
    }
    for (size_t d = 0; d < aside.size(); ++d) {
      substitute(of, aside[d], read.indices[d]);
    }
    if (__builtin_mul_overflow(of.literal, term.literal, &of.literal)) {
      return std::nullopt;
    }
    of.bound.insert(term.bound.begin(), term.bound.end());
    of.factors.insert(of.factors.end(), term.factors.begin(), term.factors.end());
    if (!of.secret) {
      result.push_back(fresh(std::move(of)));
      continue;
    }
    // Sums that no index of the secret decides about are left in each element of the matrix.
    int64_t n_summed = 1;
    size_t n_free = of.secret->indices.size();
    std::vector<int64_t> extents;
    for (const auto& [variable, extent] : of.bound) {
      extents.push_back(extent);
    }
    std::sort(extents.begin(), extents.end());
    for (size_t i = 0; i + n_free < extents.size(); ++i) {
      n_summed *= extents[i];
    }
    if (n_summed > kMostSummed) {
      return std::nullopt;
    }
    result.push_back(fresh(std::move(of)));
  }
  return result;
}

auto LinearForms::folded(LinearForm form, const array::Statement& statement) -> LinearForm {
  LinearForm result;
  for (const Term& term : form) {
    std::optional<LinearForm> of = fold(term, statement);
    if (!of) {
      result.push_back(term);
    } else {
      result.insert(result.end(), of->begin(), of->end());
    }
  }
  return result.size() <= kMostTerms ? result : form;
}

}  // namespace tacet::diagonals
