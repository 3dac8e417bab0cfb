#include "compiler/he/lower/approximate_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/print.h"
#include "compiler/he/lower/statement_writer.h"

namespace tacet::he_lower {
namespace {

using approximate::Approximation;
using array::ArrayId;
using array::ExprId;
using array::ExprPlace;
using array::Function;
using array::FunctionKind;
using array::RealBounds;
using array::RealInterval;

/// Slots without an element are made 0 where they widen an interval by more than this.
constexpr double kMostWidened = 1.125;
/// What is shown of an operand, in bytes.
constexpr size_t kMostOfOperand = 200;

/// The functions of a program, with the errors that they may have.
struct Functions {
  std::vector<ExprPlace> places;    ///< of what is approximated
  std::vector<ExprPlace> promises;  ///< in the order of the program
  array::ApproximationErrors errors;

  explicit Functions(const array::Program& program) {
    for (size_t i = 0; i < program.statements.size(); ++i) {
      const auto& exprs = program.statements[i].exprs;
      errors.emplace_back(exprs.size(), 0.0);
      for (uint32_t k = 0; k < exprs.size(); ++k) {
        const auto* function = std::get_if<Function>(&exprs[ExprId{k}].node);
        if (function != nullptr && function->kind == FunctionKind::Promise) {
          promises.push_back({i, ExprId{k}});
        } else if (function != nullptr) {
          places.push_back({i, ExprId{k}});
        }
      }
    }
  }

  auto error(const ExprPlace& place) -> double& {
    return errors[place.statement][place.expr.index];
  }
};

/// Equal shares of an error of the result.
void share(const array::Program& program, double error, Functions& functions) {
  constexpr double kSmall = 0x1p-40;
  std::vector<double> gains;
  for (const ExprPlace& place : functions.places) {
    functions.error(place) = kSmall;
    gains.push_back(array::find_real_bounds(program, functions.errors).output().approximation /
                    kSmall);
    functions.error(place) = 0;
  }
  const auto n = static_cast<double>(functions.places.size());
  for (size_t i = 0; i < gains.size(); ++i) {
    // What hardly matters is still meant to be like the function.
    functions.error(functions.places[i]) = std::min(error / (n * std::max(gains[i], 1e-6)), 1e6);
  }
}

/// With what the operand is off, and what the noise of encryption may add: that, if nothing else is
/// known of it, or a small part of the interval.
auto with_slack(const array::RealBound& x, double noise = 0) -> RealInterval {
  const double width = x.high - x.low;
  const double slack = x.approximation + std::max(width * 0x1p-22, std::min(noise, width / 16));
  return {x.low - slack, x.high + slack};
}

/// What an operand is in, and whether other slots must be made 0 for that.
struct OperandInterval {
  RealInterval x;
  bool is_masked = false;
};

/// Polynomials near a sign grow fastest outside of their interval. Noise there is taken to be as
/// large as the error that the result may have: more is seldom of use.
auto operand_interval(FunctionKind kind, const array::RealBound& exact,
                      const array::RealBound& padded, double error) -> OperandInterval {
  const bool is_sign = kind == FunctionKind::Ramp || kind == FunctionKind::Step;
  const RealInterval x = with_slack(exact, is_sign ? error : 0);
  const RealInterval wide = with_slack(padded, is_sign ? error : 0);
  const bool is_wide = wide.high - wide.low > kMostWidened * (x.high - x.low);
  const bool is_masked = is_wide || !x.contains(0) || !array::domain_fault(kind, wide).empty();
  return {is_masked ? x : wide, is_masked};
}

auto fault_at(const array::Program& program, const ExprPlace& place, const std::string& why)
    -> Diagnostic {
  const array::Statement& statement = program.statements[place.statement];
  const auto& function = std::get<Function>(statement.exprs[place.expr].node);
  const std::string operand = array::excerpt(program, statement, function.operands[0]);
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T6013, statement.exprs[place.expr].place,
                      fmt::format("no polynomial for `{}`: `{}` {}",
                                  function_text(function.kind, operand), operand, why));
  const bool has_pole = function.kind == FunctionKind::Reciprocal ||
                        function.kind == FunctionKind::Rsqrt || function.kind == FunctionKind::Log;
  diagnostic.notes.emplace_back(
      function.kind == FunctionKind::Step
          ? "a comparison of encrypted reals is not exact where they are close, so both sides of a "
            "choice must meet there, as in `if x < y { x } else { y }`, `max`, `min` and `abs`; "
            "compare integers, or use `fn(mpc)`"
      : has_pole ? "bound the operand away from 0, by the ranges of parameters (`in LO..HI`), or "
                   "with `max(x, 0.1)`"
                 : "narrow the ranges of parameters (`in LO..HI`), or allow a larger error "
                   "(`within`)");
  return diagnostic;
}

/// What is promised to be in a range, if it is that.
auto promised(const array::Statement& statement, ExprId id) -> std::optional<ExprId> {
  const auto* function = std::get_if<Function>(&statement.exprs[id].node);
  const bool is_promise = function != nullptr && function->kind == FunctionKind::Promise;
  return is_promise ? std::optional(function->operands[0]) : std::nullopt;
}

/// A double as an element of a constant.
struct Encoded {
  int64_t element = 0;
  uint8_t fraction_bits = 0;
};

auto encoded(double number) -> Encoded {
  constexpr int kMostBits = 60;
  const int exponent = number == 0 ? 0 : std::ilogb(number);
  const int bits = std::clamp(52 - exponent, 1, kMostBits);
  return {static_cast<int64_t>(std::llround(std::ldexp(number, bits))), static_cast<uint8_t>(bits)};
}

/// The constants of a program, which follow its arrays until all are there.
class Constants {
 public:
  explicit Constants(const array::Program& program)
      : program_(program), n_arrays_(program.arrays.size()) {}

