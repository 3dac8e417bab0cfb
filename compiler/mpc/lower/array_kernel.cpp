#include "compiler/mpc/lower/array_kernel.h"

#include "compiler/device/kernel/build.h"

namespace tacet::mpc_lower {

using kernel::ExprId;
using kernel::VariableId;
using types::Operator;

namespace {

class ArrayKernel {
 public:
  explicit ArrayKernel(const array::Program& program) : program_(program), build_(kernel_) {}

  auto run() -> std::optional<kernel::Kernel> {
    for (const array::Array& array : program_.arrays.values()) {
      declare(array);
    }
    for (const array::Statement& statement : program_.statements) {
      this->statement(statement);
    }
    if (has_functions_ || program_.statements.empty()) {
      return std::nullopt;
    }
    const VariableId result = arrays_[program_.statements.back().result.index];
    kernel_.results.push_back(
        {kernel_.variables[result].type, types::Visibility::Secret, "", "client"});
    kernel_.body.push_back(build_.statement(kernel::Return{{build_.read(result)}}));
    return std::move(kernel_);
  }

 private:
  void declare(const array::Array& array) {
    const bool is_input = array::is_input(array.owner);
    const VariableId variable =
        build_.variable(array.name.empty() ? "array" : array.name, {engine::kI64, array.extents},
                        is_input ? kernel::VariableKind::Parameter : kernel::VariableKind::Local);
    arrays_.push_back(variable);
    kernel::Variable& made = kernel_.variables[variable];
    made.place = array.place;
    if (is_input) {
      const bool is_secret = array.owner == array::Owner::Client;
      made.visibility = is_secret ? types::Visibility::Secret : types::Visibility::Public;
      made.owner = is_secret ? "client" : "server";
      if (array.range) {
        made.bound =
            kernel::Bound{.lower = array.range->low, .upper = types::Wide{array.range->high} + 1};
      }
      kernel_.parameters.push_back(variable);
    } else if (array.owner == array::Owner::Constant) {
      size_t next = 0;
      kernel_.body.push_back(build_.assign(variable, constant(array, 0, next)));
    }
  }

  auto constant(const array::Array& array, size_t dimension, size_t& next) -> ExprId {
    if (dimension == array.extents.size()) {
      return build_.integer(array.elements[next++]);
    }
    std::vector<ExprId> parts;
    for (int64_t i = 0; i < array.extents[dimension]; ++i) {
      parts.push_back(constant(array, dimension + 1, next));
    }
    return build_.array(std::move(parts));
  }

  void statement(const array::Statement& statement) {
    statement_ = &statement;
    indices_.clear();
    for (const array::Dim& dim : statement.dims.values()) {
      indices_.push_back(build_.variable(dim.name.empty() ? "i" : dim.name, {engine::kI64, {}},
                                         kernel::VariableKind::Index));
    }
    ExprId value = expr(statement.root);
    for (size_t i = statement.shape.size(); i-- > 0;) {
      const array::DimId dim = statement.shape[i];
      value = build_.tabulate(indices_[dim.index], statement.dims[dim].extent, value);
    }
    kernel_.body.push_back(build_.assign(arrays_[statement.result.index], value));
  }

  auto expr(array::ExprId id) -> ExprId {
    const array::Expr& node = statement_->exprs[id];
    build_.set_place(node.place);
    if (const auto* literal = std::get_if<array::Literal>(&node.node)) {
      return build_.integer(literal->value);
    }
    if (const auto* site = std::get_if<array::Site>(&node.node)) {
      return element(*site);
    }
    if (const auto* operation = std::get_if<array::Operation>(&node.node)) {
      const ExprId left = expr(operation->left);
      return build_.binary(operator_of(operation->op), left, expr(operation->right));
    }
    if (const auto* reduction = std::get_if<array::Reduction>(&node.node)) {
      const ExprId body = expr(reduction->body);
      return build_.reduce(operator_of(reduction->op), 0,
                           build_.tabulate(indices_[reduction->dim.index],
                                           statement_->dims[reduction->dim].extent, body));
    }
    has_functions_ = true;
    return build_.integer(0);
  }

  auto element(const array::Site& site) -> ExprId {
    std::vector<ExprId> indices;
    for (const array::ArrayIndex& index : site.indices) {
      ExprId sum = build_.integer(index.offset);
      for (const array::IndexTerm& term : index.terms) {
        ExprId at = build_.read(indices_[term.dim.index]);
        if (term.is_cyclic) {
          const ExprId extent = build_.integer(statement_->dims[term.dim].extent);
          at = build_.binary(Operator::Mod,
                             build_.binary(Operator::Add, at, build_.integer(term.shift)), extent);
        }
        sum = build_.binary(Operator::Add, sum,
                            build_.binary(Operator::Mul, at, build_.integer(term.stride)));
      }
      indices.push_back(sum);
    }
    const ExprId array = build_.read(arrays_[site.array.index]);
    return indices.empty() ? array : build_.element(array, std::move(indices));
  }

  static auto operator_of(array::Operator op) -> Operator {
    switch (op) {
      case array::Operator::Add:
        return Operator::Add;
      case array::Operator::Subtract:
        return Operator::Sub;
      case array::Operator::Multiply:
        break;
    }
    return Operator::Mul;
  }

  const array::Program& program_;
  kernel::Kernel kernel_;
  kernel::Builder build_;
  std::vector<VariableId> arrays_;
  std::vector<VariableId> indices_;  ///< by dimension of the statement
  const array::Statement* statement_ = nullptr;
  bool has_functions_ = false;
};

}  // namespace

auto kernel_of(const array::Program& program) -> std::optional<kernel::Kernel> {
  return ArrayKernel(program).run();
}

}  // namespace tacet::mpc_lower
