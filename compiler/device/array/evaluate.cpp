#include "compiler/device/array/evaluate.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/device/array/checked.h"

namespace tacet::array {

namespace {

/// The values of an expression for all values of some dimensions, the first outermost.
struct Table {
  std::vector<DimId> dims;
  Elements values;
};

class StatementEvaluation {
 public:
  StatementEvaluation(const Program& program, const Statement& statement,
                      const std::vector<Elements>& arrays)
      : program_(program), statement_(statement), arrays_(arrays), at_(statement.dims.size(), 0) {}

  auto run() -> Elements {
    for (const Expr& expr : statement_.exprs.values()) {
      bool wrapped_before = has_wrapped_;
      tables_.push_back(std::visit([&](const auto& node) { return table(node); }, expr.node));
      if (has_wrapped_ && !wrapped_before) {
        wrapped_at_ = ExprId{static_cast<uint32_t>(tables_.size() - 1)};
      }
    }
    return filled(statement_.shape, [&] { return value(statement_.root); }).values;
  }

  [[nodiscard]] auto wrapped_at() const -> std::optional<ExprId> { return wrapped_at_; }

 private:
  /// Calls `compute` for all values of `dims` and gathers what it gives.
  template <class Compute>
  auto filled(std::vector<DimId> dims, const Compute& compute) -> Table {
    Table result{std::move(dims), {}};
    fill(result, 0, compute);
    return result;
  }

  template <class Compute>
  void fill(Table& result, size_t depth, const Compute& compute) {
    if (depth == result.dims.size()) {
      result.values.push_back(compute());
      return;
    }
    DimId dim = result.dims[depth];
    for (int64_t i = 0; i < statement_.dims[dim].extent; ++i) {
      at_[dim.index] = i;
      fill(result, depth + 1, compute);
    }
  }

  /// The value of an expression where the dimensions stand now.
  [[nodiscard]] auto value(ExprId id) const -> int64_t {
    const Table& table = tables_.at(id.index);
    int64_t position = 0;
    for (DimId dim : table.dims) {
      position = position * statement_.dims[dim].extent + at_[dim.index];
    }
    return table.values.at(static_cast<size_t>(position));
  }

  auto combine(Operator op, int64_t left, int64_t right) -> int64_t {
    const Wrapped result = apply(op, left, right);
    has_wrapped_ = has_wrapped_ || result.has_wrapped;
    return result.number;
  }

  [[nodiscard]] auto index_value(const ArrayIndex& index) const -> int64_t {
    int64_t sum = index.offset;
    for (const IndexTerm& term : index.terms) {
      int64_t dim = at_[term.dim.index];
      int64_t extent = statement_.dims[term.dim].extent;
      sum += term.stride * (term.is_cyclic ? (dim + term.shift) % extent : dim);
    }
    return sum;
  }

  [[nodiscard]] auto read(const Site& site) const -> int64_t {
    const std::vector<int64_t>& extents = program_.arrays[site.array].extents;
    int64_t position = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t index = index_value(site.indices.at(i));
      if (index < 0 || index >= extents[i]) {
        return 0;
      }
      position = position * extents[i] + index;
    }
    return arrays_.at(site.array.index).at(static_cast<size_t>(position));
  }

  auto table(const Literal& literal) -> Table { return {{}, {literal.value}}; }

  auto table(const Site& site) -> Table {
    std::vector<DimId> dims;
    for (const ArrayIndex& index : site.indices) {
      for (const IndexTerm& term : index.terms) {
        add(dims, term.dim);
      }
    }
    return filled(std::move(dims), [&] { return read(site); });
  }

  auto table(const Operation& operation) -> Table {
    std::vector<DimId> dims = tables_.at(operation.left.index).dims;
    for (DimId dim : tables_.at(operation.right.index).dims) {
      add(dims, dim);
    }
    return filled(std::move(dims), [&] {
      return combine(operation.op, value(operation.left), value(operation.right));
    });
  }

  auto table(const Function& function) -> Table {
    TACET_CHECK(!is_real_function(function.kind), "functions of reals are not integers");
    std::vector<DimId> dims;
    for (ExprId operand : function.operands) {
      for (DimId dim : tables_.at(operand.index).dims) {
        add(dims, dim);
      }
    }
    return filled(std::move(dims), [&] {
      const int64_t first = value(function.operands.at(0));
      if (function.kind == FunctionKind::Select) {
        return value(function.operands.at(first != 0 ? 1 : 2));
      }
      const Wrapped result =
          apply(function.kind, function.width, first, value(function.operands.at(1)));
      has_wrapped_ = has_wrapped_ || result.has_wrapped;
      return result.number;
    });
  }

  auto table(const Reduction& reduction) -> Table {
    std::vector<DimId> dims = tables_.at(reduction.body.index).dims;
    dims.erase(std::remove(dims.begin(), dims.end(), reduction.dim), dims.end());
    return filled(std::move(dims), [&] {
      int64_t result = reduction.op == Operator::Add ? 0 : 1;
      for (int64_t i = 0; i < statement_.dims[reduction.dim].extent; ++i) {
        at_[reduction.dim.index] = i;
        result = combine(reduction.op, result, value(reduction.body));
      }
      return result;
    });
  }

  static void add(std::vector<DimId>& dims, DimId dim) {
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) {
      dims.push_back(dim);
    }
  }

  const Program& program_;
  const Statement& statement_;
  const std::vector<Elements>& arrays_;
  std::vector<int64_t> at_;    ///< by dimension: where it stands
  std::vector<Table> tables_;  ///< by expression
  bool has_wrapped_ = false;
  std::optional<ExprId> wrapped_at_;
};

}  // namespace

auto n_elements(const std::vector<int64_t>& extents) -> int64_t {
  int64_t n = 1;
  for (int64_t extent : extents) {
    n *= extent;
  }
  return n;
}

auto evaluate(const Program& program, const std::vector<Elements>& inputs) -> Evaluation {
  Evaluation result;
  size_t n_constants = 0;
  for (const Elements& input : inputs) {
    const Array& array = program.arrays[ArrayId{static_cast<uint32_t>(result.arrays.size())}];
    TACET_CHECK(is_input(array.owner), "more values than inputs");
    TACET_CHECK(static_cast<int64_t>(input.size()) == n_elements(array.extents),
                "an input of another size");
    result.arrays.push_back(input);
  }
  for (const Array& array : program.arrays.values()) {
    if (array.owner == Owner::Constant) {
      result.arrays.push_back(array.elements);
      ++n_constants;
    }
  }
  TACET_CHECK(inputs.size() + n_constants + program.statements.size() == program.arrays.size(),
              "fewer values than inputs");
  for (size_t i = 0; i < program.statements.size(); ++i) {
    StatementEvaluation statement(program, program.statements[i], result.arrays);
    TACET_CHECK(program.statements[i].result.index == result.arrays.size(),
                "results are numbered by statement, behind the inputs");
    result.arrays.push_back(statement.run());
    if (statement.wrapped_at() && !result.wrapped_at) {
      result.wrapped_at = ExprPlace{i, *statement.wrapped_at()};
    }
  }
  return result;
}

}  // namespace tacet::array
