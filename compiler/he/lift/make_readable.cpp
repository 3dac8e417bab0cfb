#include "compiler/he/lift/make_readable.h"

#include <algorithm>
#include <unordered_set>

namespace tacet::lift {

/// Longer sums are not written out.
static constexpr int64_t kLongest = 64;

static auto is_readable(const Terms& terms, const Index& index) -> bool {
  if (index.modulus == 0) {
    return true;
  }
  const Step& step = index.steps.front();
  return index.steps.size() == 1 && (step.stride == 1 || step.stride == -1) &&
         terms.extent(step.dim) == index.modulus;
}

/// Whether an index that cannot be read moves along `dim`.
static auto moves(const Terms& terms, TermId root, DimId dim) -> bool {
  const auto is_moved = [&](const Index& index) {
    return !is_readable(terms, index) && stride_of(index, dim) != 0;
  };
  std::unordered_set<TermId> seen = {root};
  std::vector<TermId> open = {root};
  while (!open.empty()) {
    const Term& term = terms[open.back()];
    open.pop_back();
    if (std::any_of(term.indices.begin(), term.indices.end(), is_moved)) {
      return true;
    }
    for (const TermId operand : term.operands) {
      if (depends(terms, operand, dim) && seen.insert(operand).second) {
        open.push_back(operand);
      }
    }
  }
  return false;
}

static auto picked(Terms& terms, const Term& term) -> TermId {
  std::vector<Index> indices = term.indices;
  TermId is_there = terms.number(1);
  std::vector<DimId> dims;
  for (Index& index : indices) {
    if (!is_readable(terms, index)) {
      dims.push_back(terms.new_dim("pick", index.modulus));
      is_there = selected(terms, is_there, is_same(terms, index_along(dims.back()), index),
                          terms.number(0));
      index = index_along(dims.back());
    }
  }
  const TermId none = terms.number(0);
  TermId result = selected(terms, is_there, terms.element(term.array, std::move(indices)), none);
  for (DimId dim : dims) {
    result = terms.reduce(array::Operator::Add, dim, result);
  }
  return result;
}

auto readable(Terms& terms, TermId root) -> TermId {
  return rewritten(terms, root, [&](TermId id) -> std::optional<TermId> {
    const Term term = terms[id];
    if (term.kind == TermKind::Element) {
      const bool is_fine =
          std::all_of(term.indices.begin(), term.indices.end(),
                      [&](const Index& index) { return is_readable(terms, index); });
      return is_fine ? id : picked(terms, term);
    }
    if (term.kind != TermKind::Reduce || terms.extent(term.dim) > kLongest ||
        !moves(terms, term.operands[0], term.dim)) {
      return {};
    }
    std::optional<TermId> total;
    for (int64_t i = 0; i < terms.extent(term.dim); ++i) {
      const std::optional<TermId> part =
          substituted(terms, term.operands[0], {{term.dim, constant_index(i)}});
      if (!part) {
        return {};
      }
      total = total ? terms.operation(term.op, *total, *part) : *part;
    }
    return readable(terms, *total);
  });
}

}  // namespace tacet::lift
