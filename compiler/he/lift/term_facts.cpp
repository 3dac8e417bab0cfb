#include <algorithm>

#include "compiler/device/array/interval_arithmetic.h"
#include "compiler/he/lift/terms.h"

/// What is known of a term from its operands, and kept with it: ranges, levels, heights.
namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

void Terms::set_computed(uint32_t array, TermId value, const std::vector<DimId>& dims) {
  std::vector<int64_t> extents;
  for (const DimId dim : dims) {
    extents.push_back(extent(dim));
  }
  levels_of_array_[array] = least_levels(value);
  if (is_costly(value)) {
    costly_arrays_.insert(array);
  }
  set_range(array, range(value), std::move(extents));
}

auto Terms::range_of_node(const Term& term) const -> Interval {
  const auto range = [&](size_t i) { return nodes_[term.operands[i]].range; };
  switch (term.kind) {
    case TermKind::Number:
      return {term.number, term.number};
    case TermKind::Position:
      return range_of(term.index, dims_);
    case TermKind::Element: {
      const auto found = ranges_of_array_.find(term.array);
      if (found == ranges_of_array_.end()) {
        return {INT64_MIN, INT64_MAX};
      }
      const auto& [elements, extents] = found->second;
      bool is_inside = true;
      for (size_t i = 0; i < term.indices.size() && i < extents.size(); ++i) {
        const Interval at = range_of(term.indices[i], dims_);
        is_inside = is_inside && at.low >= 0 && at.high < extents[i];
      }
      return is_inside ? elements : array::joined(elements, {0, 0});
    }
    case TermKind::Operation: {
      const bool is_square = term.op == Operator::Multiply && term.operands[0] == term.operands[1];
      return is_square ? array::squared(range(0)) : array::combined(term.op, range(0), range(1));
    }
    case TermKind::Function:
      return array::is_real_function(term.function) ? Interval{INT64_MIN, INT64_MAX}
             : term.function == FunctionKind::Select
                 ? array::joined(range(1), range(2))
                 : array::computed(term.function, term.width, range(0), range(1));
    case TermKind::Reduce:
      return array::repeated(term.op, range(0), extent(term.dim));
    case TermKind::Drawn:
    case TermKind::Fraction:
    case TermKind::Carried:
      break;
  }
  return {INT64_MIN, INT64_MAX};
}

auto Terms::common_source(std::optional<TermId> a, std::optional<TermId> b) const
    -> std::optional<TermId> {
  const auto length = [&](const std::optional<TermId>& id) {
    return id ? nodes_[*id].n_sources + 1 : 0;
  };
  while (a != b) {
    std::optional<TermId>& longer = length(a) >= length(b) ? a : b;
    longer = nodes_[*longer].source;
  }
  return a;
}

void Terms::find_levels(Node& node) const {
  const Term& term = node.term;
  if (term.kind == TermKind::Element) {
    const auto found = levels_of_array_.find(term.array);
    node.levels = found == levels_of_array_.end() ? 0 : found->second;
    node.is_costly = costly_arrays_.count(term.array) != 0;
  }
  if (node.is_known || term.operands.empty()) {
    return;
  }
  const auto is_secret = [&](size_t i) { return !nodes_[term.operands[i]].is_known; };
  bool is_first = true;
  for (const TermId operand : term.operands) {
    node.levels = std::max(node.levels, nodes_[operand].levels);
    node.has_functions = node.has_functions || nodes_[operand].has_functions;
    node.is_costly = node.is_costly || nodes_[operand].is_costly;
    if (!nodes_[operand].is_known) {
      node.source = is_first ? operand : common_source(node.source, operand);
      is_first = false;
    }
  }
  bool adds_level = false;
  if (term.kind == TermKind::Reduce) {
    node.source = std::nullopt;
    adds_level = term.op == Operator::Multiply;
    node.is_costly = node.is_costly || node.levels > 0;
  } else if (term.kind == TermKind::Operation) {
    adds_level = term.op == Operator::Multiply && is_secret(0) && is_secret(1);
  } else {
    const bool is_select = term.function == FunctionKind::Select;
    const bool is_real = array::is_real_function(term.function);
    node.has_functions = node.has_functions || !(is_select || is_real);
    node.is_costly = node.is_costly || (is_real && term.function != FunctionKind::Promise);
    adds_level = !is_select || (is_secret(0) && (is_secret(1) || is_secret(2)));
  }
  node.levels += adds_level ? 1 : 0;
  if (node.source) {
    node.levels = std::min(node.levels, nodes_[*node.source].levels + 1);
    node.n_sources = nodes_[*node.source].n_sources + 1;
  }
}

auto Terms::height_of(const Node& node) const -> uint32_t {
  const Term& term = node.term;
  const bool is_choice = term.kind == TermKind::Function && term.function == FunctionKind::Select;
  const bool is_test = term.function == FunctionKind::Equal || term.function == FunctionKind::Less;
  if (node.is_known || (term.kind == TermKind::Function && is_test && !is_choice)) {
    return 0;
  }
  if (!is_choice && term.kind != TermKind::Operation) {
    return kMostHeight + 1;
  }
  const size_t n = term.operands.size();
  return 1 + std::max(nodes_[term.operands[n - 2]].height, nodes_[term.operands[n - 1]].height);
}

}  // namespace tacet::lift
