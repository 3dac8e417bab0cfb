#include "compiler/he/lift/pack_comparisons.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tacet::lift {

using array::FunctionKind;

namespace {

/// The numbers in a term, in order: offsets of indices, and literals.
using Numbers = std::vector<int64_t>;

/// A comparison, as what it has in common with others and the numbers in which it differs.
struct Comparison {
  TermId term;
  Numbers numbers;
};

/// Reads or replaces the numbers of a term, always in the same order.
class Shape {
 public:
  explicit Shape(Terms& terms) : terms_(terms) {}

  /// What is left without its numbers, which go to `numbers`; nothing of what is long, as terms
  /// with much in common are when written out.
  auto without_numbers(TermId root, Numbers& numbers) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> shape;
    std::vector<DimId> bound;
    read(root, bound, shape, numbers);
    return shape.size() <= kLongest ? std::optional(std::move(shape)) : std::nullopt;
  }

  /// With indices in place of the numbers.
  auto with_numbers(TermId root, const std::vector<Index>& numbers) -> std::optional<TermId> {
    size_t next = 0;
    return written(root, numbers, next);
  }

 private:
  void read(const Index& index, const std::vector<DimId>& bound, std::vector<int64_t>& shape,
            Numbers& numbers) {
    numbers.push_back(index.offset);
    shape.push_back(index.modulus);
    shape.push_back(static_cast<int64_t>(index.steps.size()));
    for (const Step& step : index.steps) {
      const auto at = std::find(bound.begin(), bound.end(), step.dim);
      shape.push_back(at == bound.end() ? -1 - static_cast<int64_t>(step.dim.index)
                                        : at - bound.begin());
      shape.push_back(step.stride);
    }
  }

  void read(TermId root, std::vector<DimId>& bound, std::vector<int64_t>& shape, Numbers& numbers) {
    if (shape.size() > kLongest) {
      return;
    }
    const Term& term = terms_[root];
    if (const std::optional<Index> index = as_index(terms_, root)) {
      shape.push_back(-1);
      read(*index, bound, shape, numbers);
      return;
    }
    for (const int64_t each :
         {static_cast<int64_t>(term.kind), static_cast<int64_t>(term.array),
          static_cast<int64_t>(term.op), static_cast<int64_t>(term.function),
          int64_t{term.width.bits}, static_cast<int64_t>(term.width.is_signed),
          static_cast<int64_t>(term.indices.size()), static_cast<int64_t>(term.operands.size())}) {
      shape.push_back(each);
    }
    for (const Index& index : term.indices) {
      read(index, bound, shape, numbers);
    }
    const bool binds = term.kind == TermKind::Reduce;
    if (binds) {
      bound.push_back(term.dim);
      shape.push_back(terms_.extent(term.dim));
    }
    for (const TermId operand : term.operands) {
      read(operand, bound, shape, numbers);
    }
    if (binds) {
      bound.pop_back();
    }
  }

  static auto moved(const Index& index, const Index& by) -> std::optional<Index> {
    Index rest = index;
    rest.offset = 0;
    return is_constant(rest) ? std::optional(by) : sum(rest, by);
  }

  auto written(TermId root, const std::vector<Index>& numbers, size_t& next)
      -> std::optional<TermId> {
    if (const std::optional<Index> index = as_index(terms_, root)) {
      const std::optional<Index> result = moved(*index, numbers[next++]);
      return result ? std::optional(terms_.position(*result)) : std::nullopt;
    }
    const Term term = terms_[root];
    std::vector<Index> indices;
    if (!term.indices.empty() && term.kind != TermKind::Element) {
      return {};
    }
    for (const Index& index : term.indices) {
      const std::optional<Index> result = moved(index, numbers[next++]);
      if (!result) {
        return {};
      }
      indices.push_back(*result);
    }
    std::vector<TermId> operands;
    for (const TermId operand : term.operands) {
      const std::optional<TermId> result = written(operand, numbers, next);
      if (!result) {
        return {};
      }
      operands.push_back(*result);
    }
    return term.kind == TermKind::Element ? terms_.element(term.array, std::move(indices))
                                          : with_operands(terms_, term, std::move(operands));
  }

  static constexpr size_t kLongest = 4096;

  Terms& terms_;
};

class Packer {
 public:
  Packer(Terms& terms, size_t n_inputs, std::vector<Computed>& computed)
      : terms_(terms), n_inputs_(n_inputs), computed_(computed) {}

