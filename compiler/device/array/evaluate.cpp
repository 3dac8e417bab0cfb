#include "compiler/device/array/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/double_double.h"
#include "compiler/device/array/checked.h"
#include "compiler/device/array/real_functions.h"

namespace tacet::array {

namespace {

/// Values of the operands of a function, of which none has more.
template <class Number>
using Operands = std::array<Number, 4>;

/// Arithmetic modulo 2^64.
class Integers {
 public:
  using Number = int64_t;

  static auto number(int64_t value) -> int64_t { return value; }

  auto combine(Operator op, int64_t left, int64_t right) -> int64_t {
    return noted(array::apply(op, left, right));
  }

  auto apply(const Function& function, const Operands<int64_t>& of) -> int64_t {
    TACET_CHECK(!is_real_function(function.kind), "functions of reals are not integers");
    return function.kind == FunctionKind::Select
               ? of[of[0] != 0 ? 1 : 2]
               : noted(array::apply(function.kind, function.width, of[0], of[1]));
  }

  [[nodiscard]] auto has_wrapped() const -> bool { return has_wrapped_; }

 private:
  auto noted(const Wrapped& result) -> int64_t {
    has_wrapped_ = has_wrapped_ || result.has_wrapped;
    return result.number;
  }

  bool has_wrapped_ = false;
};

class Reals {
 public:
  using Number = DoubleDouble;

  static auto number(int64_t value) -> DoubleDouble { return DoubleDouble::of_integer(value); }

  static auto combine(Operator op, DoubleDouble left, DoubleDouble right) -> DoubleDouble {
    switch (op) {
      case Operator::Add:
        return left + right;
      case Operator::Subtract:
        return left - right;
      case Operator::Multiply:
        return left * right;
    }
    return 0;
  }

  static auto apply(const Function& function, const Operands<DoubleDouble>& of) -> DoubleDouble {
    TACET_CHECK(is_real_function(function.kind), "functions of integers are not reals");
    return function.kind == FunctionKind::Promise ? of[0] : real_value(function.kind, of[0].high);
  }

  [[nodiscard]] static auto has_wrapped() -> bool { return false; }
};

template <class Arithmetic>
class StatementEvaluation {
 public:
  using Number = typename Arithmetic::Number;

  StatementEvaluation(const Program& program, const Statement& statement,
                      const std::vector<std::vector<Number>>& arrays)
      : program_(program), statement_(statement), arrays_(arrays), at_(statement.dims.size(), 0) {}

  auto run() -> std::vector<Number> {
    for (const Expr& expr : statement_.exprs.values()) {
      const bool wrapped_before = arithmetic_.has_wrapped();
      tables_.push_back(std::visit([&](const auto& node) { return table(node); }, expr.node));
      if (arithmetic_.has_wrapped() && !wrapped_before) {
        wrapped_at_ = ExprId{static_cast<uint32_t>(tables_.size() - 1)};
      }
    }
    return filled(statement_.shape, [&] { return value(statement_.root); }).values;
  }

  [[nodiscard]] auto wrapped_at() const -> std::optional<ExprId> { return wrapped_at_; }

 private:
  /// The values of an expression for all values of some dimensions, the first outermost.
  struct Table {
    std::vector<DimId> dims;
    std::vector<Number> values;
  };

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
  [[nodiscard]] auto value(ExprId id) const -> Number {
    const Table& table = tables_.at(id.index);
    int64_t position = 0;
    for (DimId dim : table.dims) {
      position = position * statement_.dims[dim].extent + at_[dim.index];
    }
    return table.values.at(static_cast<size_t>(position));
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

  [[nodiscard]] auto read(const Site& site) const -> Number {
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

  auto table(const Literal& literal) -> Table { return {{}, {Arithmetic::number(literal.value)}}; }

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
      return arithmetic_.combine(operation.op, value(operation.left), value(operation.right));
    });
  }

