#include <algorithm>
#include <map>

#include "compiler/he/lift/lifter.h"

/// What the text, or an unrolled loop, says element by element, as one pattern along a dimension.
namespace tacet::lift {

using Op = array::Operator;

/// Fewer are left as they are.
static constexpr size_t kFewest = 3;
/// Sums of more terms are not tried.
static constexpr size_t kMostTerms = 512;

static auto pattern_of_index(const Index& first, const Index& second, DimId dim)
    -> std::optional<Index> {
  if (first == second) {
    return first;
  }
  Index a = first;
  Index b = second;
  a.modulus = b.modulus = 0;
  const std::optional<Index> step = difference(b, a);
  if (!step || !is_constant(*step) || first.modulus != second.modulus) {
    return {};
  }
  std::optional<Index> along = scaled(index_along(dim), step->offset);
  std::optional<Index> result = along ? sum(a, *along) : std::nullopt;
  if (result) {
    result->modulus = first.modulus;
  }
  return result;
}

/// A term that is `first` where `dim` is 0 and `second` where it is 1.
static auto pattern_of(Lifter& lifter, TermId first, TermId second, DimId dim)
    -> std::optional<TermId> {
  if (first == second) {
    return first;
  }
  const Term a = lifter.terms[first];
  const Term b = lifter.terms[second];
  const std::optional<Index> x = as_index(lifter.terms, first);
  const std::optional<Index> y = as_index(lifter.terms, second);
  if (x && y) {
    const std::optional<Index> index = pattern_of_index(*x, *y, dim);
    return index ? std::optional(lifter.terms.position(*index)) : std::nullopt;
  }
  if (a.kind != b.kind || a.array != b.array || a.op != b.op || a.function != b.function ||
      a.operands.size() != b.operands.size() || a.indices.size() != b.indices.size() ||
      a.width != b.width || a.dim != b.dim) {
    return {};
  }
  std::vector<Index> indices;
  for (size_t i = 0; i < a.indices.size(); ++i) {
    const std::optional<Index> index = pattern_of_index(a.indices[i], b.indices[i], dim);
    if (!index) {
      return {};
    }
    indices.push_back(*index);
  }
  std::vector<TermId> operands;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    const std::optional<TermId> operand = pattern_of(lifter, a.operands[i], b.operands[i], dim);
    if (!operand) {
      return {};
    }
    operands.push_back(*operand);
  }
  switch (a.kind) {
    case TermKind::Element:
      return lifter.terms.element(a.array, std::move(indices));
    case TermKind::Drawn:
      return drawn_integer(lifter.terms, a.array, std::move(indices));
    case TermKind::Fraction:
      return drawn_fraction(lifter.terms, a.array, std::move(indices));
    case TermKind::Operation:
      return lifter.terms.operation(a.op, operands[0], operands[1]);
    case TermKind::Function:
      return lifter.terms.function(a.function, std::move(operands), a.width);
    case TermKind::Reduce:
      return lifter.terms.reduce(a.op, a.dim, operands[0]);
    case TermKind::Carried:
    case TermKind::Number:
    case TermKind::Position:
      break;
  }
  return {};
}

/// One write for as many of `writes`, from the first on, as follow one pattern; how many says its
/// last dimension. They have the same dimensions.
static auto family(Lifter& lifter, std::span<const Write> writes) -> std::optional<Write> {
  if (writes.size() < kFewest) {
    return {};
  }
  const DimId probe = lifter.terms.new_dim("r", static_cast<int64_t>(writes.size()));
  const std::optional<TermId> pattern = pattern_of(lifter, writes[0].value, writes[1].value, probe);
  std::vector<Index> at;
  for (size_t i = 0; pattern && i < writes[0].at.size(); ++i) {
    const std::optional<Index> index = pattern_of_index(writes[0].at[i], writes[1].at[i], probe);
    if (!index) {
      return {};
    }
    at.push_back(*index);
  }
  size_t n = 0;
  const auto follows = [&](const Write& write, size_t iteration) {
    const Substitution here = {{probe, constant_index(static_cast<int64_t>(iteration))}};
    for (size_t i = 0; i < at.size(); ++i) {
      if (substituted(at[i], here, lifter.terms.dims()) != write.at[i]) {
        return false;
      }
    }
    return substituted(lifter.terms, *pattern, here) == write.value;
  };
  while (pattern && n < writes.size() && writes[n].dims == writes[0].dims &&
         follows(writes[n], n)) {
    ++n;
  }
  if (n < kFewest) {
    return {};
  }
  const DimId dim = lifter.terms.new_dim("r", static_cast<int64_t>(n));
  const Substitution renamed = {{probe, index_along(dim)}};
  Write result{.dims = writes[0].dims, .at = {}, .value = {}};
  for (const Index& index : at) {
    const std::optional<Index> own = substituted(index, renamed, lifter.terms.dims());
    if (!own) {
      return {};
    }
    result.at.push_back(*own);
  }
  const std::optional<TermId> value = substituted(lifter.terms, *pattern, renamed);
  if (!value) {
    return {};
  }
  result.value = *value;
  result.dims.push_back(dim);
  return result;
}