  auto number(double value, FileRange place) -> ArrayId {
    const auto [at, is_new] = numbers_.try_emplace(value, ArrayId{});
    if (is_new) {
      const auto [element, bits] = encoded(value);
      at->second = ArrayId{static_cast<uint32_t>(n_arrays_ + arrays_.size())};
      arrays_.push_back({.name = fmt::format("c{}", arrays_.size()),
                         .extents = {},
                         .owner = array::Owner::Constant,
                         .range = {},
                         .place = place,
                         .elements = {element},
                         .fraction_bits = bits});
    }
    return at->second;
  }

  /// The program with other statements, and the constants before what is computed.
  auto program_with(std::vector<array::Statement> statements) -> array::Program {
    array::Program result;
    result.fraction_bits = program_.fraction_bits;
    std::vector<ArrayId> numbers(n_arrays_ + arrays_.size());
    const auto add_if = [&](bool is_computed) {
      for (uint32_t i = 0; i < n_arrays_; ++i) {
        const array::Array& array = program_.arrays[ArrayId{i}];
        if ((array.owner == array::Owner::Computed) == is_computed) {
          numbers[i] = result.arrays.add(array);
        }
      }
    };
    add_if(false);
    for (size_t i = 0; i < arrays_.size(); ++i) {
      numbers[n_arrays_ + i] = result.arrays.add(unique(std::move(arrays_[i])));
    }
    add_if(true);
    for (array::Statement& statement : statements) {
      statement.result = numbers[statement.result.index];
      for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
        if (auto* site = std::get_if<array::Site>(&statement.exprs[ExprId{i}].node)) {
          site->array = numbers[site->array.index];
        }
      }
    }
    result.statements = std::move(statements);
    return result;
  }

 private:
  auto unique(array::Array array) const -> array::Array {
    const auto& all = program_.arrays.values();
    while (std::any_of(all.begin(), all.end(),
                       [&](const array::Array& other) { return other.name == array.name; })) {
      array.name += "_";
    }
    return array;
  }

  const array::Program& program_;
  size_t n_arrays_;
  std::vector<array::Array> arrays_;
  std::map<double, ArrayId> numbers_;
};

/// The statement of a program, written anew.
class StatementApproximation {
 public:
  StatementApproximation(const array::Statement& statement,
                         const std::map<uint32_t, const ApproximatedFunction*>& functions,
                         const std::map<uint32_t, double>& promises, Constants& constants)
      : statement_(statement), functions_(functions), promises_(promises), constants_(constants) {}

