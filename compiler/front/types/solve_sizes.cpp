#include "compiler/front/types/solve_sizes.h"

#include <algorithm>

namespace tacet::types {

auto place_of(const SizeSolution& sizes, Name name) -> std::optional<size_t> {
  const auto place = std::find(sizes.names.begin(), sizes.names.end(), name);
  return place == sizes.names.end()
             ? std::nullopt
             : std::optional(static_cast<size_t>(place - sizes.names.begin()));
}

auto value_of(const SizeSolution& sizes, const SizeAtom& atom) -> MaybeForm {
  const std::optional<size_t> place = place_of(sizes, atom.name);
  return place && sizes.found[*place] ? MaybeForm(sizes.found[*place]->value) : std::nullopt;
}

void add_equations(const TypeStore& types, TypeId parameter, const std::vector<int64_t>& extents,
                   uint32_t source, SizeSolution& sizes) {
  const Type& wanted = types[parameter];
  const std::vector<int64_t>& pattern = types.extents(wanted.shape);
  const bool is_array = wanted.kind == TypeKind::Value || wanted.kind == TypeKind::Array;
  if (!is_array || pattern.size() != extents.size()) {
    return;
  }
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (is_symbolic(pattern[i]) && extents[i] != kUnknownExtent) {
      sizes.equations.push_back({types.form(pattern[i]), types.form(extents[i]), source});
    }
  }
}

/// Which of the sizes a factor is, if that is not known yet.
static auto open_place(const SizeSolution& sizes, const SizeAtom& factor) -> std::optional<size_t> {
  const std::optional<size_t> place =
      factor.kind == SizeAtomKind::Parameter ? place_of(sizes, factor.name) : std::nullopt;
  return place && !sizes.found[*place] ? place : std::nullopt;
}

static auto solve_one(TypeStore& types, SizeSolution& sizes, const SizeEquation& equation) -> bool {
  const auto value = [&](const SizeAtom& atom) { return value_of(sizes, atom); };
  std::optional<size_t> open;
  MaybeForm coefficient = SizeForm{0};
  SizeForm rest = equation.pattern;
  rest.terms.clear();
  for (const SizeTerm& term : equation.pattern.terms) {
    bool is_open = false;
    MaybeForm others = SizeForm{term.coefficient};
    for (const SizeAtom& factor : factors_of(types, term.atom)) {
      if (const std::optional<size_t> place = open_place(sizes, factor)) {
        if (is_open || (open && *open != *place)) {
          return false;
        }
        open = place;
        is_open = true;
        continue;
      }
      const MaybeForm known = substitute(types, {.constant = 0, .terms = {{factor, 1}}}, value);
      others = others && known ? multiply(types, *others, *known) : std::nullopt;
    }
    if (!is_open) {
      rest.terms.push_back(term);
    } else {
      coefficient = coefficient && others ? add(*coefficient, *others) : std::nullopt;
    }
  }
  const MaybeForm known = substitute(types, rest, value);
  const MaybeForm scaled =
      open && coefficient && known ? subtract(equation.actual, *known) : std::nullopt;
  const MaybeForm found = scaled ? exact_quotient(types, *scaled, *coefficient) : std::nullopt;
  if (found) {
    sizes.found[*open] = FoundSize{*found, equation.source};
  }
  return found.has_value();
}

void solve(TypeStore& types, SizeSolution& sizes) {
  bool has_progress = true;
  while (has_progress) {
    has_progress = std::any_of(
        sizes.equations.begin(), sizes.equations.end(),
        [&](const SizeEquation& equation) { return solve_one(types, sizes, equation); });
  }
}

auto find_conflict(TypeStore& types, const SizeSolution& sizes) -> const SizeEquation* {
  const auto found = std::find_if(
      sizes.equations.begin(), sizes.equations.end(), [&](const SizeEquation& equation) {
        const MaybeForm value = substitute(
            types, equation.pattern, [&](const SizeAtom& atom) { return value_of(sizes, atom); });
        return value && *value != equation.actual;
      });
  return found == sizes.equations.end() ? nullptr : &*found;
}

}  // namespace tacet::types
