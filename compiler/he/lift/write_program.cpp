#include "compiler/he/lift/write_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/check.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/shorten.h"
#include "compiler/device/array/unique_names.h"
#include "compiler/device/array/width.h"
#include "compiler/he/lift/inline_computed.h"
#include "compiler/he/lift/known_values.h"
#include "compiler/he/lift/linear_form.h"
#include "compiler/he/lift/make_readable.h"

namespace tacet::lift {

namespace {

using array::ArrayId;
using array::ExprId;
using array::Owner;

/// Constants have at most so many elements.
constexpr int64_t kMostConstant = int64_t{1} << 22;

class Writer {
 public:
  Writer(const Terms& terms, const array::Program& inputs, const std::vector<Computed>& computed)
      : terms_(terms),
        inputs_(inputs),
        computed_(computed),
        n_inputs_(inputs.arrays.size()),
        fraction_bits_(inputs.fraction_bits) {
    array::UniqueNames names;
    for (const array::Array& input : inputs.arrays.values()) {
      names.add(input.name);
      arrays_.add(input);
    }
    for (const Computed& each : computed) {
      std::vector<int64_t> extents;
      for (DimId dim : each.dims) {
        extents.push_back(terms.extent(dim));
      }
      arrays_.add({.name = names.add(each.name),
                   .extents = std::move(extents),
                   .owner = Owner::Computed,
                   .range = each.is_truth ? std::optional(array::Interval{0, 1}) : std::nullopt,
                   .place = each.place});
      numbers_[each.array] = ArrayId{static_cast<uint32_t>(arrays_.size() - 1)};
    }
    names_ = std::move(names);
  }

  auto run() -> Lifting {
    for (size_t i = 0; i < computed_.size() && problem_.empty(); ++i) {
      write(i);
    }
    if (!problem_.empty()) {
      return {.program = {},
              .diagnostics = {make_diagnostic(DiagnosticCode::T6003, place_, problem_)}};
    }
    return {.program = numbered(), .diagnostics = {}};
  }

 private:
  void write(size_t number) {
    const Computed& each = computed_[number];
    array::ExpressionPool pool(arrays_, fraction_bits_ == 0
                                            ? array::ExpressionPool::Powers::Squared
                                            : array::ExpressionPool::Powers::InOrder);
    pool_ = &pool;
    dims_.clear();
    done_.clear();
    std::vector<DimId> shape;
    for (DimId dim : each.dims) {
      shape.push_back(made(dim));
    }
    for (DimId dim : terms_.free_dims(each.value)) {
      TACET_CHECK(dims_.count(dim) != 0, "nothing depends on a loop that it left");
    }
    const ExprId root = expr(each.value);
    if (pool.is_full()) {
      problem_ = "value needs more than 65,536 operations";
      place_ = each.place;
      return;
    }
    statements_.push_back(
        pool.finish(ArrayId{static_cast<uint32_t>(n_inputs_ + number)}, root, shape));
  }

  auto number_of(uint32_t array) const -> ArrayId {
    return array < n_inputs_ ? ArrayId{array} : numbers_.at(array);
  }

  auto made(DimId dim) -> DimId {
    const auto [at, is_new] = dims_.try_emplace(dim);
    if (is_new) {
      at->second = pool_->new_dim(terms_.dims()[dim].name, terms_.extent(dim));
    }
    return at->second;
  }

  auto expr(TermId id) -> ExprId {
    if (const auto found = done_.find(id); found != done_.end()) {
      return found->second;
    }
    const Term& term = terms_[id];
    const FileRange place = terms_.place(id);
    ExprId result;
    if (term.kind == TermKind::Number) {
      result = pool_->literal(term.number, place);
    } else if (terms_.is_known(id) || term.kind == TermKind::Fraction) {
      result = constant(id);
    } else if (term.kind == TermKind::Element) {
      result = pool_->site({number_of(term.array), indices(term)}, place);
    } else if (term.kind == TermKind::Operation) {
      const ExprId left = expr(term.operands[0]);
      result = pool_->operation(term.op, left, expr(term.operands[1]), place);
    } else if (term.kind == TermKind::Function) {
      result = function(term, place);
    } else {
      TACET_CHECK(term.kind == TermKind::Reduce, "nothing is carried out of its loop");
      // A dimension of its own each time: the pool takes it.
      const std::map<DimId, DimId> dims = dims_;
      dims_.erase(term.dim);
      const DimId dim = made(term.dim);
      const std::unordered_map<TermId, ExprId> outside = done_;
      const ExprId body = expr(term.operands[0]);
      done_ = outside;
      result = pool_->reduction(term.op, dim, body, place);
      dims_ = dims;
    }
    done_.emplace(id, result);
    return result;
  }

