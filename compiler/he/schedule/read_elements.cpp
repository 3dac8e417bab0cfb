#include "compiler/he/schedule/read_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/circuit/formula.h"
#include "compiler/he/schedule/gather.h"

namespace tacet::schedule {

namespace {

using circuit::LoopFormula;
using circuit::NodeId;
using circuit::NodeKind;

constexpr int64_t kMostElements = 256;

/// Reads a result element by element: a loop for each tile, exploded or not.
class ElementReader {
 public:
  ElementReader(const Frame& frame, const Left& left, CircuitWriter& writer)
      : frame_(frame), left_(left), writer_(writer), axis_loops_(left.axes.size()) {}

  auto make_loops() -> bool {
    int64_t n_elements = 1;
    for (const std::vector<Part>& parts : left_.parts) {
      for (const Part& part : parts) {
        n_elements *= part.extent;
        if (n_elements > kMostElements) {
          return false;
        }
      }
    }
    for (const std::vector<Part>& parts : left_.parts) {
      elements_.emplace_back();
      for (Part part : parts) {
        auto place = static_cast<uint32_t>(loops_.size());
        loops_.push_back(
            {writer_.loop({fmt::format("element_{}", place), part.extent}), part.extent});
        if (part.is_loop) {
          indices_.resize(std::max<size_t>(indices_.size(), part.index + 1));
          indices_[part.index] = circuit::loop_formula(loops_.back().loop);
        } else {
          axis_loops_[part.index] = place;
        }
        part.index = place;
        elements_.back().push_back(part);
      }
    }
    return true;
  }

  auto run(const array::Site& site) -> NodeId {
    NodeId element = spread(writer_.result(left_.statement, indices_));
    Gathered wanted = element_mask(frame_, site, elements_, loops_);
    NodeId node = writer_.operation(NodeKind::Multiply, element,
                                    writer_.input(std::move(wanted.family), wanted.indices));
    for (const ExtraLoop& loop : loops_) {
      node = writer_.over_loop(NodeKind::Sum, loop.loop, node);
    }
    return node;
  }

 private:
  [[nodiscard]] auto is_same(uint32_t axis) const -> bool {
    return left_.along[axis] == Along::Same || left_.axes[axis].extent == 1;
  }

  /// 1 where the element stands, along axes that do not have it everywhere.
  [[nodiscard]] auto place_mask() const -> Gathered {
    Gathered result;
    engine::HeGather gather;
    gather.number = 1;
    std::vector<uint32_t> variables(left_.axes.size());
    for (const ExtraLoop& loop : loops_) {
      result.family.dimensions.push_back(
          {fmt::format("element_{}", result.indices.size()), loop.extent});
      result.indices.push_back(circuit::loop_formula(loop.loop));
    }
    auto next = static_cast<uint32_t>(loops_.size());
    variables[kRowAxis] = next++;
    for (uint32_t axis = kRepetitionAxis; axis < left_.axes.size(); ++axis) {
      gather.columns.push_back({fmt::format("c{}", axis), left_.axes[axis].extent});
      variables[axis] = next++;
    }
    for (uint32_t axis = 0; axis < left_.axes.size(); ++axis) {
      if (is_same(axis)) {
        continue;
      }
      engine::HeAffine digit;
      if (axis_loops_[axis]) {
        digit.terms.push_back({*axis_loops_[axis], -1});
      }
      digit.terms.push_back({variables[axis], 1});
      gather.guards.push_back({std::move(digit), 0, 1});
      gather.row = axis == kRowAxis ? "row" : gather.row;
    }
    result.family.name = "mask";
    result.family.gathers.push_back(std::move(gather));
    return result;
  }

  /// The element of the loops in all slots.
  auto spread(NodeId node) -> NodeId {
    LoopFormula steps;
    bool is_everywhere = true;
    for (uint32_t axis = 0; axis < left_.axes.size(); ++axis) {
      is_everywhere = is_everywhere && is_same(axis);
      if (!is_same(axis) && axis_loops_[axis] && !left_.axes[axis].is_row()) {
        steps.terms.push_back({loops_[*axis_loops_[axis]].loop, left_.axes[axis].block});
      }
    }
    if (is_everywhere) {
      return node;
    }
    Gathered mask = place_mask();
    node = writer_.operation(NodeKind::Multiply, node,
                             writer_.input(std::move(mask.family), mask.indices));
    node = writer_.rotate(node, steps);
    for (uint32_t axis = 0; axis < left_.axes.size(); ++axis) {
      for (int64_t k = 1; k < left_.axes[axis].extent && !is_same(axis); k *= 2) {
        NodeId moved = left_.axes[axis].is_row()
                           ? writer_.swap_rows(node)
                           : writer_.rotate(node, -k * left_.axes[axis].block);
        node = writer_.operation(NodeKind::Add, node, moved);
      }
    }
    return node;
  }

  const Frame& frame_;
  const Left& left_;
  CircuitWriter& writer_;
  std::vector<ExtraLoop> loops_;
  std::vector<LoopFormula> indices_;                 ///< of the result's vectors
  std::vector<std::vector<Part>> elements_;          ///< by dimension of the result
  std::vector<std::optional<uint32_t>> axis_loops_;  ///< by axis of the result: place of its loop
};

}  // namespace

auto read_elements(const Frame& frame, const array::Site& site, const Left& left,
                   CircuitWriter& writer) -> std::optional<Value> {
  ElementReader reader(frame, left, writer);
  if (!reader.make_loops()) {
    return {};
  }
  return zero_padded(frame, dims_of(site), reader.run(site));
}

}  // namespace tacet::schedule
