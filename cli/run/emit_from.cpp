#include "cli/run/emit_from.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/run/compile_he.h"
#include "cli/run/emit_he.h"
#include "cli/run/ranks.h"
#include "cli/run/run_compiled.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "engine/he_format/bundle.h"
#include "engine/program/he/text.h"

namespace tacet::cli {

using he_lower::Stage;

namespace {

/// What can be made of the text of a stage.
struct Source {
  std::string_view name;
  std::vector<std::string_view> stages;
};

auto sources() -> const std::vector<Source>& {
  static const std::vector<Source> all = {
      {"array", {"array", "schedule", "circuit", "dot", "loops", "program"}},
      {"schedule", {"schedule", "circuit", "dot", "loops", "program"}},
      {"circuit", {"circuit", "dot", "loops"}},
      {"loops", {"loops"}},
      {"program", {"program", "distribution"}}};
  return all;
}

auto find_source(std::string_view name) -> const Source* {
  const auto found = std::find_if(sources().begin(), sources().end(),
                                  [&](const Source& source) { return source.name == name; });
  return found == sources().end() ? nullptr : &*found;
}

/// What a program that was read back is compiled as: a function of its inputs.
struct Interface {
  std::vector<interpret::EntryParameter> parameters;
  std::vector<interpret::EntryResult> results;
};

auto interface_of(const array::Program& program) -> Interface {
  Interface result;
  const auto shape = [](const array::Array& array) {
    return std::vector<uint64_t>(array.extents.begin(), array.extents.end());
  };
  const interpret::ElementType integer{engine::ElementKind::I64, 0};
  for (const array::Array& array : program.arrays.values()) {
    if (is_input(array.owner)) {
      result.parameters.push_back({array.name, integer, shape(array), {}});
    }
  }
  const array::Array& last = program.arrays.values().back();
  result.results.push_back({last.name, integer, shape(last)});
  return result;
}

auto from_program(const array::Program& program, const std::optional<schedule::Schedule>& schedule,
                  std::string_view stage, const RunOptions& options, Invocation& invocation)
    -> ExitCode {
  const Interface interface = interface_of(program);
  const HeCompileRequest request{.item = {},
                                 .name = "main",
                                 .parameters = &interface.parameters,
                                 .results = &interface.results,
                                 .values = nullptr,
                                 .last = he_stage(stage)};
  const HeCompilation compilation = compile_for_he(program, schedule, request, options, invocation);
  return print_he_stage(stage, compilation, request, options, invocation);
}

auto from_circuit(const circuit::Circuit& circuit, std::string_view stage,
                  const RunOptions& options) -> Result<std::string> {
  if (stage == "circuit") {
    return circuit::to_text(circuit);
  }
  if (stage == "dot") {
    return circuit::to_dot(circuit);
  }
  circuit::LowerOptions lower;
  lower.relinearisation = relinearisation_of(options.relinearise);
  Result<engine::HeProgram> program = circuit::lower(circuit, lower);
  return program ? engine::to_text(*program) : Result<std::string>(program.error());
}

/// The text of a stage that is read and written without compiling anything.
auto rewritten(std::string_view from, std::string_view stage, std::string_view text,
               const RunOptions& options, Invocation& invocation) -> Result<std::string> {
  if (from == "circuit") {
    Result<circuit::Circuit> circuit = circuit::parse_circuit(text);
    return circuit ? from_circuit(*circuit, stage, options) : Result<std::string>(circuit.error());
  }
  if (from == "loops") {
    Result<engine::HeProgram> program = engine::parse_he_program(text);
    return program ? engine::to_text(*program) : Result<std::string>(program.error());
  }
  Result<engine::HeBundle> bundle = text.starts_with("he_program")
                                        ? bundle_of_program(text, options, invocation)
                                        : engine::parse_bundle(text);
  if (bundle && stage == "distribution") {
    return distribution_text(*bundle, options);
  }
  return bundle ? engine::to_text(*bundle) : Result<std::string>(bundle.error());
}

}  // namespace

auto is_he_source(std::string_view from) -> bool {
  return find_source(from) != nullptr;
}

auto emit_from(std::string_view from, std::string_view stage, const LoadedFile& file,
               const RunOptions& options, Invocation& invocation) -> ExitCode {
  const Source* source = find_source(from);
  if (std::find(source->stages.begin(), source->stages.end(), stage) == source->stages.end()) {
    invocation.error(fmt::format("`--from {}` allows only the stages `{}`", from,
                                 fmt::join(source->stages, "`, `")));
    return ExitCode::Usage;
  }
  const auto failed = [&](const Error& error) {
    invocation.error(fmt::format("{}: {}", file.shown, error.message));
    return ExitCode::Failed;
  };
  if (from == "array") {
    Result<array::Program> program = array::parse_program(file.text);
    return program ? from_program(*program, {}, stage, options, invocation)
                   : failed(program.error());
  }
  if (from == "schedule") {
    Result<schedule::ScheduledProgram> read = schedule::parse_scheduled(file.text);
    return read ? from_program(read->program, read->schedule, stage, options, invocation)
                : failed(read.error());
  }
  Result<std::string> text = rewritten(from, stage, file.text, options, invocation);
  if (!text) {
    return failed(text.error());
  }
  invocation.out.write(*text);
  return ExitCode::Done;
}

}  // namespace tacet::cli
