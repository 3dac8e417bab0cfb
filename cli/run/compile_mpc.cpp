#include "cli/run/compile_mpc.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/array_kernel.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"

namespace tacet::cli {

/// Of a device function, or of the program of a `.tlhe` file.
static auto kernel_of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      kernel::EncryptedCalls encrypted_calls, MpcCompilation& result) -> std::optional<kernel::Kernel> {
  if (snapshot.item_key(item).kind == names::ItemKind::Program) {
    array::Lowering lowering = array::lower(snapshot, item);
    result.diagnostics = std::move(lowering.diagnostics);
    return lowering.program ? mpc_lower::kernel_of(*lowering.program) : std::nullopt;
  }
  kernel::Lowering lowering = kernel::lower(snapshot, item, kernel::Places::InFiles, encrypted_calls);
  if (!lowering.kernel) {
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    result.problem =
        fmt::format("`{}` cannot run on secret shares because of {}", name, lowering.problem);
  }
  result.encrypted = std::move(lowering.encrypted);
  return std::move(lowering.kernel);
}

auto mpc_use_of(const RunOptions& options, mpc_lower::LowerResults results) -> MpcUse {
  return {.truncation = options.truncation == RunTruncation::Probabilistic
                            ? mpc_lower::LowerTruncation::Probabilistic
                            : mpc_lower::LowerTruncation::Exact,
          .results = results};
}

auto compile_for_mpc(const program::FrontendSnapshot& snapshot, names::ItemId item,
                     SourceSet& sources, const MpcUse& use) -> MpcCompilation {
  MpcCompilation result;
  const std::optional<kernel::Kernel> kernel = kernel_of(snapshot, item, use.encrypted_calls, result);
  if (!kernel) {
    return result;
  }
  const oblivious::ObliviousForm form = oblivious::make_oblivious(*kernel);
  if (!form.is_oblivious) {
    result.diagnostics = form.diagnostics;
    return result;
  }
  mpc_lower::LowerOptions options{.truncation = use.truncation, .results = use.results};
  options.line_of = [&](FileRange place) {
    const SourceView source = sources.view(place.file);
    return source.lines->position(source.text, place.range.begin, PositionEncoding::Utf8).line + 1;
  };
  mpc_lower::Lowering program = mpc_lower::lower(form.kernel, options);
  result.program = std::move(program.program);
  result.diagnostics = std::move(program.diagnostics);
  if (result.program) {
    if (const auto fault = engine::find_fault(*result.program)) {
      result.problem =
          fmt::format("`{}` cannot run on secret shares: {}", form.kernel.name, fault->message);
      result.program.reset();
    }
  }
  return result;
}

auto emit_mpc(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
              SourceSet& sources, Invocation& invocation) -> ExitCode {
  Result<std::vector<names::ItemId>> items = find_device_targets(snapshot, file, target);
  if (!items) {
    invocation.error(items.error().message);
    return ExitCode::Usage;
  }
  bool is_whole = true;
  for (const names::ItemId item : *items) {
    const MpcCompilation compilation = compile_for_mpc(snapshot, item, sources);
    if (!compilation.problem.empty()) {
      invocation.error(compilation.problem);
    }
    print_diagnostics(compilation.diagnostics, sources, Format::Human, invocation.err,
                      invocation.err_terminal);
    is_whole = is_whole && compilation.program;
    if (!compilation.program) {
      continue;
    }
    if (items->size() > 1) {
      invocation.out.write(
          fmt::format("// {}\n", snapshot.interner().text(snapshot.item_key(item).name)));
    }
    invocation.out.write(engine::to_text(*compilation.program));
  }
  invocation.out.flush();
  return is_whole ? ExitCode::Done : ExitCode::Failed;
}

auto emit_mpc_program(const std::string& text, const std::string& path, Invocation& invocation)
    -> ExitCode {
  Result<engine::MpcProgram> program = engine::parse_mpc_program(text);
  if (!program) {
    invocation.error(fmt::format("{}: {}", path, program.error().message));
    return ExitCode::Failed;
  }
  invocation.out.write(engine::to_text(*program));
  return ExitCode::Done;
}

}  // namespace tacet::cli