  auto function(const Term& term, FileRange place) -> ExprId {
    if (fraction_bits_ != 0 && term.function == array::FunctionKind::Select) {
      if (const std::optional<ExprId> ramp = without_jump(term, place)) {
        return *ramp;
      }
    }
    std::vector<ExprId> operands;
    for (TermId operand : term.operands) {
      operands.push_back(expr(operand));
    }
    const bool is_mask = term.function == array::FunctionKind::Select &&
                         terms_.is_known(term.operands[0]) &&
                         terms_.as_number(term.operands[2]) == 0;
    if (fraction_bits_ != 0 && term.function == array::FunctionKind::Select) {
      return selected(operands, place);
    }
    return is_mask ? pool_->operation(array::Operator::Multiply, operands[0], operands[1], place)
                   : pool_->function(term.function, needed_width(term), std::move(operands), place);
  }

  /// None where no operand can be outside of it, so that nothing is wrapped.
  auto needed_width(const Term& term) const -> array::Width {
    const bool fits = std::all_of(term.operands.begin(), term.operands.end(), [&](TermId operand) {
      return array::fits(terms_.range(operand), term.width);
    });
    return fits ? array::Width() : term.width;
  }

  /// What a step or its negation decides is continuous if both sides differ by a multiple k of its
  /// operand d: then it is the second side plus k max(d, 0), which is not blurred near d = 0.
  auto without_jump(const Term& choice, FileRange place) -> std::optional<ExprId> {
    Term condition = terms_[choice.operands[0]];
    TermId then = choice.operands[1];
    TermId otherwise = choice.operands[2];
    if (condition.kind == TermKind::Operation && condition.op == array::Operator::Subtract &&
        terms_.as_number(condition.operands[0]) == 1) {
      condition = terms_[condition.operands[1]];
      std::swap(then, otherwise);
    }
    if (condition.kind != TermKind::Function || condition.function != array::FunctionKind::Step) {
      return std::nullopt;
    }
    const auto form = [&](TermId id) { return linear_form(terms_, inputs_, id); };
    const std::optional<double> factor =
        ratio_of(form(then) - form(otherwise), form(condition.operands[0]));
    if (!factor) {
      return std::nullopt;
    }
    const ExprId ramp =
        pool_->function(array::FunctionKind::Ramp, {}, {expr(condition.operands[0])}, place);
    const ExprId more = std::abs(*factor) == 1
                            ? ramp
                            : pool_->operation(array::Operator::Multiply,
                                               real_number(std::abs(*factor)), ramp, place);
    return pool_->operation(*factor < 0 ? array::Operator::Subtract : array::Operator::Add,
                            expr(otherwise), more, place);
  }

  /// A positive number, which need not be one of the type.
  auto real_number(double number) -> ExprId {
    constexpr int kMostBits = 52;
    int bits = 0;
    while (bits < kMostBits && std::ldexp(number, bits) != std::floor(std::ldexp(number, bits))) {
      ++bits;
    }
    const auto element = static_cast<int64_t>(std::llround(std::ldexp(number, bits)));
    if (bits == 0) {
      return pool_->literal(element, {});
    }
    const auto [found, is_new] = constants_.try_emplace(
        {std::vector<int64_t>(), std::vector{element}, static_cast<uint8_t>(bits)});
    if (is_new) {
      found->second = arrays_.add({.name = names_.add("factor"),
                                   .extents = {},
                                   .owner = Owner::Constant,
                                   .range = {},
                                   .place = {},
                                   .elements = {element},
                                   .fraction_bits = static_cast<uint8_t>(bits)});
    }
    return pool_->site({found->second, {}}, {});
  }

  /// Of fixed-point numbers, by a condition that is 0 or 1: `c*(a - b) + b`.
  auto selected(const std::vector<ExprId>& operands, FileRange place) -> ExprId {
    const ExprId difference =
        pool_->operation(array::Operator::Subtract, operands[1], operands[2], place);
    const ExprId more = pool_->operation(array::Operator::Multiply, operands[0], difference, place);
    return pool_->operation(array::Operator::Add, more, operands[2], place);
  }

  auto indices(const Term& term) -> std::vector<array::ArrayIndex> {
    std::vector<array::ArrayIndex> result;
    for (const Index& index : term.indices) {
      const std::optional<array::ArrayIndex> made_index = array_index(index);
      TACET_CHECK(made_index, "indices were made readable");
      result.push_back(*made_index);
    }
    return result;
  }

  auto array_index(const Index& index) -> std::optional<array::ArrayIndex> {
    if (index.modulus != 0) {
      const Step& step = index.steps.front();
      array::ArrayIndex along = array::index_along(made(step.dim));
      int64_t shift = index.offset;
      if (step.stride == -1) {
        // offset - d is (n - 1 - d) + offset - (n - 1).
        along.terms.front().stride = -1;
        along.offset = index.modulus - 1;
        shift = index.offset + 1;
      }
      return array::rotate(along, shift, index.modulus, pool_->dims());
    }
    array::ArrayIndex result = array::constant_index(index.offset);
    for (const Step& step : index.steps) {
      result.terms.push_back({.dim = made(step.dim), .stride = step.stride});
    }
    std::sort(result.terms.begin(), result.terms.end(),
              [](const auto& a, const auto& b) { return a.dim < b.dim; });
    return result;
  }

