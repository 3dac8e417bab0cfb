#include "compiler/he/schedule/read_moved.h"

#include <algorithm>
#include <numeric>

#include "compiler/he/circuit/formula.h"
#include "compiler/he/schedule/gather_variables.h"

namespace tacet::schedule {

namespace {

using circuit::LoopFormula;
using circuit::NodeId;
using circuit::NodeKind;
using engine::HeAffine;
using engine::HeGather;
using engine::HeTerm;

constexpr int64_t kMostMasks = 1024;

/// How far a vector is moved, as a formula of the variables of gathers: what stands where, less
/// where it is needed. Variables of axes make out `unit` times numbers from `low` to `high`.
struct Distance {
  HeAffine fixed;   ///< of loops
  HeAffine digits;  ///< of axes, divided by `unit`
  int64_t unit = 1;
  int64_t low = 0;
  int64_t high = 0;

  [[nodiscard]] auto count() const -> int64_t { return high - low + 1; }
};

/// Distances are `n_baby * giant + baby`, giant from `first` on.
struct Steps {
  int64_t n_baby = 1;
  int64_t first = 0;
};

/// Reads one result at one site.
class Mover {
 public:
  Mover(const Frame& frame, const array::Site& site, const Left& left, CircuitWriter& writer)
      : frame_(frame), site_(site), left_(left), writer_(writer) {}

  /// Whether the result stands as this can read it.
  [[nodiscard]] auto can_read() const -> bool {
    for (const std::vector<Part>& parts : left_.parts) {
      const bool is_whole = parts.empty() || (parts.size() == 1 && parts[0].stride == 1 &&
                                              (parts[0].is_loop || parts[0].index != kRowAxis));
      if (!is_whole) {
        return false;
      }
    }
    for (uint32_t dim = 0; dim < frame_.statement.dims.size(); ++dim) {
      if (contains(dims_of(site_), array::DimId{dim}) && frame_.rolled[dim]) {
        return false;
      }
    }
    return left_.along[kRowAxis] == Along::Same || left_.axes[kRowAxis].extent == 1;
  }

  auto run() -> std::optional<NodeId> {
    find_vector_loops();
    const Variables variables(frame_, dims_of(site_), loops_);
    HeGather one;
    one.number = 1;
    one.indices.resize(site_.indices.size());
    std::vector<HeGather> pieces{one};
    for (size_t k = 0; k < site_.indices.size(); ++k) {
      pieces =
          with_index(std::move(pieces), frame_, variables, site_.indices[k], k, Remainders::Split);
    }
    std::vector<Distance> distances;
    int64_t n_masks = 0;
    for (const HeGather& piece : pieces) {
      distances.push_back(distance_of(piece, variables));
      n_masks += distances.back().count();
    }
    for (uint32_t tile : variables.tiles()) {
      n_masks *= frame_.schedule.exploded[tile].extent;
    }
    for (const ExtraLoop& loop : loops_) {
      n_masks *= loop.extent;
    }
    if (n_masks > kMostMasks) {
      return {};
    }
    make_vector_loops();
    std::optional<NodeId> sum;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const NodeId part = moved(pieces[i], distances[i]);
      sum = sum ? writer_.operation(NodeKind::Add, *sum, part) : part;
    }
    return sum;
  }

  /// Whether all repetitions of the reader's slots get what they need.
  [[nodiscard]] auto is_repeated() const -> bool { return is_same(kRepetitionAxis); }

 private:
  /// Loops through the result's vectors, except those whose numbers the reader's loops determine.
  /// The circuit does not have them yet.
  void find_vector_loops() {
    for (size_t k = 0; k < left_.parts.size(); ++k) {
      for (const Part& part : left_.parts[k]) {
        if (!part.is_loop) {
          continue;
        }
        vectors_.resize(std::max<size_t>(vectors_.size(), part.index + 1));
        if (std::optional<LoopFormula> known = known_from_loops(k, part.extent)) {
          vectors_[part.index] = std::move(*known);
          continue;
        }
        dims_.push_back(k);
        loops_.push_back({circuit::LoopId{}, part.extent});
      }
    }
  }

  void make_vector_loops() {
    for (size_t place = 0; place < loops_.size(); ++place) {
      loops_[place].loop = writer_.shared_loop("vector", place, loops_[place].extent);
      vectors_[left_.parts[dims_[place]][0].index] = circuit::loop_formula(loops_[place].loop);
    }
  }

  /// The site's index in dimension k of the result, if that is a formula of the reader's loops
  /// which is always in [0, extent).
  [[nodiscard]] auto known_from_loops(size_t k, int64_t extent) const
      -> std::optional<LoopFormula> {
    const array::ArrayIndex& index = site_.indices[k];
    LoopFormula result = circuit::constant_formula(index.offset);
    int64_t low = index.offset;
    int64_t high = index.offset;
    for (const array::IndexTerm& term : index.terms) {
      for (const Part& part : frame_.parts[term.dim.index]) {
        if (!part.is_loop || term.is_cyclic) {
          return {};
        }
        const int64_t step = term.stride * part.stride;
        (step < 0 ? low : high) += step * (part.extent - 1);
        result = circuit::sum_of(result, circuit::loop_formula(frame_.loops[part.index], step));
      }
    }
    return low >= 0 && high < extent ? std::optional(result) : std::nullopt;
  }