  auto table(const Function& function) -> Table {
    std::vector<DimId> dims;
    for (ExprId operand : function.operands) {
      for (DimId dim : tables_.at(operand.index).dims) {
        add(dims, dim);
      }
    }
    return filled(std::move(dims), [&] {
      Operands<Number> operands{};
      for (size_t i = 0; i < function.operands.size(); ++i) {
        operands.at(i) = value(function.operands[i]);
      }
      return arithmetic_.apply(function, operands);
    });
  }

  auto table(const Reduction& reduction) -> Table {
    std::vector<DimId> dims = tables_.at(reduction.body.index).dims;
    dims.erase(std::remove(dims.begin(), dims.end(), reduction.dim), dims.end());
    return filled(std::move(dims), [&] {
      Number result = reduction.op == Operator::Add ? 0 : 1;
      for (int64_t i = 0; i < statement_.dims[reduction.dim].extent; ++i) {
        at_[reduction.dim.index] = i;
        result = arithmetic_.combine(reduction.op, result, value(reduction.body));
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
  const std::vector<std::vector<Number>>& arrays_;
  std::vector<int64_t> at_;    ///< by dimension: where it stands
  std::vector<Table> tables_;  ///< by expression
  Arithmetic arithmetic_;
  std::optional<ExprId> wrapped_at_;
};

/// All arrays: inputs, constants, and what statements compute, each of which `notes` is called for.
template <class Arithmetic, class Constant, class Note>
auto all_arrays(const Program& program,
                const std::vector<std::vector<typename Arithmetic::Number>>& inputs,
                const Constant& constant, const Note& note)
    -> std::vector<std::vector<typename Arithmetic::Number>> {
  std::vector<std::vector<typename Arithmetic::Number>> arrays;
  for (const auto& input : inputs) {
    const Array& array = program.arrays[ArrayId{static_cast<uint32_t>(arrays.size())}];
    TACET_CHECK(is_input(array.owner), "more values than inputs");
    TACET_CHECK(static_cast<int64_t>(input.size()) == n_elements(array.extents),
                "an input of another size");
    arrays.push_back(input);
  }
  for (const Array& array : program.arrays.values()) {
    if (array.owner == Owner::Constant) {
      arrays.push_back(constant(array));
    }
  }
  TACET_CHECK(arrays.size() + program.statements.size() == program.arrays.size(),
              "fewer values than inputs");
  for (size_t i = 0; i < program.statements.size(); ++i) {
    StatementEvaluation<Arithmetic> statement(program, program.statements[i], arrays);
    TACET_CHECK(program.statements[i].result.index == arrays.size(),
                "results are numbered by statement, behind the inputs");
    arrays.push_back(statement.run());
    note(i, statement.wrapped_at());
  }
  return arrays;
}

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
  result.arrays = all_arrays<Integers>(
      program, inputs, [](const Array& array) { return array.elements; },
      [&](size_t statement, std::optional<ExprId> wrapped_at) {
        if (wrapped_at && !result.wrapped_at) {
          result.wrapped_at = ExprPlace{statement, *wrapped_at};
        }
      });
  return result;
}

auto evaluate_reals(const Program& program, const std::vector<std::vector<double>>& inputs)
    -> std::vector<double> {
  std::vector<std::vector<DoubleDouble>> numbers;
  for (const std::vector<double>& input : inputs) {
    numbers.emplace_back(input.begin(), input.end());
  }
  const auto constant = [](const Array& array) {
    std::vector<DoubleDouble> elements;
    for (const int64_t element : array.elements) {
      const DoubleDouble number = DoubleDouble::of_integer(element);
      elements.push_back(number * std::ldexp(1, -int{array.fraction_bits}));
    }
    return elements;
  };
  const std::vector<std::vector<DoubleDouble>> arrays =
      all_arrays<Reals>(program, numbers, constant,
                        [](size_t /*statement*/, std::optional<ExprId> /*wrapped_at*/) {});
  std::vector<double> result;
  for (const DoubleDouble& number : arrays.back()) {
    result.push_back(static_cast<double>(number));
  }
  return result;
}

}  // namespace tacet::array
