#include "compiler/he/schedule/reduce.h"

#include <algorithm>
#include <bit>

#include "compiler/he/schedule/gather.h"
#include "compiler/he/schedule/operate.h"
#include "compiler/he/schedule/padding.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using array::Operator;
using circuit::NodeId;
using circuit::NodeKind;

/// Lets padding of the dimensions not count.
void make_neutral(const Frame& frame, Operator op, const std::vector<DimId>& dims, Value& value,
                  CircuitWriter& writer) {
  DimSet wrong = 0;
  for (DimId dim : dims) {
    if (contains(value.free, dim) && is_padded(frame, dim) &&
        value.padding[dim.index] != neutral(op)) {
      wrong |= set_of(dim);
    }
  }
  if (wrong == 0) {
    return;
  }
  Gathered gathered = padding_mask(frame, wrong);
  NodeId mask = writer.input(std::move(gathered.family), std::move(gathered.indices));
  value.node = writer.operation(NodeKind::Multiply, value.node, mask);
  if (op == Operator::Multiply) {
    value.node = writer.operation(NodeKind::Add, value.node,
                                  writer.operation(NodeKind::Subtract, writer.constant(1), mask));
  }
}

void reduce_loops(const Frame& frame, NodeKind over, const std::vector<DimId>& dims, Value& value,
                  CircuitWriter& writer) {
  for (uint32_t i = 0; i < frame.schedule.exploded.size(); ++i) {
    DimId dim = frame.schedule.exploded[i].dim;
    if (contains(value.free, dim) && std::find(dims.begin(), dims.end(), dim) != dims.end()) {
      value.node = writer.over_loop(over, frame.loops[i], value.node);
    }
  }
}

auto wraps(const Frame& frame, const Value& value, const Pending& reduced) -> bool {
  bool is_repeated =
      frame.axes[kRepetitionAxis].extent == 1 || value.along[kRepetitionAxis] == Along::Same;
  return reduced.n_digits == frame.axes[reduced.axis].extent &&
         (frame.axes[reduced.axis].is_row() || (reduced.axis == kOutermostAxis && is_repeated));
}

void reduce_axes(const Frame& frame, Operator op, const std::vector<DimId>& dims, Value& value,
                 CircuitWriter& writer) {
  std::vector<Pending> reduced;
  for (DimId dim : dims) {
    for (const Part& part : frame.parts[dim.index]) {
      if (!part.is_loop && contains(value.free, dim)) {
        auto extent = static_cast<uint64_t>(part.extent);
        reduced.push_back({part.index, static_cast<int64_t>(std::bit_ceil(extent))});
      }
    }
  }
  for (const Pending& pending : reduced) {
    value.along[pending.axis] = wraps(frame, value, pending) ? Along::Same : Along::First;
    if (op == Operator::Add) {
      value.pending.push_back(pending);
    } else {
      value.node = combine_over(frame, NodeKind::Multiply, value.node, pending, writer);
    }
  }
  std::sort(value.pending.begin(), value.pending.end(),
            [](const Pending& a, const Pending& b) { return a.axis < b.axis; });
}

/// A sum over a rolled dimension is the same all along the axis it was rolled by.
void settle_rolled(const Frame& frame, Value& value) {
  if (frame.axes.size() > kOutermostAxis && value.along[kOutermostAxis] == Along::Varies) {
    value.along[kOutermostAxis] = along_of(frame, value.free)[kOutermostAxis];
  }
}

}  // namespace

auto reduce(const Frame& frame, Operator op, const std::vector<DimId>& dims, Value value,
            CircuitWriter& writer) -> Value {
  if (op == Operator::Multiply) {
    add_pending(frame, value, writer);
  }
  NodeKind over = op == Operator::Add ? NodeKind::Sum : NodeKind::Product;
  make_neutral(frame, op, dims, value, writer);
  for (DimId dim : dims) {
    if (!contains(value.free, dim)) {
      value.node = writer.repeat(over, value.node, frame.extent(dim));
    }
  }
  reduce_loops(frame, over, dims, value, writer);
  reduce_axes(frame, op, dims, value, writer);
  for (DimId dim : dims) {
    value.free &= ~set_of(dim);
    value.padding = padding_of_many(op, value.padding, frame.extent(dim));
    value.padding[dim.index].reset();
  }
  settle_rolled(frame, value);
  return value;
}

}  // namespace tacet::schedule
