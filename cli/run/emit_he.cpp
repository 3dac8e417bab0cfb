#include "cli/run/emit_he.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "cli/run/compile_cggi.h"
#include "cli/run/ranks.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/schedule/scheduled_text.h"
#include "engine/cggi_format/text.h"
#include "engine/program/he/text.h"

namespace tacet::cli {

using he_lower::Stage;

namespace {

struct HeStage {
  std::string_view name;
  Stage stage;
};

constexpr HeStage kHeStages[] = {
    {"array", Stage::Array},          {"schedule", Stage::Schedule},
    {"circuit", Stage::Circuit},      {"dot", Stage::Circuit},
    {"loops", Stage::Circuit},        {"approximations", Stage::Program},
    {"distribution", Stage::Program}, {"program", Stage::Program}};

auto find_stage(std::string_view name) -> const HeStage* {
  for (const HeStage& stage : kHeStages) {
    if (stage.name == name) {
      return &stage;
    }
  }
  return nullptr;
}

auto he_stage_text(std::string_view stage, const he_lower::Compiled& compiled,
                   const RunOptions& options) -> Result<std::string> {
  if (stage == "array") {
    return array::print(compiled.program);
  }
  if (stage == "schedule") {
    return schedule::scheduled_text(compiled.program, compiled.search.best.schedule);
  }
  if (stage == "circuit") {
    return circuit::to_text(compiled.circuit);
  }
  if (stage == "approximations") {
    return he_lower::to_text(compiled.functions);
  }
  if (stage == "dot") {
    return circuit::to_dot(compiled.circuit);
  }
  circuit::LowerOptions lower;
  lower.relinearisation = relinearisation_of(options.relinearise);
  Result<engine::HeProgram> program = circuit::lower(compiled.circuit, lower);
  return program ? engine::to_text(*program) : Result<std::string>(program.error());
}

/// Of a bundle one text, of other stages one for each result.
auto he_stage_text(std::string_view stage, const HeCompilation& compilation,
                   const HeCompileRequest& request, const RunOptions& options)
    -> Result<std::string> {
  if (stage == "program") {
    return engine::to_text(bundle_of(compilation, request));
  }
  if (stage == "distribution") {
    return distribution_text(bundle_of(compilation, request), options);
  }
  Result<std::string> text = he_stage_text(stage, *compilation.compiled, options);
  for (const he_lower::Compiled& other : compilation.others) {
    Result<std::string> next = text ? he_stage_text(stage, other, options) : text;
    text = next ? Result<std::string>(*text + "\n" + *next) : next;
  }
  return text;
}

/// Circuits have no layouts: of these stages they have the program alone.
auto emit_cggi(std::string_view stage, const program::FrontendSnapshot& snapshot,
               const HeCompileRequest& request, const RunOptions& options, Invocation& invocation)
    -> ExitCode {
  if (stage != "program") {
    invocation.error(
        fmt::format("`--scheme cggi` has no stage `{}`; use `gates`, `blif`, "
                    "`gates-dot` or `program`",
                    stage));
    return ExitCode::Usage;
  }
  const CggiCompilation compilation = compile_for_cggi(snapshot, request, options);
  print_diagnostics(compilation.diagnostics, *request.sources, Format::Human, invocation.err,
                    invocation.err_terminal);
  if (!compilation.compiled) {
    if (!compilation.problem.empty()) {
      invocation.error(compilation.problem);
    }
    return compilation.is_usage ? ExitCode::Usage : ExitCode::Failed;
  }
  invocation.out.write(engine::to_text(compilation.compiled->program));
  return ExitCode::Done;
}

}  // namespace

auto is_he_stage(std::string_view stage) -> bool {
  return find_stage(stage) != nullptr;
}

auto emit_he(std::string_view stage, const program::FrontendSnapshot& snapshot, FileId file,
             const RunOptions& options, SourceSet& sources, Invocation& invocation) -> ExitCode {
  Result<names::ItemId> item = find_target(snapshot, file, options.target);
  if (!item) {
    invocation.error(item.error().message);
    return ExitCode::Usage;
  }
  const interpret::Compilation entry = interpret::compile(snapshot, *item, {});
  const std::string name(snapshot.interner().text(snapshot.item_key(*item).name));
  if (!entry.executable) {
    invocation.error(fmt::format("cannot compile `{}`: {}", name, entry.problem));
    return ExitCode::Failed;
  }
  const HeCompileRequest request{.item = *item,
                                 .name = name.empty() ? "main" : name,
                                 .parameters = &entry.executable->parameters,
                                 .results = &entry.executable->results,
                                 .values = nullptr,
                                 .sources = &sources,
                                 .last = he_stage(stage)};
  if (options.scheme == RunScheme::Cggi) {
    return emit_cggi(stage, snapshot, request, options, invocation);
  }
  const HeCompilation compilation = compile_for_he(snapshot, request, options, invocation);
  print_diagnostics(compilation.diagnostics, sources, Format::Human, invocation.err,
                    invocation.err_terminal);
  return print_he_stage(stage, compilation, request, options, invocation);
}

auto he_stage(std::string_view stage) -> Stage {
  return find_stage(stage)->stage;
}

auto print_he_stage(std::string_view stage, const HeCompilation& compilation,
                    const HeCompileRequest& request, const RunOptions& options,
                    Invocation& invocation) -> ExitCode {
  if (!compilation.compiled) {
    if (!compilation.problem.empty()) {
      invocation.error(compilation.problem);
    }
    return compilation.is_usage ? ExitCode::Usage : ExitCode::Failed;
  }
  Result<std::string> text = he_stage_text(stage, compilation, request, options);
  if (!text) {
    invocation.error(text.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(*text);
  return ExitCode::Done;
}

}  // namespace tacet::cli