  auto run(TermId root) -> TermId {
    // Each round leaves comparisons of what the rounds before made.
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      replaced_.clear();
      for (auto& [shape, comparisons] : innermost(root)) {
        pack(std::move(comparisons), 0);
      }
      if (replaced_.empty()) {
        break;
      }
      root = rewritten(terms_, root, [&](TermId id) -> std::optional<TermId> {
        const auto found = replaced_.find(id);
        return found == replaced_.end() ? std::nullopt : std::optional(found->second);
      });
    }
    return root;
  }

 private:
  using Families = std::map<std::vector<int64_t>, std::vector<Comparison>>;

  auto is_comparison(TermId id) const -> bool {
    const Term& term = terms_[id];
    return term.kind == TermKind::Function && !terms_.is_known(id) &&
           (term.function == FunctionKind::Equal || term.function == FunctionKind::Less);
  }

  /// Those without dimensions of their own, and without comparisons that could be packed in them.
  auto innermost(TermId root) -> Families {
    Families found;
    std::set<TermId> seen;
    const std::function<void(TermId)> visit = [&](TermId id) {
      if (!seen.insert(id).second) {
        return;
      }
      if (is_comparison(id) && terms_.free_dims(id).empty() && !has_inner(id)) {
        Numbers numbers;
        if (auto shape = Shape(terms_).without_numbers(id, numbers)) {
          found[std::move(*shape)].push_back({id, std::move(numbers)});
        }
        return;
      }
      const std::vector<TermId> operands = terms_[id].operands;
      std::for_each(operands.begin(), operands.end(), visit);
    };
    visit(root);
    return found;
  }

  auto has_inner(TermId root) -> bool {
    if (const auto found = has_inner_.find(root); found != has_inner_.end()) {
      return found->second;
    }
    const std::vector<TermId> operands = terms_[root].operands;
    const bool result = std::any_of(operands.begin(), operands.end(), [&](TermId id) {
      return (is_comparison(id) && terms_.free_dims(id).empty()) || has_inner(id);
    });
    has_inner_.emplace(root, result);
    return result;
  }

  /// Whether all are of one element and numbers.
  auto have_one_element(const std::vector<Comparison>& all) -> bool {
    std::set<TermId> seen;
    size_t n_elements = 0;
    const std::function<void(TermId)> visit = [&](TermId id) {
      if (!seen.insert(id).second) {
        return;
      }
      n_elements += terms_[id].kind == TermKind::Element ? 1 : 0;
      const std::vector<TermId> operands = terms_[id].operands;
      std::for_each(operands.begin(), operands.end(), visit);
    };
    for (const Comparison& each : all) {
      visit(each.term);
    }
    return n_elements < 2;
  }

  /// All of one shape, or those that agree in more and more of their numbers.
  void pack(std::vector<Comparison> all, size_t n_agreed) {
    if (all.size() < 2 || have_one_element(all)) {
      return;
    }
    std::sort(all.begin(), all.end(),
              [](const Comparison& a, const Comparison& b) { return a.numbers < b.numbers; });
    if (pack_line(all) || n_agreed >= all.front().numbers.size()) {
      return;
    }
    std::map<int64_t, std::vector<Comparison>> parts;
    for (Comparison& each : all) {
      parts[each.numbers[n_agreed]].push_back(std::move(each));
    }
    for (auto& [number, part] : parts) {
      pack(std::move(part), n_agreed + 1);
    }
  }

  auto pack_line(const std::vector<Comparison>& all) -> bool {
    const Numbers& first = all.front().numbers;
    const size_t n = first.size();
    // The greatest step of which all distances from the first are multiples.
    Numbers step(n, 0);
    int64_t length = 0;
    for (size_t i = 0; i < n; ++i) {
      step[i] = all[1].numbers[i] - first[i];
      length = std::gcd(length, step[i]);
    }
    if (length == 0) {
      return false;  // both compare the same
    }
    for (int64_t& each : step) {
      each /= length;
    }
    Numbers places;
    int64_t unit = 0;
    for (const Comparison& each : all) {
      const std::optional<int64_t> place = place_of(each.numbers, first, step);
      if (!place) {
        return false;
      }
      places.push_back(*place);
      unit = std::gcd(unit, *place);
    }
    const int64_t extent = places.back() / unit + 1;
    if (extent > 4 * static_cast<int64_t>(all.size())) {
      return false;  // most of it would be for nothing
    }
    const DimId dim = terms_.new_dim("c", extent);
    std::vector<Index> numbers;
    for (size_t i = 0; i < n; ++i) {
      const std::optional<Index> along = scaled(index_along(dim), unit * step[i]);
      const std::optional<Index> number = along ? sum(constant_index(first[i]), *along) : along;
      if (!number) {
        return false;
      }
      numbers.push_back(*number);
    }
    const std::optional<TermId> value = Shape(terms_).with_numbers(all.front().term, numbers);
    if (!value) {
      return false;
    }
    const FileRange place = terms_.place(all.front().term);
    const auto array = static_cast<uint32_t>(n_inputs_ + computed_.size());
    computed_.push_back(
        {.name = "compared", .array = array, .dims = {dim}, .value = *value, .place = place});
    terms_.set_computed(array, *value, {dim});
    for (size_t i = 0; i < all.size(); ++i) {
      replaced_[all[i].term] = terms_.element(array, {constant_index(places[i] / unit)});
    }
    return true;
  }

  static auto place_of(const Numbers& numbers, const Numbers& first, const Numbers& step)
      -> std::optional<int64_t> {
    std::optional<int64_t> place;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t distance = numbers[i] - first[i];
      if (step[i] == 0 ? distance != 0 : distance % step[i] != 0) {
        return {};
      }
      if (step[i] != 0) {
        const int64_t times = distance / step[i];
        if (place && *place != times) {
          return {};
        }
        place = times;
      }
    }
    return place;
  }

  Terms& terms_;
  size_t n_inputs_;
  std::vector<Computed>& computed_;
  std::map<TermId, TermId> replaced_;
  std::map<TermId, bool> has_inner_;
};

}  // namespace

auto pack_comparisons(Terms& terms, TermId root, size_t n_inputs, std::vector<Computed>& computed)
    -> TermId {
  return Packer(terms, n_inputs, computed).run(root);
}

}  // namespace tacet::lift
