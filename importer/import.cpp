#include "importer/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "importer/analyse.h"
#include "importer/lowering.h"
#include "importer/names.h"
#include "importer/operators/operator.h"
#include "importer/write_program.h"

namespace tacet::importer {

namespace {

auto array_shape(const Shape& shape) -> Shape {
  Shape result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result),
               [](int64_t extent) { return extent != 1; });
  return result;
}

/// The bound of an input: as given, else by samples, with some room.
auto input_bound(const GraphInput& input, const Analysis& analysis, const ImportOptions& options)
    -> std::string {
  constexpr double kRoomOfNorm = 1.1;
  constexpr double kLeastGain = 0.7;
  const auto given = options.ranges.find(input.name);
  const auto found = analysis.ranges.find(input.name);
  std::string text;
  if (given != options.ranges.end()) {
    text = fmt::format("in {}..{}", fmt::format("{}", given->second.lo),
                       fmt::format("{}", given->second.hi));
  } else if (found != analysis.ranges.end()) {
    text = interval_clause(with_room(found->second));
  }
  const auto norm = analysis.norms.find(input.name);
  const Shape shape = array_shape(shape_of_input(input));
  if (norm == analysis.norms.end() || text.empty() || shape.empty()) {
    return text;
  }
  int64_t size = 1;
  for (size_t d = shape.size() < 2 ? 0 : 1; d < shape.size(); ++d) {
    size *= shape[d];
  }
  const Interval range = analysis.ranges.at(input.name);
  const double largest = std::max(std::abs(range.lo), std::abs(range.hi));
  const double with_more = norm->second * kRoomOfNorm;
  if (with_more > 0 && with_more < kLeastGain * largest * std::sqrt(static_cast<double>(size))) {
    text += " norm " + rounded_up(with_more);
  }
  return text;
}

auto declare_inputs(Lowering& lowering, const Analysis& analysis) -> std::vector<ClientInput> {
  std::vector<ClientInput> inputs;
  for (const GraphInput& input : analysis.inputs) {
    const Shape shape = shape_of_input(input);
    Stored stored{fresh_name(lowering, input.name), Elements::Real, {}};
    size_t place = 0;
    for (const int64_t extent : shape) {
      stored.dims.emplace_back();
      if (extent != 1) {
        stored.dims.back().push_back({extent, place++});
      }
    }
    inputs.push_back(
        {stored.name, array_shape(shape), input_bound(input, analysis, lowering.options)});
    lowering.stored[input.name] = stored;
  }
  return inputs;
}

auto lower_nodes(Lowering& lowering, const Analysis& analysis) -> Status {
  const OperatorTable table;
  for (const Node& node : analysis.known.nodes) {
    lowering.n_counters = 0;
    Result<const Operator*> op = table.find(node);
    if (!op) {
      return op.error();
    }
    if (Status lowered = (*op)->lower(lowering, node); !lowered) {
      return lowered;
    }
  }
  return std::monostate{};
}

auto program_outputs(Lowering& lowering, const Analysis& analysis)
    -> Result<std::vector<ProgramOutput>> {
  std::vector<ProgramOutput> outputs;
  for (const std::string& tensor : analysis.outputs) {
    if (constant_of(lowering, tensor) != nullptr) {
      return Error{fmt::format("output `{}` is a constant", tensor)};
    }
    const Stored stored = canonical(lowering, lowering.stored.at(tensor));
    outputs.push_back(
        {stored.name, "secret " + type_text(stored.elements, array_shape(stored.shape()))});
  }
  return outputs;
}

/// `fxp` holds numbers below 2^45, in steps of 2^-18.
auto check_weights(const Lowering& lowering, std::vector<std::string>& warnings) -> Status {
  constexpr double kLargest = 35184372088832.0;
  constexpr double kSmall = 1.0 / 1024;
  for (const Weights& weights : lowering.weights) {
    double largest = 0;
    for (const double value : weights.tensor.values) {
      if (!(std::abs(value) < kLargest)) {
        return Error{
            fmt::format("the constant `{}` holds {}, and `fxp` numbers below 2^45; a mask "
                        "has the same effect with -16384",
                        weights.name, value)};
      }
      largest = std::max(largest, std::abs(value));
    }
    if (largest > 0 && largest < kSmall && weights.tensor.elements == Elements::Real) {
      warnings.push_back(
          fmt::format("the numbers of `{}` are at most {:.2g}, and rounded to "
                      "multiples of 2^-18; scale the model to keep more of them",
                      weights.name, largest));
    }
  }
  return std::monostate{};
}

auto chosen_target(const Lowering& lowering, const ImportOptions& options) -> Result<Target> {
  if (options.target == Target::He && !lowering.only_on_mpc.empty()) {
    return Error{fmt::format("{}: computed by parties only; use `--device mpc`{}",
                             lowering.only_on_mpc,
                             lowering.only_on_mpc.find("oftmax)") != std::string::npos
                                 ? ", or `--logits` if it makes the result"
                                 : ", or choose other results with `--result`")};
  }
  if (options.target != Target::Auto) {
    return options.target;
  }
  return lowering.only_on_mpc.empty() ? Target::He : Target::Mpc;
}

