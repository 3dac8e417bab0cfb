#include "cli/run/compile_he.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/suggest_range.h"
#include "cli/thread_executor.h"
#include "cli/values/given_values.h"
#include "compiler/device/array/print.h"
#include "compiler/he/lower/key_memory.h"
#include "compiler/views/he/bundle.h"

namespace tacet::cli {

using array::Interval;
using he_lower::Stage;

namespace {

using Clock = std::chrono::steady_clock;
using Ranges = std::vector<std::pair<std::string, Interval>>;

/// 0 of integers.
auto fraction_bits_of(const interpret::ElementType& type) -> uint8_t {
  return type.kind == interpret::ElementKind::Fxp ? type.fraction_bits : uint8_t{0};
}

/// The bound that a range gives to a parameter, which must have all of its numbers: what the text
/// declares may be narrowed, not widened.
auto bound_of(const GivenRange& range, const interpret::EntryParameter& parameter)
    -> Result<types::ValueBound> {
  const auto fails = [&](const std::string& why) {
    return Error{fmt::format("`--range {}={}..{}`: {}", range.name, range.low, range.high, why)};
  };
  const auto low = types::units_of(range.low, parameter.type);
  const auto high = types::units_of(range.high, parameter.type);
  const std::string type = interpret::type_text(parameter.type, {});
  if (!low || !high) {
    return fails(parameter.type.kind == interpret::ElementKind::Fxp
                     ? "LO and HI must be numbers"
                     : fmt::format("LO and HI must be integers for `{}`", type));
  }
  const types::ValueBound bound{*low, *high, parameter.type.fraction_bits};
  if (bound.lower >= bound.upper) {
    return fails("LO must be less than HI, which is excluded");
  }
  if (!types::holds(parameter.type, bound)) {
    return fails(fmt::format("out of range for `{}`", type));
  }
  if (parameter.bound && !types::is_within(*parameter.bound, bound)) {
    return fails(
        fmt::format("not within the bound {} in the program", types::bound_text(*parameter.bound)));
  }
  return bound;
}

/// The ranges of `--range` by number of the parameter, which each must name.
auto given_bounds(const std::vector<interpret::EntryParameter>& parameters,
                  const std::vector<std::string>& texts)
    -> Result<std::vector<std::pair<size_t, types::ValueBound>>> {
  Result<std::vector<GivenRange>> parsed = parse_ranges(texts);
  if (!parsed) {
    return parsed.error();
  }
  std::vector<std::pair<size_t, types::ValueBound>> bounds;
  for (const GivenRange& range : *parsed) {
    Result<size_t> found = find_parameter(parameters, range.name);
    if (!found) {
      return found.error();
    }
    Result<types::ValueBound> bound = bound_of(range, parameters[*found]);
    if (!bound) {
      return bound.error();
    }
    bounds.emplace_back(*found, *bound);
  }
  return bounds;
}

/// The same for the compiler. What is as wide as 64 bits bounds nothing.
auto given_ranges(const HeCompileRequest& request, const RunOptions& options) -> Result<Ranges> {
  auto bounds = given_bounds(*request.parameters, options.ranges);
  if (!bounds) {
    return bounds.error();
  }
  Ranges ranges;
  for (const auto& [parameter, bound] : *bounds) {
    if (const auto range = types::least_and_greatest(bound)) {
      ranges.emplace_back((*request.parameters)[parameter].name,
                          Interval{range->first, range->second});
    }
  }
  return ranges;
}

/// ` or use `--range x=LO..HI``, with ranges that contain the given values if there are any.
auto range_options(const std::vector<std::string>& names, const HeCompileRequest& request)
    -> std::string {
  if (request.values == nullptr) {
    return fmt::format(" or use `--range {}=LO..HI`", names.front());
  }
  std::vector<std::string> options;
  for (const std::string& name : names) {
    const Result<size_t> parameter = find_parameter(*request.parameters, name);
    const std::optional<std::string> range = suggest_range(
        request.values->find(name)->second, (*request.parameters)[parameter.value()].type);
    if (!range) {
      return fmt::format(" or use `--range {}=LO..HI`", name);
    }
    options.push_back(fmt::format("--range {}={}", name, *range));
  }
  return fmt::format(" or use `{}`, around the given values (ranges are public)",
                     fmt::join(options, " "));
}

/// Nothing bounds these, and they may not be bounded by what they hold.
auto unbounded_error(const std::vector<std::string>& names, const HeCompileRequest& request)
    -> Error {
  return Error{
      fmt::format("unknown range of the elements of `{}`; bound the parameter (`in LO..HI`){}{}",
                  fmt::join(names, "`, `"),
                  request.takes_ranges ? range_options(names, request) : std::string(),
                  request.values != nullptr
                      ? "; `--range-from-data` uses the range of the given values, and reveals it"
                      : "")};
}

/// Ranges of the numbers themselves, for parameters without another.
auto add_value_ranges(const std::vector<std::string>& names, const HeCompileRequest& request,
                      const RunOptions& options, Ranges& ranges, Invocation& invocation) -> Status {
  for (const std::string& name : names) {
    const std::vector<int64_t>& numbers = request.values->find(name)->second;
    const Result<size_t> parameter = find_parameter(*request.parameters, name);
    const uint8_t bits = fraction_bits_of((*request.parameters)[parameter.value()].type);
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    const Interval range = numbers.empty() ? Interval{} : Interval{*low, *high};
    if (range.high == INT64_MAX) {
      return Error{
          fmt::format("parameter `{}`: no range can contain the value {}", name, range.high)};
    }
    if (!options.are_values_public) {
      invocation.warning(fmt::format(
          "the range of `{}` is taken from the given values: {}..{}; the encryption parameters "
          "depend on it and reveal the smallest and largest value",
          name, array::number_text(range.low, bits), array::number_text(range.high + 1, bits)));
    }
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
  auto bounds = given_bounds(parameters, ranges);
  if (!bounds) {
    return bounds.error();
  }
  for (const auto& [parameter, bound] : *bounds) {
    const std::optional<types::ValueBound>& declared = parameters[parameter].bound;
    const std::optional<uint64_t> norm = declared ? declared->norm : std::nullopt;
    parameters[parameter].bound = bound;
    parameters[parameter].bound->norm = norm;
  }
  return parameters;
}

using Compile = std::function<he_lower::Compilation(const he_lower::CompileOptions&)>;

/// What the command line asks for. The times outlive the options.
static auto options_for(const RunOptions& options, std::optional<he::Scheme> scheme,
                        const he::OperationTimes& times) -> he_lower::CompileOptions {
  he_lower::CompileOptions compile;
  compile.choice.scheme = scheme;
  compile.choice.security = security_of(options.security);
  compile.choice.times = &times;
  compile.choice.hiding =
      options.is_unhidden ? he_lower::HideServerInputs::No : he_lower::HideServerInputs::Yes;
  compile.choice.n_key_holders = options.n_key_holders;
  if (options.tolerance > 0) {
    compile.tolerance = options.tolerance;
  }
  if (options.link_megabits > 0) {
    compile.choice.link_megabits = options.link_megabits;
  }
  compile.choice.most_key_bytes =
      quarter_of_limit(options.planned_memory_mib, compile.choice.most_key_bytes);
  compile.costs = options.costs == RunCosts::Published ? he_lower::CostModel::Published
                                                       : he_lower::CostModel::Times;
  compile.choice.relinearisation = relinearisation_of(options.relinearise);
  compile.is_summed_by_client = options.sums == RunSums::Client;
  return compile;
}

/// The ranges of all inputs that need one, from their values if they may be taken from there. An
/// error is one of usage.
static auto complete_ranges(const array::Program& program, const HeCompileRequest& request,
                            const RunOptions& options, Ranges& ranges, Invocation& invocation)
    -> Status {
  const std::vector<std::string> unbounded = he_lower::unbounded_inputs(program, ranges);
  if (request.values != nullptr && options.takes_ranges_from_data) {
    return add_value_ranges(unbounded, request, options, ranges, invocation);
  }
  if (!unbounded.empty() && request.last == Stage::Program) {
    return unbounded_error(unbounded, request);
  }
  return std::monostate{};
}

/// Compiles up to the requested stage, showing progress; the times spent go into `result`.
static auto compile_with_progress(const Compile& compile_to, he_lower::CompileOptions compile,
                                  const RunOptions& options, HeCompilation& result,
                                  Invocation& invocation) -> he_lower::Compilation {
  ThreadExecutor executor(thread_count(options.n_threads));
  compile.executor = &executor;
  Progress progress(invocation, "searching for a schedule:");
  const Clock::time_point start = Clock::now();
  const auto hear = [&](const char* phase, size_t n_done) {
    if (invocation.on_phase) {
      invocation.on_phase(phase, n_done, 0);
    }
  };
  compile.progress = [&](size_t n_tried, double best) {
    hear("searching for a schedule", n_tried);
    // How many there are is not known: the best so far bounds what is tried.
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
    progress.show(
        fmt::format("{} tried in {} s{}", n_tried, seconds.count(),
                    std::isinf(best) ? "" : fmt::format(", best {:.2f} ms", best / 1000)));
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
    hear(stage == Stage::Circuit   ? "optimising the circuit"
         : stage == Stage::Program ? "choosing parameters"
                                   : "searching for a schedule",
         0);
    spent = stage == Stage::Schedule ? &result.schedule_seconds
            : stage == Stage::Array  ? nullptr
                                     : &result.optimise_seconds;
  };
  he_lower::Compilation compilation = compile_to(compile);
  stop();
  return compilation;
}

static auto compile_for_he(const Compile& compile_to, const HeCompileRequest& request,
                           const RunOptions& options, Invocation& invocation) -> HeCompilation {
  Result<std::optional<he::Scheme>> scheme = scheme_of(options.scheme);
  Result<Ranges> ranges = given_ranges(request, options);
  if (!scheme || !ranges) {
    return usage_error(scheme ? ranges.error() : scheme.error());
  }
  const he::OperationTimes times =
      request.is_alike_everywhere ? he::default_operation_times() : operation_times();
  he_lower::CompileOptions compile = options_for(options, *scheme, times);
  compile.ranges = *ranges;
  compile.random_key = request.random_key;
  compile.choice.most_moduli = request.most_moduli;
  compile.is_fast_enough = request.is_fast_enough;
  compile.last = Stage::Array;
  he_lower::Compilation compilation = compile_to(compile);
  HeCompilation result;
  if (compilation.compiled && request.last != Stage::Array) {
    if (Status status =
            complete_ranges(compilation.compiled->program, request, options, *ranges, invocation);
        !status) {
      return usage_error(status.error());
    }
    compile.ranges = *ranges;
    compile.last = request.last;
    compilation = compile_with_progress(compile_to, compile, options, result, invocation);
  }
  if (compilation.compiled && compilation.compiled->is_relative) {
    invocation.err.write(fmt::format(
        "tacet: note: results of `{}` are within {:.2g} of their real-valued meaning, since one "
        "unit "
        "of their type is out of reach; `--within`, or `within` behind the result's type, says how "
        "exact they must be\n",
        request.name, compilation.compiled->within));
  }
  if (compilation.compiled) {
    const auto most = static_cast<double>(
        quarter_of_limit(options.planned_memory_mib, he_lower::ChoiceOptions().most_key_bytes));
    const double bytes = he_lower::key_bytes(compilation.compiled->parts);
    if (bytes > most) {
      invocation.warning(
          fmt::format("keys of `{}` take {:.0f} MiB, more than a quarter of the memory for it; "
                      "no program with fewer keys was found",
                      request.name, std::ceil(std::ldexp(bytes, -20))));
    }
  }
  result.compiled = std::move(compilation.compiled);
  result.others = std::move(compilation.others);
  result.diagnostics = std::move(compilation.diagnostics);
  result.is_declined = compilation.is_declined;
  result.problem = compilation.problem.empty()
                       ? std::string()
                       : fmt::format("cannot compile `{}` for encryption: {}", request.name,
                                     compilation.problem);
  return result;
}

auto compile_for_he(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                    const RunOptions& options, Invocation& invocation) -> HeCompilation {
  const auto compile = [&](const he_lower::CompileOptions& wanted) {
    return he_lower::compile(snapshot, request.item, wanted);
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
  const auto compile = [&](const he_lower::CompileOptions& wanted) {
    he_lower::CompileOptions obeying = wanted;
    if (schedule) {
      obeying.pinned = [&](const array::Program&, uint32_t) { return *schedule; };
    }
    return he_lower::compile(program, obeying);
  };
  return compile_for_he(compile, request, options, invocation);
}

auto bundle_of(const HeCompilation& compilation, const HeCompileRequest& request)
    -> engine::HeBundle {
  std::vector<he_views::ComputedResult> computed = {
      he_views::computed_result(*compilation.compiled)};
  for (const he_lower::Compiled& other : compilation.others) {
    computed.push_back(he_views::computed_result(other));
  }
  return he_views::bundle_of(request.name, *request.parameters, *request.results, computed);
}

}  // namespace tacet::cli
