#include "compiler/schedule/statement_circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/schedule/gather.h"
#include "compiler/schedule/padding.h"
#include "compiler/schedule/read_elements.h"
#include "compiler/schedule/read_result.h"
#include "compiler/schedule/share_inputs.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using array::ExprId;
using array::Operator;
using array::Owner;
using array::Site;
using circuit::NodeId;
using circuit::NodeKind;

auto node_kind(Operator op) -> NodeKind {
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

class Writer {
 public:
  Writer(const Frame& frame, const std::vector<Left>& earlier,
         const std::vector<uint32_t>& statement_of, CircuitWriter& writer)
      : frame_(frame),
        earlier_(earlier),
        statement_of_(statement_of),
        writer_(writer),
        shared_(share_inputs(frame)) {}

  auto run() -> Result<StatementCircuit> {
    if (Status status = read_results(); !status) {
      return status.error();
    }
    fill_ = choose_fill(frame_, [&](ExprId expr) { return known_padding(expr); });
    for (uint32_t i = 0; i < frame_.statement.exprs.size(); ++i) {
      values_.push_back(is_needed(ExprId{i}) ? value_of(ExprId{i}) : Value{});
    }
    Value root = values_[frame_.statement.root.index];
    add_pending(root);
    return finish(root);
  }

 private:
  [[nodiscard]] auto expr(ExprId id) const -> const array::Expr& {
    return frame_.statement.exprs[id];
  }

  /// Bodies of reductions that are done together with the one around them are not.
  [[nodiscard]] auto is_needed(ExprId id) const -> bool {
    return !std::holds_alternative<array::Reduction>(expr(id).node) || !is_absorbed(id);
  }

  /// Whether only reductions with the same operator use the reduction.
  [[nodiscard]] auto is_absorbed(ExprId id) const -> bool {
    const auto& inner = std::get<array::Reduction>(expr(id).node);
    bool is_used = frame_.statement.root == id;
    for (const array::Expr& user : frame_.statement.exprs.values()) {
      if (const auto* operation = std::get_if<array::Operation>(&user.node)) {
        is_used = is_used || operation->left == id || operation->right == id;
      } else if (const auto* outer = std::get_if<array::Reduction>(&user.node)) {
        is_used = is_used || (outer->body == id && outer->op != inner.op);
      }
    }
    return !is_used;
  }

  auto read_results() -> Status {
    results_.resize(frame_.statement.exprs.size());
    for (uint32_t i = 0; i < results_.size(); ++i) {
      const auto* site = std::get_if<Site>(&expr(ExprId{i}).node);
      if (site == nullptr || frame_.program.arrays[site->array].owner != Owner::Computed) {
        continue;
      }
      uint32_t statement = statement_of_[site->array.index];
      Result<Value> value = read_result(frame_, *site, statement, earlier_[statement], writer_);
      if (!value) {
        if (std::optional<Value> slow =
                read_elements(frame_, *site, statement, earlier_[statement], writer_)) {
          results_[i] = std::move(slow);
          continue;
        }
        return Error{fmt::format("`{}` cannot read `{}`: {}",
                                 frame_.program.arrays[frame_.statement.result].name,
                                 frame_.program.arrays[site->array].name, value.error().message)};
      }
      results_[i] = std::move(*value);
    }
    return std::monostate{};
  }

  [[nodiscard]] auto known_padding(ExprId id) const -> std::optional<Padding> {
    if (results_[id.index]) {
      return results_[id.index]->padding;
    }
    if (shared_[id.index]) {
      Padding padding(frame_.statement.dims.size());
      for (uint32_t dim = 0; dim < padding.size() && shared_[id.index]->mask; ++dim) {
        if (contains(frame_.free[id.index], DimId{dim})) {
          padding[dim] = 0;
        }
      }
      return padding;
    }
    return {};
  }

  auto value_of(ExprId id) -> Value {
    const auto& node = expr(id).node;
    if (const auto* literal = std::get_if<array::Literal>(&node)) {
      return constant(literal->value);
    }
    if (const auto* site = std::get_if<Site>(&node)) {
      return results_[id.index] ? *results_[id.index] : read_input(id, *site);
    }
    if (const auto* operation = std::get_if<array::Operation>(&node)) {
      return operate(operation->op, values_[operation->left.index],
                     values_[operation->right.index]);
    }
    return reduce(std::get<array::Reduction>(node));
  }

  auto constant(int64_t number) -> Value {
    Value value;
    value.node = writer_.constant(number);
    value.along.assign(frame_.axes.size(), Along::Same);
    value.padding.assign(frame_.statement.dims.size(), number);
    return value;
  }

  auto read(Gathered gathered) -> NodeId {
    return writer_.input(std::move(gathered.family), std::move(gathered.indices));
  }

  auto read_input(ExprId id, const Site& site) -> Value {
    Value value;
    value.free = frame_.free[id.index];
    value.along = along_of(value.free);
    if (const std::optional<SharedRead>& shared = shared_[id.index]) {
      value.node = writer_.rotate(read(shared->vectors), shared->steps);
      value.padding = *known_padding(id);
      if (shared->mask) {
        value.node = writer_.operation(NodeKind::Multiply, value.node, read(*shared->mask));
      }
      return value;
    }
    value.node = read(gather_site(frame_, site, fill_[id.index]));
    value.padding.resize(frame_.statement.dims.size());
    for (uint32_t dim = 0; dim < value.padding.size(); ++dim) {
      if (contains(value.free, DimId{dim})) {
        value.padding[dim] = fill_[id.index];
      }
    }
    return value;
  }

  /// Where a value with these dimensions, and no reduction behind it, varies.
  [[nodiscard]] auto along_of(DimSet dims) const -> std::vector<Along> {
    std::vector<Along> along(frame_.axes.size(), Along::Same);
    for (uint32_t dim = 0; dim < frame_.statement.dims.size(); ++dim) {
      if (contains(dims, DimId{dim})) {
        for (const Part& part : axis_parts(frame_, DimId{dim})) {
          along[part.index] = Along::Varies;
        }
      }
    }
    return along;
  }

  auto combine_over(NodeKind kind, NodeId node, const Pending& pending) -> NodeId {
    const SlotAxis& axis = frame_.axes[pending.axis];
    if (axis.is_row()) {
      return pending.n_digits == 1 ? node : writer_.operation(kind, node, writer_.swap_rows(node));
    }
    for (int64_t k = pending.n_digits / 2; k > 0; k /= 2) {
      node = writer_.operation(kind, node, writer_.rotate(node, k * axis.block));
    }
    return node;
  }

  void add_pending(Value& value) {
    for (const Pending& pending : value.pending) {
      value.node = combine_over(NodeKind::Add, value.node, pending);
    }
    value.pending.clear();
  }

  /// Makes what is right at the first digit of an axis right at all.
  void spread(Value& value, uint32_t axis) {
    add_pending(value);
    value.node =
        writer_.operation(NodeKind::Multiply, value.node, read(digit_mask(frame_, axis, 0)));
    for (int64_t k = 1; k < frame_.axes[axis].extent; k *= 2) {
      NodeId moved = frame_.axes[axis].is_row()
                         ? writer_.swap_rows(value.node)
                         : writer_.rotate(value.node, -k * frame_.axes[axis].block);
      value.node = writer_.operation(NodeKind::Add, value.node, moved);
    }
    value.along[axis] = Along::Same;
  }

  /// Whether the operation can be done before what is pending of its operands.
  [[nodiscard]] auto can_wait(Operator op, const Value& left, const Value& right) const -> bool {
    if (op != Operator::Multiply) {
      return left.pending == right.pending && !must_spread(left, right);
    }
    bool is_scaled =
        writer_.number(left.node).has_value() || writer_.number(right.node).has_value();
    return is_scaled;
  }

  [[nodiscard]] auto must_spread(const Value& left, const Value& right) const -> bool {
    for (uint32_t axis = 0; axis < frame_.axes.size(); ++axis) {
      if ((left.along[axis] == Along::First && right.along[axis] == Along::Varies) ||
          (left.along[axis] == Along::Varies && right.along[axis] == Along::First)) {
        return true;
      }
    }
    return false;
  }

  auto operate(Operator op, Value left, Value right) -> Value {
    if (!can_wait(op, left, right)) {
      add_pending(left);
      add_pending(right);
    }
    Value value;
    value.pending = left.pending.empty() ? right.pending : left.pending;
    for (uint32_t axis = 0; axis < frame_.axes.size(); ++axis) {
      if (left.along[axis] == Along::First && right.along[axis] == Along::Varies) {
        spread(left, axis);
      } else if (left.along[axis] == Along::Varies && right.along[axis] == Along::First) {
        spread(right, axis);
      }
      value.along.push_back(left.along[axis] == Along::Same ? right.along[axis] : left.along[axis]);
    }
    value.node = writer_.operation(node_kind(op), left.node, right.node);
    value.free = left.free | right.free;
    value.padding = padding_of_operation(op, left.padding, right.padding);
    return value;
  }

  auto reduce(const array::Reduction& reduction) -> Value {
    std::vector<DimId> dims{reduction.dim};
    ExprId body = reduction.body;
    while (!is_needed(body)) {
      const auto& inner = std::get<array::Reduction>(expr(body).node);
      dims.push_back(inner.dim);
      body = inner.body;
    }
    Value value = values_[body.index];
    if (reduction.op == Operator::Multiply) {
      add_pending(value);
    }
    NodeKind over = reduction.op == Operator::Add ? NodeKind::Sum : NodeKind::Product;
    make_neutral(reduction.op, dims, value);
    for (DimId dim : dims) {
      if (!contains(value.free, dim)) {
        value.node = writer_.repeat(over, value.node, frame_.extent(dim));
      }
    }
    reduce_loops(over, dims, value);
    reduce_axes(reduction.op, dims, value);
    for (DimId dim : dims) {
      value.free &= ~set_of(dim);
      value.padding = padding_of_many(reduction.op, value.padding, frame_.extent(dim));
      value.padding[dim.index].reset();
    }
    settle_rolled(value);
    return value;
  }

  /// Lets padding of the dimensions not count.
  void make_neutral(Operator op, const std::vector<DimId>& dims, Value& value) {
    DimSet wrong = 0;
    for (DimId dim : dims) {
      if (contains(value.free, dim) && is_padded(frame_, dim) &&
          value.padding[dim.index] != neutral(op)) {
        wrong |= set_of(dim);
      }
    }
    if (wrong == 0) {
      return;
    }
    NodeId mask = read(padding_mask(frame_, wrong));
    value.node = writer_.operation(NodeKind::Multiply, value.node, mask);
    if (op == Operator::Multiply) {
      value.node =
          writer_.operation(NodeKind::Add, value.node,
                            writer_.operation(NodeKind::Subtract, writer_.constant(1), mask));
    }
  }

  void reduce_loops(NodeKind over, const std::vector<DimId>& dims, Value& value) {
    for (uint32_t i = 0; i < frame_.schedule.exploded.size(); ++i) {
      DimId dim = frame_.schedule.exploded[i].dim;
      if (contains(value.free, dim) && std::find(dims.begin(), dims.end(), dim) != dims.end()) {
        value.node = writer_.over_loop(over, frame_.loops[i], value.node);
      }
    }
  }

  [[nodiscard]] auto wraps(const Value& value, uint32_t axis, int64_t n_digits) const -> bool {
    bool is_repeated =
        frame_.axes[kRepetitionAxis].extent == 1 || value.along[kRepetitionAxis] == Along::Same;
    return n_digits == frame_.axes[axis].extent &&
           (frame_.axes[axis].is_row() || (axis == kOutermostAxis && is_repeated));
  }

  void reduce_axes(Operator op, const std::vector<DimId>& dims, Value& value) {
    std::vector<Pending> reduced;
    for (DimId dim : dims) {
      for (const Part& part : frame_.parts[dim.index]) {
        if (!part.is_loop && contains(value.free, dim)) {
          auto extent = static_cast<uint64_t>(part.extent);
          reduced.push_back({part.index, static_cast<int64_t>(std::bit_ceil(extent))});
        }
      }
    }
    for (const Pending& pending : reduced) {
      value.along[pending.axis] =
          wraps(value, pending.axis, pending.n_digits) ? Along::Same : Along::First;
      if (op == Operator::Add) {
        value.pending.push_back(pending);
      } else {
        value.node = combine_over(NodeKind::Multiply, value.node, pending);
      }
    }
    std::sort(value.pending.begin(), value.pending.end(),
              [](const Pending& a, const Pending& b) { return a.axis < b.axis; });
  }

  /// A sum over a rolled dimension is the same all along the axis it was rolled by.
  void settle_rolled(Value& value) const {
    if (frame_.axes.size() > kOutermostAxis) {
      std::vector<Along> along = along_of(value.free);
      if (value.along[kOutermostAxis] == Along::Varies) {
        value.along[kOutermostAxis] = along[kOutermostAxis];
      }
    }
  }

  auto finish(const Value& root) -> StatementCircuit {
    const array::Statement& statement = frame_.statement;
    const array::Array& array = frame_.program.arrays[statement.result];
    StatementCircuit result;
    result.statement.name = array.name;
    result.statement.root = root.node;
    result.output.name = array.name;
    result.output.extents = array.extents;
    result.left.axes = frame_.axes;
    result.left.along = root.along;
    result.left.parts.resize(statement.shape.size());
    std::vector<uint32_t> place(frame_.schedule.exploded.size());
    for (uint32_t i = 0; i < frame_.schedule.exploded.size(); ++i) {
      if (contains(root.free, frame_.schedule.exploded[i].dim)) {
        place[i] = static_cast<uint32_t>(result.statement.loops.size());
        result.statement.loops.push_back(frame_.loops[i]);
      }
    }
    result.output.indices.resize(result.statement.loops.size());
    for (size_t k = 0; k < statement.shape.size(); ++k) {
      DimId dim = statement.shape[k];
      bool is_free = contains(root.free, dim);
      result.left.padding.push_back(root.padding[dim.index]);
      result.left.is_padded.push_back(is_padded(frame_, dim));
      result.output.target.emplace_back();
      for (Part part : frame_.parts[dim.index]) {
        add_output(part, is_free, place, result.output, k);
        if (is_free) {
          part.index = part.is_loop ? place[part.index] : part.index;
          result.left.parts[k].push_back(part);
        }
      }
    }
    return result;
  }

  void add_output(const Part& part, bool is_free, const std::vector<uint32_t>& place,
                  circuit::Output& output, size_t k) const {
    auto variable = static_cast<uint32_t>(output.dimensions.size());
    const std::string& dim = frame_.statement.dims[frame_.statement.shape[k]].name;
    std::string name = part.stride == 1 ? dim : fmt::format("{}_{}", dim, part.stride);
    const auto is_named = [&](const engine::HeDimension& other) { return other.name == name; };
    while (std::any_of(output.dimensions.begin(), output.dimensions.end(), is_named)) {
      name += '_';  // a dimension may be called as another's tile is
    }
    output.dimensions.push_back({std::move(name), part.extent});
    output.target[k].terms.push_back({variable, part.stride});
    if (!is_free) {
      return;
    }
    if (part.is_loop) {
      output.indices[place[part.index]].terms.push_back({variable, 1});
    } else if (part.index == kRowAxis) {
      output.row.terms.push_back({variable, 1});
    } else {
      output.column.terms.push_back({variable, frame_.axes[part.index].block});
    }
  }

  const Frame& frame_;
  const std::vector<Left>& earlier_;
  const std::vector<uint32_t>& statement_of_;
  CircuitWriter& writer_;
  std::vector<std::optional<SharedRead>> shared_;
  std::vector<std::optional<Value>> results_;  ///< by expression
  std::vector<int64_t> fill_;                  ///< likewise
  std::vector<Value> values_;                  ///< likewise
};

}  // namespace

auto write_statement(const Frame& frame, const std::vector<Left>& earlier,
                     const std::vector<uint32_t>& statement_of, CircuitWriter& writer)
    -> Result<StatementCircuit> {
  return Writer(frame, earlier, statement_of, writer).run();
}

}  // namespace tacet::schedule
