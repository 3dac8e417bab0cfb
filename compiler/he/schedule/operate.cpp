#include "compiler/he/schedule/operate.h"

#include "compiler/he/schedule/gather.h"
#include "compiler/he/schedule/padding.h"

namespace tacet::schedule {

using array::Operator;
using circuit::NodeId;
using circuit::NodeKind;

auto combine_over(const Frame& frame, NodeKind kind, NodeId node, const Pending& pending,
                  CircuitWriter& writer) -> NodeId {
  const SlotAxis& axis = frame.axes[pending.axis];
  if (axis.is_row()) {
    return pending.n_digits == 1 ? node : writer.operation(kind, node, writer.swap_rows(node));
  }
  for (int64_t k = pending.n_digits / 2; k > 0; k /= 2) {
    node = writer.operation(kind, node, writer.rotate(node, k * axis.block));
  }
  return node;
}

void add_pending(const Frame& frame, Value& value, CircuitWriter& writer) {
  for (const Pending& pending : value.pending) {
    value.node = combine_over(frame, NodeKind::Add, value.node, pending, writer);
  }
  value.pending.clear();
}

static auto node_kind(Operator op) -> NodeKind {
  switch (op) {
    case Operator::Add:
      return NodeKind::Add;
    case Operator::Subtract:
      return NodeKind::Subtract;
    case Operator::Multiply:
      return NodeKind::Multiply;
  }
  return NodeKind::Add;
}

/// Whether the one is right at the first digit only, and the other varies.
static auto must_spread(Along value, Along other) -> bool {
  return value == Along::First && other == Along::Varies;
}

/// Whether the operation can be done before what is pending of its operands.
static auto can_wait(Operator op, const Value& left, const Value& right,
                     const CircuitWriter& writer) -> bool {
  if (op == Operator::Multiply) {
    return writer.number(left.node).has_value() || writer.number(right.node).has_value();
  }
  for (size_t axis = 0; axis < left.along.size(); ++axis) {
    if (must_spread(left.along[axis], right.along[axis]) ||
        must_spread(right.along[axis], left.along[axis])) {
      return false;
    }
  }
  return left.pending == right.pending;
}

/// Makes what is right at the first digit of an axis right at all.
static void spread(const Frame& frame, Value& value, uint32_t axis, CircuitWriter& writer) {
  add_pending(frame, value, writer);
  Gathered mask = digit_mask(frame, axis, 0);
  value.node = writer.operation(NodeKind::Multiply, value.node,
                                writer.input(std::move(mask.family), std::move(mask.indices)));
  for (int64_t k = 1; k < frame.axes[axis].extent; k *= 2) {
    NodeId moved = frame.axes[axis].is_row()
                       ? writer.swap_rows(value.node)
                       : writer.rotate(value.node, -k * frame.axes[axis].block);
    value.node = writer.operation(NodeKind::Add, value.node, moved);
  }
  value.along[axis] = Along::Same;
}

auto operate(const Frame& frame, Operator op, Value left, Value right, CircuitWriter& writer)
    -> Value {
  if (!can_wait(op, left, right, writer)) {
    add_pending(frame, left, writer);
    add_pending(frame, right, writer);
  }
  Value value;
  value.pending = left.pending.empty() ? right.pending : left.pending;
  for (uint32_t axis = 0; axis < frame.axes.size(); ++axis) {
    if (must_spread(left.along[axis], right.along[axis])) {
      spread(frame, left, axis, writer);
    } else if (must_spread(right.along[axis], left.along[axis])) {
      spread(frame, right, axis, writer);
    }
    value.along.push_back(left.along[axis] == Along::Same ? right.along[axis] : left.along[axis]);
  }
  value.node = writer.operation(node_kind(op), left.node, right.node);
  value.free = left.free | right.free;
  value.padding = padding_of_operation(op, left.padding, right.padding);
  return value;
}

}  // namespace tacet::schedule
