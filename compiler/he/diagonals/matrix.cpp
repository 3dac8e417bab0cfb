#include "compiler/he/diagonals/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/he/diagonals/slot_gather.h"
#include "compiler/he/schedule/gather_variables.h"

namespace tacet::diagonals {
namespace {

using circuit::NodeId;
using circuit::NodeKind;
using engine::HeAffine;
using schedule::CircuitWriter;

auto n_elements_of(const std::vector<int64_t>& extents) -> int64_t {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

auto sum_of(const HeAffine& a, const HeAffine& b, int64_t factor = 1) -> HeAffine {
  HeAffine sum = a;
  schedule::add(sum, b, factor);
  return sum;
}

/// The numbers of columns: `(copy: R, place: S)`, or `(place: S)` without copies.
auto columns_of(const Product& product) -> std::vector<engine::HeDimension> {
  std::vector<engine::HeDimension> columns;
  if (product.n_copies > 1) {
    columns.push_back({"copy", product.n_copies});
  }
  columns.push_back({"place", product.segment});
  return columns;
}

/// The number of the input in slot place + q of a copy.
auto input_number(SlotGather& gather, const Placing& input, const Product& product,
                  const HeAffine& q) -> HeAffine {
  if (product.n_copies == 1) {
    return gather.digit(sum_of(gather.of_column(0), q), 1, input.period);
  }
  const HeAffine place = sum_of(gather.of_column(1), q);
  const HeAffine next = gather.digit(place, product.segment, 0);
  const HeAffine copy = gather.digit(sum_of(gather.of_column(0), next), 1, product.n_copies);
  return gather.digit(sum_of(place, copy, product.n_diagonals), 1, input.period);
}

/// The first index may be too large only where numbers are.
void guard_number(SlotGather& gather, const Placing& placing,
                  const std::vector<HeAffine>& indices) {
  if (!placing.extents.empty() && n_elements_of(placing.extents) < placing.period) {
    gather.guard(indices.front(), 0, placing.extents.front());
  }
}

/// What the columns are outputs of: binds the dimensions of the shape.
void bind_outputs(SlotGather& gather, const Target& target, const HeAffine& place,
                  int64_t segment) {
  const HeAffine number =
      target.placing.period < segment ? gather.digit(place, 1, target.placing.period) : place;
  const std::vector<HeAffine> indices = gather.indices_of(number, target.placing.extents);
  for (size_t d = 0; d < indices.size(); ++d) {
    gather.bind(target.statement.shape[d].index, indices[d]);
  }
  guard_number(gather, target.placing, indices);
}

/// A bound variable that an index of the secret decides, and the index of the secret then.
struct Solved {
  Variable variable = 0;
  size_t index = 0;
  Affine value;  ///< with `kFirstInput + d` for the known index d
};

/// Variables of the secret's known indices.
constexpr Variable kFirstInput = uint32_t{1} << 30;

auto known_index(size_t d) -> Affine {
  Affine affine;
  affine.factors[kFirstInput + static_cast<Variable>(d)] = 1;
  return affine;
}

/// Whether a factor is 0 wherever the variable is outside of its range.
auto is_limited(const Term& term, Variable variable, const array::Program& program) -> bool {
  Affine itself;
  itself.factors[variable] = 1;
  for (const Element& factor : term.factors) {
    for (size_t d = 0; d < factor.indices.size(); ++d) {
      if (factor.indices[d] == itself &&
          program.arrays[factor.array].extents[d] <= term.bound.at(variable)) {
        return true;
      }
    }
  }
  return false;
}

/// A term as an element of the matrix: without bound variables that indices of the input decide.
struct Entry {
  Term term;
  struct Range {
    Affine value;
    int64_t low = 0;
    int64_t high = 0;
  };
  std::vector<Range> ranges;  ///< where it is not 0
};

auto entry_of(Term term, const array::Program& program) -> Entry {
  Entry entry;
  std::vector<Affine> open = term.secret->indices;
  const auto substitute_all = [&](Variable variable, const Affine& value) {
    for (Affine& index : open) {
      index = substituted(index, variable, value);
    }
    for (Element& factor : term.factors) {
      for (Affine& index : factor.indices) {
        index = substituted(index, variable, value);
      }
    }
    for (Entry::Range& range : entry.ranges) {
      range.value = substituted(range.value, variable, value);
    }
  };
  for (size_t d = 0; d < open.size(); ++d) {
    std::optional<Variable> found;
    size_t fewest = open.size() + 1;
    for (const auto& [variable, factor] : open[d].factors) {
      if ((factor != 1 && factor != -1) || term.bound.count(variable) == 0) {
        continue;
      }
      const Variable candidate = variable;
      const auto n_others =
          static_cast<size_t>(std::count_if(open.begin(), open.end(), [&](const Affine& index) {
            return index.factors.count(candidate) != 0;
          }));
      const bool is_larger = n_others == fewest && term.bound.at(variable) > term.bound.at(*found);
      if (n_others < fewest || is_larger) {
        found = variable;
        fewest = n_others;
      }
    }
    if (!found) {
      Affine difference = known_index(d);
      add_multiple(difference, open[d], -1);
      entry.ranges.push_back({difference, 0, 1});
      continue;
    }
    // index = known, so variable = factor * (known - rest).
    const int64_t factor = open[d].factors.at(*found);
    Affine rest = open[d];
    rest.factors.erase(*found);
    Affine value;
    add_multiple(value, known_index(d), factor);
    add_multiple(value, rest, -factor);
    if (!is_limited(term, *found, program)) {
      entry.ranges.push_back({value, 0, term.bound.at(*found)});
    }
    term.bound.erase(*found);
    substitute_all(*found, value);
  }
  entry.term = std::move(term);
  return entry;
}

/// Loops for what is bound in a term, behind those there are.
auto with_bound(std::vector<GatherLoop> loops, const Term& term, CircuitWriter& writer)
    -> std::vector<GatherLoop> {
  for (const auto& [variable, extent] : term.bound) {
    const std::string name = fmt::format("s{}", loops.size());
    loops.push_back({writer.loop({name, extent}), extent, name});
  }
  return loops;
}

/// The product with the term's number, summed over what is bound.
auto summed(NodeId node, const Term& term, const std::vector<GatherLoop>& loops, size_t n_before,
            CircuitWriter& writer) -> NodeId {
  for (size_t i = loops.size(); i-- > n_before;) {
    node = writer.over_loop(NodeKind::Sum, loops[i].id, node);
  }
  return term.literal == 1
             ? node
             : writer.operation(NodeKind::Multiply, writer.constant(term.literal), node);
}

auto family_name(const array::Program& program, const Term& term) -> std::string {
  return term.factors.empty() ? "mask" : program.arrays[term.factors.front().array].name;
}

/// The diagonal of an entry.
auto diagonal(const Entry& entry, const Target& target, const Placing& input,
              const Product& product, const std::vector<GatherLoop>& q, const ArrayNumbers& numbers,
              CircuitWriter& writer) -> NodeId {
  const Term& term = entry.term;
  const std::vector<GatherLoop> loops = with_bound(q, term, writer);
  SlotGather gather(loops, columns_of(product));
  size_t loop = q.size();
  for (const auto& [variable, extent] : term.bound) {
    gather.bind(variable, gather.of_loop(loop++));
  }
  const size_t place = product.n_copies == 1 ? 0 : 1;
  bind_outputs(gather, target, gather.of_column(place), product.segment);
  const HeAffine number =
      input_number(gather, input, product, q.empty() ? HeAffine{} : gather.of_loop(0));
  const std::vector<HeAffine> indices = gather.indices_of(number, input.extents);
  for (size_t d = 0; d < indices.size(); ++d) {
    gather.bind(kFirstInput + static_cast<Variable>(d), indices[d]);
  }
  guard_number(gather, input, indices);
  for (const Entry::Range& range : entry.ranges) {
    gather.guard(gather.value_of(range.value), range.low, range.high);
  }
  const NodeId node =
      gather.product(term.factors, numbers, family_name(target.program, term), writer);
  return summed(node, term, loops, q.size(), writer);
}

}  // namespace

auto placing_of(std::vector<int64_t> extents) -> Placing {
  const auto n = static_cast<uint64_t>(n_elements_of(extents));
  return {.extents = std::move(extents), .period = static_cast<int64_t>(std::bit_ceil(n))};
}

auto product_of(const Placing& input, const Placing& output, int64_t n_columns, bool is_shifted)
    -> Product {
  const int64_t least = std::min(input.period, output.period);
  const int64_t most = std::max(input.period, output.period);
  const int64_t n_copies = std::min(n_columns / most, least);
  if (!is_shifted || n_copies < 2) {
    return {.n_diagonals = least, .segment = most, .n_copies = 1};
  }
  return {.n_diagonals = least / n_copies, .segment = most, .n_copies = n_copies};
}

auto input_vector(const array::Program& program, array::ArrayId array, const Placing& placing,
                  const Product& product, const ArrayNumbers& numbers, CircuitWriter& writer)
    -> NodeId {
  SlotGather gather({}, columns_of(product));
  const HeAffine number = input_number(gather, placing, product, {});
  std::vector<HeAffine> indices = gather.indices_of(number, placing.extents);
  return gather.cipher(numbers[array.index], std::move(indices), program.arrays[array].name,
                       writer);
}

/// Whether it is made of constants of the program that are single numbers. Numbers of the server
/// are none: it would show them in slots that no result is read from.
static auto is_constant(const Term& term, const array::Program& program) -> bool {
  return term.bound.empty() &&
         std::all_of(term.factors.begin(), term.factors.end(), [&](const Element& factor) {
           return factor.indices.empty() &&
                  program.arrays[factor.array].owner == array::Owner::Constant;
         });
}

auto public_vector(const Target& target, const std::vector<Term>& terms, Padding padding,
                   const ArrayNumbers& numbers, CircuitWriter& writer) -> NodeId {
  NodeId sum;
  for (const Term& term : terms) {
    const bool is_everywhere = padding == Padding::Any && is_constant(term, target.program);
    const int64_t period = is_everywhere ? 1 : target.placing.period;
    const std::vector<GatherLoop> loops = with_bound({}, term, writer);
    SlotGather gather(loops, {{"place", period}});
    size_t loop = 0;
    for (const auto& [variable, extent] : term.bound) {
      gather.bind(variable, gather.of_loop(loop++));
    }
    if (!is_everywhere) {
      bind_outputs(gather, target, gather.of_column(0), period);
    }
    const NodeId product =
        gather.product(term.factors, numbers, family_name(target.program, term), writer);
    const NodeId node = summed(product, term, loops, 0, writer);
    sum = sum.has_value() ? writer.operation(NodeKind::Add, sum, node) : node;
  }
  return sum.has_value() ? sum : writer.constant(0);
}

auto mapped(const Target& target, const std::vector<Term>& terms, NodeId x, const Placing& input,
            const Product& product, const ArrayNumbers& numbers, CircuitWriter& writer) -> NodeId {
  std::vector<GatherLoop> q;
  if (product.n_diagonals > 1) {
    q.push_back({writer.loop({"q", product.n_diagonals}), product.n_diagonals, "q"});
  }
  NodeId diagonals;
  for (const Term& term : terms) {
    const NodeId node =
        diagonal(entry_of(term, target.program), target, input, product, q, numbers, writer);
    diagonals = diagonals.has_value() ? writer.operation(NodeKind::Add, diagonals, node) : node;
  }
  NodeId y = x;
  if (!q.empty()) {
    y = writer.rotate(x, circuit::loop_formula(q.front().id));
  }
  y = writer.operation(NodeKind::Multiply, y, diagonals);
  if (!q.empty()) {
    y = writer.over_loop(NodeKind::Sum, q.front().id, y);
  }
  const int64_t n_summed = product.n_copies * product.segment;
  for (int64_t step = target.placing.period; step < n_summed; step *= 2) {
    y = writer.operation(NodeKind::Add, y, writer.rotate(y, step));
  }
  return y;
}

}  // namespace tacet::diagonals
