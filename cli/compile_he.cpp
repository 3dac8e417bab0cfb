#include "cli/compile_he.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/given_values.h"
#include "cli/operation_times_file.h"
#include "cli/progress.h"
#include "cli/thread_executor.h"
#include "compiler/array/print.h"
#include "compiler/packing/bundle.h"

namespace tacet::cli {

using array::Interval;
using encrypted::Stage;

namespace {

using Clock = std::chrono::steady_clock;
using Ranges = std::vector<std::pair<std::string, Interval>>;

/// 0 of integers.
auto fraction_bits_of(const interpret::ElementType& type) -> uint8_t {
  return type.kind == interpret::ElementKind::Fxp ? type.fraction_bits : uint8_t{0};
}

/// The ranges of `--range`; each must name a parameter.
auto given_ranges(const HeCompileRequest& request, const RunOptions& options) -> Result<Ranges> {
  Result<std::vector<GivenRange>> parsed = parse_ranges(options.ranges);
  if (!parsed) {
    return parsed.error();
  }
  Ranges ranges;
  for (const GivenRange& range : *parsed) {
    Result<size_t> found = find_parameter(*request.parameters, range.name);
    if (!found) {
      return found.error();
    }
    const interpret::ElementType& type = (*request.parameters)[*found].type;
    const int64_t unit = int64_t{1} << fraction_bits_of(type);
    Interval scaled;
    if (__builtin_mul_overflow(range.low, unit, &scaled.low) ||
        __builtin_mul_overflow(range.high + 1, unit, &scaled.high)) {
      return Error{fmt::format("`--range {}={}..{}`: `{}` holds no such numbers", range.name,
                               range.low, range.high + 1, interpret::type_text(type, {}))};
    }
    scaled.high -= 1;
    ranges.emplace_back(range.name, scaled);
  }
  return ranges;
}

/// Ranges of the numbers themselves, for parameters without another.
auto add_value_ranges(const std::vector<std::string>& names, const HeCompileRequest& request,
                      Ranges& ranges, Invocation& invocation) -> Status {
  for (const std::string& name : names) {
    const std::vector<int64_t>& numbers = request.values->find(name)->second;
    const Result<size_t> parameter = find_parameter(*request.parameters, name);
    const uint8_t bits = fraction_bits_of((*request.parameters)[parameter.value()].type);
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    const Interval range = numbers.empty() ? Interval{} : Interval{*low, *high};
    if (range.high == INT64_MAX) {
      return Error{fmt::format("parameter `{}` has the number {}, for which there is no range",
                               name, range.high)};
    }
    invocation.warning(fmt::format(
        "nothing bounds `{0}`, so its range is that of the numbers given, {1}..{2}, and what is "
        "chosen for it shows that much of them; `--range {0}=LO..HI` bounds it",
        name, array::number_text(range.low, bits), array::number_text(range.high + 1, bits)));
    ranges.emplace_back(name, range);
  }
  return std::monostate{};
}

auto usage_error(const Error& error) -> HeCompilation {
  HeCompilation result;
  result.problem = error.message;
  result.is_usage = true;
  return result;
}

}  // namespace

auto bounded_parameters(std::vector<interpret::EntryParameter> parameters,
                        const std::vector<std::string>& ranges)
    -> Result<std::vector<interpret::EntryParameter>> {
  Result<std::vector<GivenRange>> parsed = parse_ranges(ranges);
  if (!parsed) {
    return parsed.error();
  }
  for (const GivenRange& range : *parsed) {
    Result<size_t> found = find_parameter(parameters, range.name);
    if (!found) {
      return found.error();
    }
    parameters[*found].bound = types::ValueBound{.lower = range.low, .upper = range.high + 1};
  }
  return parameters;
}

using Compile = std::function<encrypted::Compilation(const encrypted::CompileOptions&)>;

static auto compile_for_he(const Compile& compile_to, const HeCompileRequest& request,
                           const RunOptions& options, Invocation& invocation) -> HeCompilation {
  Result<std::optional<he::Scheme>> scheme = scheme_of(options.scheme);
  Result<Ranges> ranges = given_ranges(request, options);
  if (!scheme || !ranges) {
    return usage_error(scheme ? ranges.error() : scheme.error());
  }
  const he::OperationTimes times = operation_times();
  encrypted::CompileOptions compile;
  compile.choice.scheme = *scheme;
  compile.choice.security = security_of(options.security);
  compile.choice.times = &times;
  compile.choice.hiding =
      options.is_unhidden ? encrypted::HideServerInputs::No : encrypted::HideServerInputs::Yes;
  if (options.link_megabits > 0) {
    compile.choice.link_megabits = options.link_megabits;
  }
  compile.costs = options.costs == RunCosts::Published ? encrypted::CostModel::Published
                                                       : encrypted::CostModel::Times;
  compile.choice.relinearisation = relinearisation_of(options.relinearise);
  compile.ranges = *ranges;
  compile.random_key = request.random_key;
  compile.last = Stage::Array;
  encrypted::Compilation compilation = compile_to(compile);
  HeCompilation result;
  if (compilation.compiled && request.last != Stage::Array) {
    const std::vector<std::string> unbounded =
        encrypted::unbounded_inputs(compilation.compiled->program, *ranges);
    if (request.values != nullptr) {
      if (Status status = add_value_ranges(unbounded, request, *ranges, invocation); !status) {
        return usage_error(status.error());
      }
    } else if (!unbounded.empty() && request.last == Stage::Program) {
      return usage_error({fmt::format(
          "nothing says how large the elements of `{0}` are, and moduli must hold all results: "
          "bound the parameter (`in LO..HI`), or say `--range {1}=LO..HI`",
          fmt::join(unbounded, "`, `"), unbounded.front())});
    }
    ThreadExecutor executor(thread_count(options.n_threads));
    compile.ranges = *ranges;
    compile.last = request.last;
    compile.executor = &executor;
    Progress progress(invocation, "searching for a schedule");
    compile.progress = [&](size_t n_tried, double best) {
      progress.tell(std::isinf(best) ? fmt::format("{} tried", n_tried)
                                     : fmt::format("{} tried, {:.2f} ms", n_tried, best / 1000));
    };
    Clock::time_point begin = Clock::now();
    double* spent = nullptr;
    const auto stop = [&] {
      const Clock::time_point now = Clock::now();
      if (spent != nullptr) {
        *spent += std::chrono::duration<double>(now - begin).count();
      }
      begin = now;
    };
    compile.entered = [&](Stage stage) {
      stop();
      spent = stage == Stage::Schedule ? &result.schedule_seconds
              : stage == Stage::Array  ? nullptr
                                       : &result.optimise_seconds;
    };
    compilation = compile_to(compile);
    stop();
  }
  result.compiled = std::move(compilation.compiled);
  result.others = std::move(compilation.others);
  result.diagnostics = std::move(compilation.diagnostics);
  result.problem = compilation.problem.empty() ? std::string()
                                               : fmt::format("`{}` cannot be encrypted: {}",
                                                             request.name, compilation.problem);
  return result;
}

auto compile_for_he(const check::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                    const RunOptions& options, Invocation& invocation) -> HeCompilation {
  const auto compile = [&](const encrypted::CompileOptions& wanted) {
    return encrypted::compile(snapshot, request.item, wanted);
  };
  HeCompilation result = compile_for_he(compile, request, options, invocation);
  if (!result.problem.empty() && !result.is_usage && request.sources != nullptr) {
    const FileRange place = snapshot.name_place(request.item);
    result.problem = fmt::format("{}: {}", request.sources->position_text(place), result.problem);
  }
  return result;
}

auto compile_for_he(const array::Program& program,
                    const std::optional<schedule::Schedule>& schedule,
                    const HeCompileRequest& request, const RunOptions& options,
                    Invocation& invocation) -> HeCompilation {
  const auto compile = [&](const encrypted::CompileOptions& wanted) {
    encrypted::CompileOptions obeying = wanted;
    if (schedule) {
      obeying.pinned = [&](const array::Program&, uint32_t) { return *schedule; };
    }
    return encrypted::compile(program, obeying);
  };
  return compile_for_he(compile, request, options, invocation);
}

auto bundle_of(const HeCompilation& compilation, const HeCompileRequest& request)
    -> engine::HeBundle {
  std::vector<packing::ComputedResult> computed = {packing::computed_result(*compilation.compiled)};
  for (const encrypted::Compiled& other : compilation.others) {
    computed.push_back(packing::computed_result(other));
  }
  return packing::bundle_of(request.name, *request.parameters, *request.results, computed);
}

}  // namespace tacet::cli