  /// An array with what the term, which is known or a fraction, is along the dimensions that it
  /// depends on.
  auto constant(TermId id) -> ExprId {
    const std::vector<DimId>& dims = terms_.free_dims(id);
    std::vector<int64_t> extents;
    int64_t n = 1;
    for (DimId dim : dims) {
      extents.push_back(terms_.extent(dim));
      n = n > kMostConstant ? n : n * extents.back();
    }
    if (n > kMostConstant) {
      problem_ = "constant array has more than four million elements";
      place_ = terms_.place(id);
      return pool_->literal(0, place_);
    }
    std::vector<int64_t> elements;
    KnownValues known(terms_);
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i;
      for (size_t k = dims.size(); k-- > 0;) {
        known.move(dims[k], rest % extents[k]);
        rest /= extents[k];
      }
      elements.push_back(known.value(id));
    }
    const bool is_large = std::any_of(elements.begin(), elements.end(), [](int64_t x) {
      return x < -array::kMaxConstant || x > array::kMaxConstant;
    });
    if (is_large) {
      problem_ = "constant exceeds 2^53 in magnitude";
      place_ = terms_.place(id);
      return pool_->literal(0, place_);
    }
    const uint8_t fraction_bits =
        terms_[id].kind == TermKind::Fraction ? fraction_bits_ : uint8_t{0};
    const bool is_number =
        fraction_bits == 0 && std::all_of(elements.begin(), elements.end(),
                                          [&](int64_t x) { return x == elements.front(); });
    if (is_number) {
      return pool_->literal(elements.front(), terms_.place(id));
    }
    const auto [found, is_new] = constants_.try_emplace({extents, elements, fraction_bits});
    if (is_new) {
      found->second = arrays_.add({.name = names_.add("numbers"),
                                   .extents = extents,
                                   .owner = Owner::Constant,
                                   .range = {},
                                   .place = terms_.place(id),
                                   .elements = std::move(elements),
                                   .fraction_bits = fraction_bits});
    }
    array::Site site{found->second, {}};
    for (DimId dim : dims) {
      site.indices.push_back(array::index_along(made(dim)));
    }
    return pool_->site(std::move(site), terms_.place(id));
  }

  /// Constants follow the inputs.
  auto numbered() -> array::Program {
    array::Program program;
    program.fraction_bits = fraction_bits_;
    std::vector<ArrayId> numbers(arrays_.size());
    const size_t n_before_constants = n_inputs_ + computed_.size();
    const auto add = [&](size_t i) {
      numbers[i] = program.arrays.add(arrays_[ArrayId{static_cast<uint32_t>(i)}]);
    };
    for (size_t i = 0; i < n_inputs_; ++i) {
      add(i);
    }
    for (size_t i = n_before_constants; i < arrays_.size(); ++i) {
      add(i);
    }
    for (size_t i = n_inputs_; i < n_before_constants; ++i) {
      add(i);
    }
    for (array::Statement& statement : statements_) {
      statement.result = numbers[statement.result.index];
      for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
        if (auto* site = std::get_if<array::Site>(&statement.exprs[ExprId{i}].node)) {
          site->array = numbers[site->array.index];
        }
      }
      program.statements.push_back(std::move(statement));
    }
    const std::string fault = array::find_fault(program);
    TACET_CHECK(fault.empty(), fault.c_str());
    return fraction_bits_ == 0 ? program : array::without_unused(std::move(program));
  }

  const Terms& terms_;
  const array::Program& inputs_;
  const std::vector<Computed>& computed_;
  size_t n_inputs_;  ///< fractions of the text among them
  uint8_t fraction_bits_;
  Store<ArrayId, array::Array> arrays_;  ///< inputs, computed, constants
  std::map<uint32_t, ArrayId> numbers_;  ///< by the number of a computed array in terms
  array::UniqueNames names_;
  std::map<std::tuple<std::vector<int64_t>, std::vector<int64_t>, uint8_t>, ArrayId> constants_;
  std::vector<array::Statement> statements_;
  array::ExpressionPool* pool_ = nullptr;  ///< of the statement that is being written
  std::map<DimId, DimId> dims_;
  std::unordered_map<TermId, ExprId> done_;
  std::string problem_;
  FileRange place_{};
};

}  // namespace

auto write_program(Terms& terms, const array::Program& inputs, std::vector<Computed> computed)
    -> Lifting {
  for (Computed& each : computed) {
    each.value = readable(terms, each.value);
  }
  computed = with_single_reads_inlined(terms, std::move(computed));
  for (Computed& each : computed) {
    each.value = readable(terms, each.value);
  }
  return Writer(terms, inputs, computed).run();
}

}  // namespace tacet::lift