  /// Whether the result is the same along an axis of the reader's.
  [[nodiscard]] auto is_same(uint32_t axis) const -> bool {
    const SlotAxis& wanted = frame_.axes[axis];
    for (uint32_t i = 0; i < left_.axes.size(); ++i) {
      const SlotAxis& there = left_.axes[i];
      const bool meets = wanted.is_row() || there.is_row()
                             ? wanted.is_row() && there.is_row()
                             : there.block < wanted.block * wanted.extent &&
                                   wanted.block < there.block * there.extent;
      if (meets && there.extent > 1 && left_.along[i] != Along::Same) {
        return false;
      }
    }
    return true;
  }

  /// Where the element is in its vector, less where it is needed.
  [[nodiscard]] auto difference(const HeGather& piece, const Variables& variables) const
      -> HeAffine {
    HeAffine result;
    for (size_t k = 0; k < left_.parts.size(); ++k) {
      for (const Part& part : left_.parts[k]) {
        if (!part.is_loop) {
          add(result, piece.indices[k].value, left_.axes[part.index].block);
        }
      }
    }
    for (uint32_t axis = kOutermostAxis; axis < frame_.axes.size(); ++axis) {
      if (!is_same(axis)) {
        add_term(result, variables.of_axis(axis), -frame_.axes[axis].block);
      }
    }
    return result;
  }

  /// With the digits of an axis that a vector's number determines, expressed by it.
  void use_vector_numbers(const HeGather& piece, const Variables& variables,
                          HeAffine& distance) const {
    for (uint32_t place = 0; place < loops_.size(); ++place) {
      const HeAffine& index = piece.indices[dims_[place]].value;
      const HeTerm* digit = nullptr;
      size_t n_digits = 0;
      for (const HeTerm& term : index.terms) {
        if (term.variable >= variables.of_axis(kRowAxis)) {
          digit = &term;
          ++n_digits;
        }
      }
      if (n_digits != 1 || digit->variable == variables.of_axis(kRowAxis) ||
          std::abs(digit->factor) != 1) {
        continue;
      }
      const auto found =
          std::find_if(distance.terms.begin(), distance.terms.end(),
                       [&](const HeTerm& term) { return term.variable == digit->variable; });
      if (found != distance.terms.end()) {
        // vector = rest + sign * digit, so digit = sign * (vector - rest)
        const int64_t factor = found->factor * digit->factor;
        add_term(distance, variables.of_extra(place), factor);
        add(distance, index, -factor);
      }
    }
  }

  [[nodiscard]] auto distance_of(const HeGather& piece, const Variables& variables) const
      -> Distance {
    HeAffine all = difference(piece, variables);
    use_vector_numbers(piece, variables, all);
    Distance result;
    result.fixed.constant = all.constant;
    int64_t unit = 0;
    for (const HeTerm& term : all.terms) {
      const bool is_digit = term.variable >= variables.of_axis(kRowAxis);
      (is_digit ? result.digits : result.fixed).terms.push_back(term);
      unit = is_digit ? std::gcd(unit, term.factor) : unit;
    }
    result.unit = std::max<int64_t>(unit, 1);
    for (HeTerm& term : result.digits.terms) {
      term.factor /= result.unit;
      const int64_t reach = term.factor * last_digit(term.variable, variables);
      (reach < 0 ? result.low : result.high) += reach;
    }
    return result;
  }

  /// The last digit of an axis at which no dimension is padded, or another that is not smaller.
  [[nodiscard]] auto last_digit(uint32_t variable, const Variables& variables) const -> int64_t {
    int64_t last = 1;  // of the rows
    for (uint32_t axis = kOutermostAxis; axis < frame_.axes.size(); ++axis) {
      if (variables.of_axis(axis) != variable) {
        continue;
      }
      last = 0;
      for (const Tile& tile : frame_.axes[axis].tiles) {
        last = std::max(last, contains(dims_of(site_), tile.dim) ? tile.extent - 1
                                                                 : frame_.axes[axis].extent - 1);
      }
    }
    return last;
  }