/// The same with families in place of what they are made of, again and again. Writes of single
/// elements alone are taken together: what touches other elements stays where it is in the order.
auto rerolled(Lifter& lifter, std::vector<Write> writes) -> std::vector<Write> {
  const bool are_single = std::all_of(writes.begin(), writes.end(), [](const Write& write) {
    return write.dims.empty() && !write.accumulates &&
           std::all_of(write.at.begin(), write.at.end(), is_constant);
  });
  if (!are_single || writes.size() < kFewest) {
    return writes;
  }
  // The last write of an element is what counts; elements in order.
  std::map<std::vector<int64_t>, Write> last;
  for (Write& write : writes) {
    std::vector<int64_t> key;
    for (const Index& index : write.at) {
      key.push_back(index.offset);
    }
    last[key] = std::move(write);
  }
  writes.clear();
  for (auto& [key, write] : last) {
    writes.push_back(std::move(write));
  }
  for (bool continues = true; continues;) {
    continues = false;
    std::vector<Write> fewer;
    for (size_t i = 0; i < writes.size();) {
      std::optional<Write> all = family(lifter, std::span<const Write>(writes).subspan(i));
      if (!all) {
        fewer.push_back(writes[i++]);
        continue;
      }
      continues = true;
      i += static_cast<size_t>(lifter.terms.extent(all->dims.back()));
      // Rows of one length get one dimension, so that they can be rows of a family.
      for (const Write& other : fewer) {
        if (other.dims.size() == all->dims.size() && !other.dims.empty() &&
            lifter.terms.extent(other.dims.back()) == lifter.terms.extent(all->dims.back())) {
          const Substitution renamed = {{all->dims.back(), index_along(other.dims.back())}};
          for (Index& index : all->at) {
            index = substituted(index, renamed, lifter.terms.dims()).value_or(index);
          }
          all->value = substituted(lifter.terms, all->value, renamed).value_or(all->value);
          all->dims.back() = other.dims.back();
          break;
        }
      }
      fewer.push_back(std::move(*all));
    }
    writes = std::move(fewer);
  }
  return writes;
}

/// The operands of a chain of `op`, from left to right. With `keeps_order`, those of chains on the
/// right stay together.
static auto chain_operands(const Terms& terms, TermId chain, Op op, bool keeps_order)
    -> std::vector<TermId> {
  std::vector<TermId> parts;
  const std::function<void(TermId)> flatten = [&](TermId part) {
    const Term inner = terms[part];
    if (inner.kind != TermKind::Operation || inner.op != op || parts.size() >= kMostTerms) {
      parts.push_back(part);
      return;
    }
    flatten(inner.operands[0]);
    if (keeps_order) {
      parts.push_back(inner.operands[1]);
    } else {
      flatten(inner.operands[1]);
    }
  };
  flatten(chain);
  return parts;
}

/// With sums and products of terms that follow one pattern as reductions. Products of fixed-point
/// numbers are rounded, so their order stays.
auto rerolled_sums(Lifter& lifter, TermId root) -> TermId {
  const bool has_rounding = array::is_real(lifter.inputs);
  std::map<TermId, TermId> done;
  const std::function<TermId(TermId)> rewrite = [&](TermId id) -> TermId {
    const Term term = lifter.terms[id];
    if (term.operands.empty()) {
      return id;
    }
    if (const auto found = done.find(id); found != done.end()) {
      return found->second;
    }
    TermId result = id;
    const bool is_chain = term.kind == TermKind::Operation && term.op != Op::Subtract;
    if (is_chain) {
      const bool keeps_order = has_rounding && term.op == Op::Multiply;
      std::vector<Write> writes;
      for (TermId part : chain_operands(lifter.terms, id, term.op, keeps_order)) {
        writes.push_back({.at = {}, .value = rewrite(part)});
      }
      std::optional<TermId> total;
      for (size_t i = 0; i < writes.size();) {
        const bool may_group = !keeps_order || i == 0;
        const std::optional<Write> all =
            may_group ? family(lifter, std::span<const Write>(writes).subspan(i)) : std::nullopt;
        const TermId part =
            all ? lifter.terms.reduce(term.op, all->dims.back(), all->value) : writes[i].value;
        i += all ? static_cast<size_t>(lifter.terms.extent(all->dims.back())) : 1;
        total = total ? lifter.terms.operation(term.op, *total, part) : part;
      }
      result = *total;
    } else {
      std::vector<TermId> operands;
      for (TermId operand : term.operands) {
        operands.push_back(rewrite(operand));
      }
      result = with_operands(lifter.terms, term, std::move(operands));
    }
    done.emplace(id, result);
    return result;
  };
  return rewrite(root);
}

}  // namespace tacet::lift
