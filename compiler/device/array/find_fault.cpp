#include "compiler/device/array/find_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/expr_key.h"
#include "compiler/device/array/width.h"

namespace tacet::array {

namespace {

class StatementCheck {
 public:
  StatementCheck(const Program& program, const Statement& statement)
      : program_(program), statement_(statement) {}

  auto run() -> std::string {
    check_result();
    for (uint32_t i = 0; i < statement_.exprs.size() && fault_.empty(); ++i) {
      check(ExprId{i});
    }
    if (!fault_.empty()) {
      return fault_;
    }
    expect(statement_.root.index < statement_.exprs.size(), "the root is no expression");
    if (fault_.empty()) {
      for (DimId dim : free_dims_[statement_.root.index]) {
        bool is_in_shape = std::find(statement_.shape.begin(), statement_.shape.end(), dim) !=
                           statement_.shape.end();
        expect(is_in_shape, "the result depends on a dimension that it does not have");
      }
    }
    return fault_;
  }

 private:
  void expect(bool holds, std::string_view fault) {
    if (!holds && fault_.empty()) {
      fault_ = fault;
    }
  }

  void check_result() {
    const Array& result = program_.arrays[statement_.result];
    expect(result.extents.size() == statement_.shape.size(), "the result has another rank");
    for (size_t i = 0; i < statement_.shape.size() && fault_.empty(); ++i) {
      DimId dim = statement_.shape[i];
      expect(dim.index < statement_.dims.size() && statement_.dims[dim].extent == result.extents[i],
             "the result has another shape");
      expect(bound_.insert(dim).second, "a dimension occurs twice in the result");
    }
    for (const Dim& dim : statement_.dims.values()) {
      expect(dim.extent > 0, "a dimension without values");
    }
  }

  void check(ExprId id) {
    const Expr& expr = statement_.exprs[id];
    expect(keys_.insert(key_of(expr)).second, "two expressions are equal");
    free_dims_.emplace_back();
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      check(*site);
    } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      use(operation->left);
      use(operation->right);
    } else if (const auto* function = std::get_if<Function>(&expr.node)) {
      expect(is_real(program_) == is_real_function(function->kind),
             "a function of integers in a program of fixed-point numbers, or the other way round");
      expect(function->operands.size() == arity_of(function->kind),
             "a function of another number of operands");
      expect(std::find(kAllWidths.begin(), kAllWidths.end(), function->width) != kAllWidths.end() &&
                 (arity_of(function->kind) == 2 || function->width.bits == 0),
             "a function of integers of another width");
      std::for_each(function->operands.begin(), function->operands.end(),
                    [this](ExprId operand) { use(operand); });
    } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      expect(reduction->op != Operator::Subtract, "a reduction by a difference");
      use(reduction->body);
      expect(bound_.insert(reduction->dim).second, "a dimension is bound twice");
      expect(free_dims_.back().erase(reduction->dim) == 1,
             "the body of a reduction does not depend on its dimension");
    }
  }

  void use(ExprId operand) {
    bool stands_before = operand.index + 1 < free_dims_.size();
    expect(stands_before, "an operand is defined after its use");
    if (stands_before) {
      const std::set<DimId>& dims = free_dims_[operand.index];
      free_dims_.back().insert(dims.begin(), dims.end());
    }
  }

  void check(const Site& site) {
    expect(site.array < statement_.result, "an array is read before it is computed");
    if (!fault_.empty()) {
      return;
    }
    expect(site.indices.size() == program_.arrays[site.array].extents.size(),
           "a site has another rank than its array");
    for (const ArrayIndex& index : site.indices) {
      for (size_t i = 0; i < index.terms.size(); ++i) {
        const IndexTerm& term = index.terms[i];
        expect(i == 0 || index.terms[i - 1].dim < term.dim, "terms are not by dimension");
        expect(term.dim.index < statement_.dims.size() && term.stride != 0, "a term of nothing");
        expect(term.is_cyclic ? 0 < term.shift && term.shift < statement_.dims[term.dim].extent
                              : term.shift == 0,
               "a shift out of range");
        free_dims_.back().insert(term.dim);
      }
    }
  }

  const Program& program_;
  const Statement& statement_;
  std::vector<std::set<DimId>> free_dims_;  ///< by expression
  std::set<std::vector<int64_t>> keys_;
  std::set<DimId> bound_;
  std::string fault_;
};

}  // namespace

auto find_fault(const Program& program, const Statement& statement) -> std::string {
  return StatementCheck(program, statement).run();
}

auto find_fault(const Program& program) -> std::string {
  size_t n_known = program.arrays.size() - program.statements.size();
  if (program.statements.empty() || program.arrays.size() < program.statements.size()) {
    return "nothing is computed";
  }
  for (uint32_t i = 0; i < program.arrays.size(); ++i) {
    const Array& array = program.arrays[ArrayId{i}];
    const bool is_behind_constant =
        i > 0 && program.arrays[ArrayId{i - 1}].owner == Owner::Constant;
    if ((array.owner == Owner::Computed) != (i >= n_known) ||
        (is_behind_constant && is_input(array.owner))) {
      return fmt::format("array {} is not where inputs, constants or results are", i);
    }
    if (array.owner == Owner::Constant &&
        static_cast<int64_t>(array.elements.size()) != n_elements(array.extents)) {
      return fmt::format("constant {} has another number of elements", i);
    }
  }
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (program.statements[i].result.index != n_known + i) {
      return fmt::format("statement {}: its result has another number", i);
    }
    if (std::string fault = find_fault(program, program.statements[i]); !fault.empty()) {
      return fmt::format("statement {}: {}", i, fault);
    }
  }
  return "";
}

}  // namespace tacet::array
