#include "compiler/he/schedule/statement_circuit.h"

#include <fmt/format.h>

#include "base/check.h"
#include "compiler/he/circuit/builder.h"
#include "compiler/he/schedule/final_sums.h"
#include "compiler/he/schedule/gather.h"
#include "compiler/he/schedule/leave_result.h"
#include "compiler/he/schedule/operate.h"
#include "compiler/he/schedule/padding.h"
#include "compiler/he/schedule/read_elements.h"
#include "compiler/he/schedule/read_moved.h"
#include "compiler/he/schedule/read_result.h"
#include "compiler/he/schedule/reduce.h"
#include "compiler/he/schedule/share_inputs.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using array::ExprId;
using array::Owner;
using array::Site;
using circuit::NodeId;
using circuit::NodeKind;

class Writer {
 public:
  Writer(const Frame& frame, const std::vector<Left>& earlier,
         const std::vector<uint32_t>& statement_of, CircuitWriter& writer)
      : frame_(frame),
        earlier_(earlier),
        statement_of_(statement_of),
        writer_(writer),
        shared_(share_inputs(frame)) {
    const bool is_output = &frame.statement == &frame.program.statements.back();
    if (is_output && array::leaves_sums(frame.program)) {
      only_added_ = only_added(frame.statement);
    } else {
      only_added_.assign(frame.statement.exprs.size(), false);
    }
  }

  auto run() -> Result<StatementCircuit> {
    if (Status status = read_results(); !status) {
      return status.error();
    }
    fill_ = choose_fill(frame_, [&](ExprId expr) { return known_padding(expr); });
    for (uint32_t i = 0; i < frame_.statement.exprs.size(); ++i) {
      values_.push_back(is_needed(ExprId{i}) ? value_of(ExprId{i}) : Value{});
    }
    Value root = values_[frame_.statement.root.index];
    if (!only_added_[frame_.statement.root.index] || !can_be_left(root)) {
      add_pending(frame_, root, writer_);
    }
    return leave_result(frame_, root);
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
      } else if (const auto* function = std::get_if<array::Function>(&user.node)) {
        is_used = is_used || function->operands.at(0) == id;
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
      Result<Value> value = read_result(frame_, *site, earlier_[statement], writer_);
      if (!value) {
        std::optional<Value> moved = read_moved(frame_, *site, earlier_[statement], writer_);
        results_[i] =
            moved ? std::move(moved) : read_elements(frame_, *site, earlier_[statement], writer_);
        if (results_[i]) {
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
      const auto may_wait = [&](ExprId operand) {
        return only_added_[operand.index] || values_[operand.index].pending.empty();
      };
      const bool waits =
          only_added_[id.index] && may_wait(operation->left) && may_wait(operation->right);
      const auto combine = waits ? operate_before_sums : operate;
      return combine(frame_, operation->op, values_[operation->left.index],
                     values_[operation->right.index], writer_);
    }
    if (const auto* function = std::get_if<array::Function>(&node)) {
      return masked(*function);
    }
    return reduced(std::get<array::Reduction>(node));
  }

  /// A statement of its own, so that nothing that is rewritten crosses the mask.
  auto masked(const array::Function& function) -> Value {
    TACET_CHECK(function.kind == array::FunctionKind::Masked, "functions are approximated before");
    Value value = values_[function.operands.at(0).index];
    add_pending(frame_, value, writer_);
    std::vector<uint32_t> unknown;
    for (uint32_t axis = 0; axis < value.along.size(); ++axis) {
      const SlotAxis& slots = frame_.axes[axis];
      const bool is_single =
          slots.extent == 1 || (slots.is_row() && array::is_real(frame_.program));
      if (value.along[axis] == Along::First && !is_single) {
        unknown.push_back(axis);
      }
    }
    const auto number = [&](ExprId id) {
      const auto* literal = std::get_if<array::Literal>(&expr(id).node);
      if (literal != nullptr) {
        return static_cast<double>(literal->value);
      }
      const array::Array& constant = frame_.program.arrays[std::get<Site>(expr(id).node).array];
      return array::real_of(constant.elements.at(0), constant.fraction_bits);
    };
    const auto mask_of = [&](ExprId id) {
      return masked_number(frame_, value.free, unknown, number(id),
                           std::get_if<Site>(&expr(id).node));
    };
    Gathered scale = mask_of(function.operands.at(1));
    const bool is_one =
        number(function.operands.at(1)) == 1 && scale.family.gathers.front().guards.empty();
    circuit::Statement statement{.name = "masked",
                                 .loops = {},
                                 .root = value.node,
                                 .bound = number(function.operands.at(3))};
    if (!is_one) {
      statement.root = writer_.operation(NodeKind::Multiply, value.node, read(std::move(scale)));
    }
    const auto* shift = std::get_if<array::Literal>(&expr(function.operands.at(2)).node);
    if (shift == nullptr || shift->value != 0) {
      statement.root =
          writer_.operation(NodeKind::Add, statement.root, read(mask_of(function.operands.at(2))));
    }
    std::vector<circuit::LoopFormula> indices;
    for (uint32_t i = 0; i < frame_.schedule.exploded.size(); ++i) {
      if (contains(value.free, frame_.schedule.exploded[i].dim)) {
        statement.loops.push_back(frame_.loops[i]);
        indices.push_back(circuit::loop_formula(frame_.loops[i]));
      }
    }
    value.node = writer_.result(writer_.statement(std::move(statement)), std::move(indices));
    value.padding.assign(frame_.statement.dims.size(), 0);
    return value;
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
    value.along = along_of(frame_, value.free);
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

  /// With the reductions that are done together with it.
  auto reduced(const array::Reduction& reduction) -> Value {
    std::vector<DimId> dims{reduction.dim};
    ExprId body = reduction.body;
    while (!is_needed(body)) {
      const auto& inner = std::get<array::Reduction>(expr(body).node);
      dims.push_back(inner.dim);
      body = inner.body;
    }
    return reduce(frame_, reduction.op, dims, values_[body.index], writer_);
  }

  const Frame& frame_;
  const std::vector<Left>& earlier_;
  const std::vector<uint32_t>& statement_of_;
  CircuitWriter& writer_;
  std::vector<bool>
      only_added_;  ///< by expression: what is pending of it may be left to the client
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
