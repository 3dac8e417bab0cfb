#include "cli/run/check_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/values/he_values.h"
#include "compiler/device/array/evaluate.h"

namespace tacet::cli {
namespace {

/// `out[1][2]`: an element of a result.
auto element_name(const std::string& name, const std::vector<uint64_t>& shape, uint64_t position)
    -> std::string {
  std::string indices;
  for (size_t d = shape.size(); d-- > 0;) {
    indices = fmt::format("[{}]", position % shape[d]) + indices;
    position /= shape[d];
  }
  return name + indices;
}

/// The first element that is another.
auto difference(const std::string& name, const interpret::Value& is,
                const interpret::Value& should_be) -> std::string {
  for (size_t i = 0; i < is.cells.size(); ++i) {
    const interpret::Value one{is.type, {}, {is.cells[i]}};
    const interpret::Value other{is.type, {}, {should_be.cells[i]}};
    if (one != other) {
      return fmt::format("`{}` is {}, but {} on `ref`", element_name(name, is.shape, i),
                         interpret::value_text(one), interpret::value_text(other));
    }
  }
  return {};
}

/// The array program of an item, for each of its results.
auto array_programs(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                    const RunOptions& options, Invocation& invocation)
    -> Result<std::vector<array::Program>> {
  request.last = he_lower::Stage::Array;
  request.is_fast_enough = nullptr;
  HeCompilation compilation = compile_for_he(snapshot, request, options, invocation);
  if (!compilation.compiled) {
    return Error{"cannot check the results: " +
                 (compilation.problem.empty() ? "there is no array program" : compilation.problem)};
  }
  std::vector<array::Program> programs{std::move(compilation.compiled->program)};
  for (he_lower::Compiled& other : compilation.others) {
    programs.push_back(std::move(other.program));
  }
  return programs;
}

/// The numbers of a program's inputs, in their order.
auto real_of(int64_t number, uint8_t fraction_bits) -> double {
  return std::ldexp(static_cast<double>(number), -int{fraction_bits});
}

auto reals_of(const array::Program& program, const engine::HeIntegers& numbers)
    -> Result<std::vector<std::vector<double>>> {
  std::vector<std::vector<double>> reals;
  for (const array::Array& array : program.arrays.values()) {
    if (!array::is_input(array.owner)) {
      continue;
    }
    const auto given = numbers.find(array.name);
    if (given == numbers.end()) {
      return Error{fmt::format("`{}` has no value", array.name)};
    }
    reals.emplace_back();
    for (const int64_t number : given->second) {
      reals.back().push_back(real_of(number, array.fraction_bits));
    }
  }
  return reals;
}

}  // namespace

auto check_results(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                   const EncryptedProgram& program, const std::vector<interpret::Value>& inputs,
                   const std::vector<interpret::Value>& results,
                   const std::function<interpret::RunResult()>& reference,
                   const RunOptions& options, Invocation& invocation) -> Result<ResultCheck> {
  ResultCheck check;
  const auto* bundle = std::get_if<engine::HeBundle>(&program);
  if (bundle == nullptr || bundle->scheme != he::Scheme::Ckks) {
    const interpret::RunResult expected = reference();
    if (expected.failure) {
      return Error{"`ref` fails: " + expected.failure->message};
    }
    for (size_t i = 0; i < results.size() && check.fault.empty(); ++i) {
      check.fault = difference((*request.results)[i].name, results[i], expected.values[i]);
    }
    return check;
  }
  Result<engine::HeIntegers> numbers = integers_of(*request.parameters, inputs);
  if (!numbers) {
    return numbers.error();
  }
  Result<std::vector<array::Program>> programs =
      array_programs(snapshot, request, options, invocation);
  if (!programs) {
    return programs.error();
  }
  check.error = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const array::Program& meaning = (*programs)[i];
    Result<std::vector<std::vector<double>>> reals = reals_of(meaning, *numbers);
    if (!reals) {
      return reals.error();
    }
    const std::vector<double> exact = array::evaluate_reals(meaning, *reals);
    Result<std::vector<int64_t>> computed = integers_of(results[i]);
    if (!computed) {
      return computed.error();
    }
    for (size_t k = 0; k < computed->size(); ++k) {
      const double is = real_of((*computed)[k], meaning.fraction_bits);
      const double error = std::abs(is - exact[k]);
      check.error = std::max(*check.error, error);
      if (!(error <= bundle->results[i].tolerance) && check.fault.empty()) {
        check.fault = fmt::format(
            "`{}` is {:.9g}, but {:.9g} in real numbers: off by {:.2g}, and at most {:.2g} by the "
            "bound of the run",
            element_name((*request.results)[i].name, results[i].shape, k), is, exact[k], error,
            bundle->results[i].tolerance);
      }
    }
  }
  return check;
}

}  // namespace tacet::cli