  auto moved(const HeGather& piece, const Distance& distance) -> NodeId {
    // As many baby steps as giant ones, or nearly, and one of each is none: what is beyond the ends
    // is masked away.
    int64_t n_baby = distance.count() <= 3 ? 1 : 2;
    while (n_baby > 1 && n_baby * n_baby < distance.count()) {
      ++n_baby;
    }
    const auto giant_of = [&](int64_t number) {
      return (number - ((number % n_baby) + n_baby) % n_baby) / n_baby;
    };
    const Steps steps{n_baby, giant_of(distance.low)};
    std::vector<ExtraLoop> loops = loops_;
    const auto add_loop = [&](const char* name, int64_t extent) {
      loops.push_back({writer_.shared_loop(name, 0, extent), extent});
      return loops.back().loop;
    };
    const circuit::LoopId giant = add_loop("giant", giant_of(distance.high) - steps.first + 1);
    const circuit::LoopId baby = add_loop("baby", n_baby);
    LoopFormula giants = circuit::loop_formula(giant, distance.unit * n_baby);
    giants.constant = distance.unit * n_baby * steps.first;
    const LoopFormula babies =
        circuit::sum_of(loop_form(distance.fixed), circuit::loop_formula(baby, distance.unit));
    const NodeId vector = writer_.rotate(writer_.result(left_.statement, vectors_), babies);
    const NodeId mask =
        writer_.rotate(mask_of(piece, distance, loops, steps), circuit::times(giants, -1));
    NodeId node = writer_.operation(NodeKind::Multiply, vector, mask);
    node = writer_.over_loop(NodeKind::Sum, baby, node);
    for (const ExtraLoop& loop : loops_) {
      node = writer_.over_loop(NodeKind::Sum, loop.loop, node);
    }
    node = writer_.rotate(node, giants);
    return writer_.over_loop(NodeKind::Sum, giant, node);
  }

  /// Of a formula of exploded tiles and loops through vectors.
  [[nodiscard]] auto loop_form(const HeAffine& affine) const -> LoopFormula {
    const Variables variables(frame_, dims_of(site_), loops_);
    LoopFormula result = circuit::constant_formula(affine.constant);
    for (const HeTerm& term : affine.terms) {
      const size_t n_tiles = variables.tiles().size();
      const circuit::LoopId loop = term.variable < n_tiles
                                       ? frame_.loops[variables.tiles()[term.variable]]
                                       : loops_[term.variable - n_tiles].loop;
      result = circuit::sum_of(result, circuit::loop_formula(loop, term.factor));
    }
    return result;
  }

  /// 1 where the element that is needed is in this vector and at this distance, and inside of the
  /// array; 0 where a dimension is padded.
  auto mask_of(const HeGather& piece, const Distance& distance, const std::vector<ExtraLoop>& loops,
               const Steps& steps) -> NodeId {
    const Variables variables(frame_, dims_of(site_), loops);
    const auto n_fixed = static_cast<uint32_t>(variables.tiles().size() + loops_.size());
    const auto n_more = static_cast<uint32_t>(loops.size() - loops_.size());
    // Behind the loops that this adds, variables have other numbers.
    const auto renumbered = [&](HeAffine affine) {
      for (HeTerm& term : affine.terms) {
        term.variable += term.variable < n_fixed ? 0 : n_more;
      }
      return affine;
    };
    HeGather mask = piece;
    mask.indices.clear();
    for (engine::HeGuard& guard : mask.guards) {
      guard.value = renumbered(guard.value);
    }
    for (uint32_t dim = 0; dim < frame_.statement.dims.size(); ++dim) {
      if (contains(dims_of(site_), array::DimId{dim})) {
        variables.guard(array::DimId{dim}, mask.guards);
      }
    }
    const std::vector<int64_t>& extents = frame_.program.arrays[site_.array].extents;
    for (size_t k = 0; k < extents.size(); ++k) {
      HeAffine index = renumbered(piece.indices[k].value);
      mask.guards.push_back({index, 0, extents[k]});
      for (uint32_t place = 0; place < loops_.size(); ++place) {
        if (dims_[place] == k) {
          add_term(index, variables.of_extra(place), -1);
          mask.guards.push_back({index, 0, 1});
        }
      }
    }
    HeAffine digits = renumbered(distance.digits);
    digits.constant -= steps.n_baby * steps.first;
    add_term(digits, n_fixed, -steps.n_baby);
    add_term(digits, n_fixed + 1, -1);
    mask.guards.push_back({digits, 0, 1});
    Gathered gathered = variables.finish("mask", {mask});
    return writer_.input(std::move(gathered.family), std::move(gathered.indices));
  }

  const Frame& frame_;
  const array::Site& site_;
  const Left& left_;
  CircuitWriter& writer_;
  std::vector<ExtraLoop> loops_;      ///< through the result's vectors
  std::vector<size_t> dims_;          ///< by such a loop: of the result
  std::vector<LoopFormula> vectors_;  ///< by loop of the result
};

}  // namespace

auto read_moved(const Frame& frame, const array::Site& site, const Left& left,
                CircuitWriter& writer) -> std::optional<Value> {
  Mover mover(frame, site, left, writer);
  if (!mover.can_read()) {
    return {};
  }
  std::optional<NodeId> node = mover.run();
  if (!node) {
    return {};
  }
  Value value = zero_padded(frame, dims_of(site), *node);
  if (!mover.is_repeated()) {
    value.along[kRepetitionAxis] = Along::First;
  }
  return value;
}

}  // namespace tacet::schedule