  auto run() -> array::Statement {
    for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
      const array::Expr& expr = statement_.exprs[ExprId{i}];
      place_ = expr.place;
      writer_.set_place(expr.place);
      made_.push_back(rewritten(expr, i));
    }
    return writer_.finish(statement_, made_[statement_.root.index]);
  }

  using Id = ExprId;

  auto product(Id a, Id b) -> Id { return writer_.product(a, b); }
  auto sum(Id a, Id b) -> Id { return writer_.sum(a, b); }
  auto difference(Id a, Id b) -> Id { return writer_.difference(a, b); }
  auto scaled(double factor, Id a) -> Id {
    return factor == 1 ? a : writer_.product(constant(factor), a);
  }
  auto constant(double number) -> Id {
    const bool is_whole = number == std::floor(number) && std::abs(number) < 0x1p30;
    return is_whole ? writer_.literal(static_cast<int64_t>(number)) : site(number);
  }

 private:
  auto site(double number) -> Id {
    const array::Site site{constants_.number(number, place_), {}};
    const auto [at, is_new] = sites_.try_emplace(site.array, Id{});
    if (is_new) {
      at->second = writer_.add({site, place_});
    }
    return at->second;
  }

  auto masked(Id operand, const approximate::Scaling& scaling, double most) -> Id {
    return writer_.add(
        {Function{FunctionKind::Masked,
                  {operand, constant(scaling.scale), constant(scaling.shift), constant(most)}},
         place_});
  }

  auto approximated(const ApproximatedFunction& function, Id operand) -> Id {
    const Approximation& approximation = function.approximation;
    if (!function.is_masked) {
      return approximate::evaluate(approximation, operand, *this);
    }
    const approximate::Scaling& scaling = approximation.scaling;
    const Id u = masked(operand, scaling, 1);
    // The interval of a ramp is around 0 where its sign is approximated, so there is no shift.
    return approximate::evaluate_scaled(approximation, u, 0.5 / scaling.scale, u, *this);
  }

  auto rewritten(array::Expr expr, uint32_t index) -> Id {
    if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      return writer_.operation(operation->op, made_[operation->left.index],
                               made_[operation->right.index]);
    }
    if (auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      reduction->body = made_[reduction->body.index];
      return writer_.reduction(*reduction, statement_.dims[reduction->dim].extent, expr.place);
    }
    if (const auto* function = std::get_if<Function>(&expr.node)) {
      const ExprId operand = function->operands[0];
      if (function->kind == FunctionKind::Promise) {
        const auto most = promises_.find(index);
        return most == promises_.end()
                   ? made_[operand.index]
                   : masked(made_[operand.index], {.scale = 1, .shift = 0}, most->second);
      }
      const ApproximatedFunction& by = *functions_.at(index);
      const ExprId inner = promised(statement_, operand).value_or(operand);
      return approximated(by, made_[(by.is_masked ? inner : operand).index]);
    }
    return writer_.add(expr);
  }

  const array::Statement& statement_;
  const std::map<uint32_t, const ApproximatedFunction*>& functions_;
  const std::map<uint32_t, double>& promises_;  ///< that hold only for elements: the largest number
  Constants& constants_;
  StatementWriter writer_;
  std::vector<Id> made_;  ///< by expression of the statement
  std::map<ArrayId, Id> sites_;
  FileRange place_{};
};

/// Chooses approximations from the first function to the last, as operands are off by what
/// precedes.
auto chosen(const array::Program& program, double error, Functions& functions,
            ApproximatedProgram& result) -> bool {
  result.functions.clear();
  for (const ExprPlace& place : functions.places) {
    const array::Statement& statement = program.statements[place.statement];
    const auto& function = std::get<Function>(statement.exprs[place.expr].node);
    const auto bound_of = [&](ExprId id, array::SummedElements summed) {
      return array::find_real_bounds(program, functions.errors, summed)
          .exprs[place.statement][id.index];
    };
    // No promise is kept in other slots.
    const ExprId operand = function.operands[0];
    const OperandInterval in =
        operand_interval(function.kind, bound_of(operand, array::SummedElements::Exact),
                         bound_of(promised(statement, operand).value_or(operand),
                                  array::SummedElements::WithPadding),
                         error);
    Result<Approximation> found =
        approximate::choose_approximation(function.kind, in.x, functions.error(place));
    if (!found) {
      result.diagnostics.push_back(fault_at(program, place, found.error().message));
      return false;
    }
    functions.error(place) = found->error;
    result.functions.push_back(
        {statement.exprs[place.expr].place,
         array::excerpt(program, statement, function.operands[0], kMostOfOperand),
         std::move(*found), in.is_masked});
  }
  return true;
}