/// ` within 0.05`: as asked, or a hundredth of the range that results have on samples.
auto within_clause(const Analysis& analysis, const ImportOptions& options) -> std::string {
  constexpr double kPart = 0.01;
  if (options.within) {
    return fmt::format(" within {}", *options.within);
  }
  double width = 0;
  for (const std::string& output : analysis.outputs) {
    const auto range = analysis.ranges.find(output);
    if (range != analysis.ranges.end()) {
      const double own = range->second.hi - range->second.lo;
      width = width == 0 ? own : std::min(width, own);
    }
  }
  return width > 0 ? " within " + rounded_up(width * kPart) : "";
}

auto one_line(std::string text) -> std::string {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

auto header_of(const Model& model, const Lowering& lowering) -> std::string {
  std::string text = "/// A model in the format of ONNX";
  text += model.producer.empty() ? "" : fmt::format(", exported by {}", one_line(model.producer));
  text += ". Dimensions of size 1 are left out.\n";
  if (!lowering.options.weights_file.empty() && !lowering.weights.empty()) {
    text += fmt::format("///\n/// The numbers of the server are in `{}`.\n",
                        one_line(lowering.options.weights_file));
  }
  return text;
}

auto import_into(const Model& model, const Analysis& analysis, const ImportOptions& options)
    -> Result<Imported> {
  Lowering lowering{.options = options,
                    .opset = model.opset,
                    .constants = analysis.known.constants,
                    .stored = {},
                    .shapes = analysis.known.shapes,
                    .ranges = analysis.ranges,
                    .weights = {},
                    .statements = {},
                    .functions = {},
                    .imports = {},
                    .names = {},
                    .comments = {},
                    .only_on_mpc = {},
                    .n_counters = 0};
  lowering.names.insert(options.function);
  Program program;
  program.inputs = declare_inputs(lowering, analysis);
  if (Status lowered = lower_nodes(lowering, analysis); !lowered) {
    return lowered.error();
  }
  Result<std::vector<ProgramOutput>> outputs = program_outputs(lowering, analysis);
  if (!outputs) {
    return outputs.error();
  }
  program.outputs = std::move(*outputs);
  program.header = header_of(model, lowering);
  Imported imported;
  if (Status checked = check_weights(lowering, imported.warnings); !checked) {
    return checked.error();
  }
  Result<Target> target = chosen_target(lowering, options);
  if (!target) {
    return target.error();
  }
  imported.target = *target;
  const bool is_real = std::all_of(
      analysis.outputs.begin(), analysis.outputs.end(),
      [&](const auto& tensor) { return elements_of(lowering, tensor) == Elements::Real; });
  if (*target == Target::He && is_real) {
    program.within = within_clause(analysis, options);
  }
  imported.source = write_program(program, lowering, *target);
  for (const ClientInput& input : program.inputs) {
    imported.inputs.push_back(input.name);
  }
  for (Weights& weights : lowering.weights) {
    imported.weights.push_back({weights.name, std::move(weights.tensor)});
  }
  imported.n_nodes = model.nodes.size();
  imported.n_statements = lowering.statements.size();
  if (*target == Target::Mpc && options.target == Target::Auto) {
    imported.warnings.push_back(
        fmt::format("{} is computed by parties only, so the function is for "
                    "`mpc`",
                    lowering.only_on_mpc));
  }
  return imported;
}

/// Targets decide where bounds are written, so a model that needs parties is lowered for them.
auto import_for_target(const Model& model, const Analysis& analysis, const ImportOptions& options)
    -> Result<Imported> {
  Result<Imported> imported = import_into(model, analysis, options);
  if (!imported || imported->target != Target::Mpc || options.target == Target::Mpc) {
    return imported;
  }
  ImportOptions for_parties = options;
  for_parties.target = Target::Mpc;
  Result<Imported> again = import_into(model, analysis, for_parties);
  if (again) {
    again->warnings = imported->warnings;
  }
  return again;
}

}  // namespace

auto import_model(std::string_view bytes, const ReadBeside& read_beside,
                  const ImportOptions& options) -> Result<Imported> {
  Result<Model> model = read_model(bytes, read_beside);
  if (!model) {
    return model.error();
  }
  Result<Analysis> analysis = analyse(*model, options);
  return analysis ? import_for_target(*model, *analysis, options) : analysis.error();
}

auto inputs_of_model(std::string_view bytes, const ReadBeside& read_beside, int64_t batch)
    -> Result<std::vector<NamedArray>> {
  Result<Model> model = read_model(bytes, read_beside);
  if (!model) {
    return model.error();
  }
  Result<std::vector<GraphInput>> inputs = sized_inputs(*model, batch);
  if (!inputs) {
    return inputs.error();
  }
  std::vector<NamedArray> arrays;
  for (const GraphInput& input : *inputs) {
    arrays.push_back({input.name, Tensor{shape_of_input(input), Elements::Real, {}}});
  }
  return arrays;
}

auto operator_names() -> std::vector<std::string> {
  const OperatorTable table;
  std::vector<std::string> names;
  for (const Operator& entry : table.all()) {
    if (entry.domain != kOwnDomain) {
      names.emplace_back(entry.name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tacet::importer
