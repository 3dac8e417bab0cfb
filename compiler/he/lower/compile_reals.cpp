#include "compiler/he/lower/compile_reals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/device/array/print.h"
#include "compiler/device/array/sums_apart.h"
#include "compiler/he/lower/alternatives.h"
#include "compiler/he/lower/approximate_functions.h"
#include "compiler/he/lower/encrypt_circuit.h"
#include "compiler/he/lower/expand_functions.h"
#include "compiler/he/lower/vector_compiler.h"

namespace tacet::he_lower {

/// Bounds of a program of reals whose inputs are bounded, or why it is none of fixed-point numbers.
static auto real_bounds_of(const array::Program& program) -> Result<array::RealBounds> {
  array::RealBounds bounds = array::find_real_bounds(program);
  if (bounds.too_large_at) {
    const auto& [statement, expr] = *bounds.too_large_at;
    return Error{
        fmt::format("`{}` may be as large as {:.3g}, but a fixed-point number with {} "
                    "fraction bits must be below {:.3g}",
                    array::excerpt(program, program.statements[statement], expr),
                    bounds.exprs[statement][expr.index].largest(), program.fraction_bits,
                    std::ldexp(1, 63 - int{program.fraction_bits}))};
  }
  return bounds;
}

static auto input_ranges(const array::Program& program) -> InputRanges {
  InputRanges ranges;
  for (const array::Array& array : program.arrays.values()) {
    if (is_input(array.owner) && array.range) {
      ranges[array.name] = {array::real_of(array.range->low, array.fraction_bits),
                            array::real_of(array.range->high, array.fraction_bits)};
    }
  }
  return ranges;
}

/// What to change first, if nothing fits.
static auto costliest_text(const std::vector<ApproximatedFunction>& functions) -> std::string {
  if (functions.empty()) {
    return {};  // promises alone
  }
  const auto most = std::max_element(
      functions.begin(), functions.end(),
      [](const auto& a, const auto& b) { return a.approximation.levels < b.approximation.levels; });
  const approximate::Approximation& of = most->approximation;
  return fmt::format("; of the functions, `{}` takes the most levels, {}, on {:.4g} to {:.4g}",
                     function_text(of.kind, most->operand), of.levels, of.x.low, of.x.high);
}

/// How far results may be off, but for the rounding of what decryption gives.
struct Allowance {
  array::RealBound result;  ///< of the program
  double error = 0;
  double part = 0;  ///< that approximations may take; the noise of encryption takes what they leave
};

/// By approximations of the functions of one program.
static auto compile_approximated(const array::Program& program, const Allowance& allowance,
                                 const CompileOptions& options, Networks networks) -> Compilation {
  ApproximatedProgram approximated =
      approximate_functions(program, allowance.error * allowance.part);
  if (!approximated.program) {
    return {.compiled = {},
            .others = {},
            .diagnostics = std::move(approximated.diagnostics),
            .problem = {}};
  }
  if (!(approximated.result.approximation < allowance.error)) {
    return {.compiled = {},
            .others = {},
            .diagnostics = {},
            .problem = fmt::format("functions can be approximated to {:.2g} in the result, but it "
                                   "must be within {:.2g}{}",
                                   approximated.result.approximation, allowance.error,
                                   costliest_text(approximated.functions))};
  }
  const RealGoal goal{.result = approximated.result,
                      .noise = allowance.error - approximated.result.approximation,
                      .ranges = input_ranges(program)};
  Compilation compilation = compile_vectors(options.pinned || networks != Networks::Tried
                                                ? std::vector{std::move(*approximated.program)}
                                                : alternatives_of(*approximated.program),
                                            options, {.goal = goal, .networks = networks});
  if (compilation.compiled) {
    compilation.compiled->functions = std::move(approximated.functions);
  } else if (!compilation.problem.empty() && !approximated.functions.empty()) {
    compilation.problem += costliest_text(approximated.functions);
  }
  return compilation;
}

/// Layers that are lifted from the text are one statement, functions between them included. As a
/// network each of them is computed once, so that form is tried first where it has three maps or
/// more, and last if nothing else fits.
static auto compile_with_functions(const array::Program& program, const Allowance& allowance,
                                   const CompileOptions& options) -> Compilation {
  const array::Program layers = array::with_sums_apart(program);
  const bool may_be_network = !options.pinned && layers != program;
  Compilation network;
  if (may_be_network) {
    network = compile_approximated(layers, allowance, options, Networks::Large);
    if (network.compiled || network.is_declined) {
      return network;
    }
  }
  Compilation searched = compile_approximated(program, allowance, options, Networks::Tried);
  if (searched.compiled || searched.is_declined || searched.problem.empty() || !may_be_network) {
    return searched;
  }
  if (network.problem.empty()) {
    network = compile_approximated(layers, allowance, options, Networks::AnyLarger);
  }
  return network.compiled || !network.problem.empty() ? network : searched;
}

static auto compile_with_part(std::vector<array::Program> programs, const Allowance& allowance,
                              const CompileOptions& options) -> Compilation {
  if (has_functions(programs.front())) {
    return compile_with_functions(programs.front(), allowance, options);
  }
  const RealGoal goal{.result = allowance.result,
                      .noise = allowance.error,
                      .ranges = input_ranges(programs.front())};
  return compile_vectors(std::move(programs), options, {.goal = goal});
}

/// Approximations may take most: a bit of precision costs two bits of the scale at most, but twice
/// the degree where a function has a kink.
static constexpr double kMostPart = 0.75;

/// But large errors that reach a function may grow by twice its own (`Continuity`), so if that is
/// too much, approximations get less.
static auto compile_within(std::vector<array::Program> programs, const array::RealBound& result,
                           double allowed, const CompileOptions& options) -> Compilation {
  constexpr double kLessPart = 0.5;
  const bool may_retry = has_functions(programs.front());
  Compilation compilation =
      compile_with_part(programs, {.result = result, .error = allowed, .part = kMostPart}, options);
  if (compilation.compiled || compilation.is_declined || compilation.problem.empty() ||
      !may_retry) {
    return compilation;
  }
  Compilation careful = compile_with_part(
      std::move(programs), {.result = result, .error = allowed, .part = kLessPart}, options);
  return careful.compiled ? careful : compilation;
}

auto default_tolerance(const array::RealBound& result) -> double {
  constexpr double kPartOfRange = 0x1p-10;
  return kPartOfRange * (result.high - result.low);
}

auto compile_reals(std::vector<array::Program> programs, const CompileOptions& given)
    -> Compilation {
  if (given.choice.n_key_holders > 1) {
    return {.compiled = {}, .others = {}, .diagnostics = {}, .problem = std::string(kNoJointReals)};
  }
  CompileOptions options = given;
  BoundedPrograms known;
  options.choice.known = &known;
  Result<array::RealBounds> bounds = real_bounds_of(programs.front());
  if (!bounds) {
    return {.compiled = {}, .others = {}, .diagnostics = {}, .problem = bounds.error().message};
  }
  const array::RealBound result = bounds->output();
  const double unit = std::ldexp(1, -int{programs.front().fraction_bits});
  if (options.tolerance) {
    const double allowed = *options.tolerance - unit / 2;
    if (!(allowed > 0)) {
      return {.compiled = {},
              .others = {},
              .diagnostics = {},
              .problem = fmt::format("the tolerance {:.2g} is less than what results are rounded "
                                     "by, which is {:.2g}; use more fraction bits (`fxp<{}>`)",
                                     *options.tolerance, unit / 2,
                                     std::ilogb(1 / *options.tolerance) + 2)};
    }
    return compile_within(std::move(programs), result, allowed, options);
  }
  Compilation exact =
      compile_with_part(programs, {.result = result, .error = unit, .part = kMostPart}, options);
  const double relative = default_tolerance(result) - unit / 2;
  if (exact.compiled || exact.is_declined || !(relative > unit) || bounds->outside_at) {
    return exact;
  }
  Compilation coarse = compile_within(std::move(programs), result, relative, options);
  if (coarse.compiled) {
    coarse.compiled->is_relative = true;
  }
  return coarse;
}

}  // namespace tacet::he_lower