/// By statement, the promises that other slots do not keep, with the largest number that is
/// promised.
auto kept_promises(const array::Program& program, const Functions& functions)
    -> std::vector<std::map<uint32_t, double>> {
  std::vector<std::map<uint32_t, double>> result(program.statements.size());
  if (functions.promises.empty()) {
    return result;
  }
  const RealBounds exact = array::find_real_bounds(program, functions.errors);
  const RealBounds padded =
      array::find_real_bounds(program, functions.errors, array::SummedElements::WithPadding);
  for (const auto& [statement, expr] : functions.promises) {
    const ExprId inner = *promised(program.statements[statement], expr);
    const RealInterval kept = with_slack(exact.exprs[statement][expr.index]);
    const double most = std::max(std::abs(kept.low), std::abs(kept.high));
    if (padded.exprs[statement][inner.index].largest() > kMostWidened * most) {
      result[statement].emplace(expr.index, most);
    }
  }
  return result;
}

/// `c0 + c1 T1(u) + …`
auto series_text(const approximate::Series& series) -> std::string {
  std::string text;
  for (size_t k = 0; k < series.size(); ++k) {
    if (series[k] == 0 && (k != 0 || series.size() != 1)) {
      continue;
    }
    const double size = std::abs(series[k]);
    text += text.empty() ? (series[k] < 0 ? "-" : "") : series[k] < 0 ? " - " : " + ";
    text += k == 0 ? fmt::format("{:.6g}", size) : fmt::format("{:.6g} T{}(u)", size, k);
  }
  return text;
}

}  // namespace

auto function_text(FunctionKind kind, const std::string& operand) -> std::string {
  return kind == FunctionKind::Ramp   ? fmt::format("max({}, 0)", operand)
         : kind == FunctionKind::Step ? fmt::format("0 < {}", operand)
                                      : fmt::format("{}({})", array::name_of(kind, {}), operand);
}

auto to_text(const std::vector<ApproximatedFunction>& functions) -> std::string {
  std::string text;
  for (const ApproximatedFunction& function : functions) {
    const Approximation& of = function.approximation;
    text += fmt::format(
        "{}{} on {:.6g} to {:.6g}: within {:.2g} by degree {}, {} levels, {} products\n",
        text.empty() ? "" : "\n", function_text(of.kind, function.operand), of.x.low, of.x.high,
        of.error, of.degree(), of.levels, of.n_products);
    text += of.is_scaled()
                ? fmt::format("  u = {:.6g} x + {:.6g}\n", of.scaling.scale, of.scaling.shift)
                : "  u = x\n";
    for (const approximate::Series& series : of.stages) {
      text += fmt::format("  {} = {}\n", &series == &of.stages.back() && !of.is_sign ? "y" : "u",
                          series_text(series));
    }
    text += of.is_sign ? "  y = x/2 + x/2 u\n" : "";
  }
  return text;
}

auto approximate_functions(const array::Program& program, double error) -> ApproximatedProgram {
  constexpr int kMostRounds = 8;
  ApproximatedProgram result;
  const RealBounds exact = array::find_real_bounds(program);
  if (exact.outside_at) {
    result.diagnostics.push_back(fault_at(program, *exact.outside_at, exact.outside));
    return result;
  }
  Functions functions(program);
  double shared = error;
  for (int round = 0; round < kMostRounds; ++round, shared /= 2) {
    share(program, shared, functions);
    if (!chosen(program, error, functions, result)) {
      return result;
    }
    const RealBounds bounds = array::find_real_bounds(program, functions.errors);
    result.result = bounds.output();
    if (result.result.approximation <= error) {
      break;
    }
  }
  Constants constants(program);
  std::vector<std::map<uint32_t, const ApproximatedFunction*>> by_statement(
      program.statements.size());
  for (size_t i = 0; i < functions.places.size(); ++i) {
    const auto& [statement, expr] = functions.places[i];
    by_statement[statement][expr.index] = &result.functions[i];
  }
  const std::vector<std::map<uint32_t, double>> promises = kept_promises(program, functions);
  std::vector<array::Statement> statements;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    statements.push_back(
        StatementApproximation(program.statements[i], by_statement[i], promises[i], constants)
            .run());
  }
  result.program = constants.program_with(std::move(statements));
  return result;
}

}  // namespace tacet::he_lower
