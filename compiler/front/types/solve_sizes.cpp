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

/// `form / divisor` if that leaves no rest for any sizes.
static auto exact_quotient(SizeForm form, int64_t divisor) -> MaybeForm {
  bool is_exact = form.constant % divisor == 0;
  form.constant /= divisor;
  for (SizeTerm& term : form.terms) {
    is_exact = is_exact && term.coefficient % divisor == 0;
    term.coefficient /= divisor;
  }
  return is_exact ? MaybeForm(form) : std::nullopt;
}

static auto solve_one(TypeStore& types, SizeSolution& sizes, const SizeEquation& equation) -> bool {
  std::optional<size_t> open;
  int64_t coefficient = 0;
  SizeForm rest = equation.pattern;
  rest.terms.clear();
  for (const SizeTerm& term : equation.pattern.terms) {
    const std::optional<size_t> place = place_of(sizes, term.atom.name);
    const bool is_open = term.atom.kind == SizeAtomKind::Parameter && place && !sizes.found[*place];
    if (is_open && open) {
      return false;
    }
    if (is_open) {
      open = place;
      coefficient = term.coefficient;
    } else {
      rest.terms.push_back(term);
    }
  }
  const MaybeForm known =
      substitute(types, rest, [&](const SizeAtom& atom) { return value_of(sizes, atom); });
  const MaybeForm scaled = open && known ? subtract(equation.actual, *known) : std::nullopt;
  const MaybeForm value = scaled ? exact_quotient(*scaled, coefficient) : std::nullopt;
  if (value) {
    sizes.found[*open] = FoundSize{*value, equation.source};
  }
  return value.has_value();
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
