#include "cli/run/encrypted_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/run/compile_cggi.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "compiler/core/diagnostics/code.h"

namespace tacet::cli {

namespace {

auto of_circuit(CggiCompilation compilation) -> EncryptedCompilation {
  EncryptedCompilation result;
  if (compilation.compiled) {
    result.program = std::move(compilation.compiled->program);
  }
  result.diagnostics = std::move(compilation.diagnostics);
  result.problem = std::move(compilation.problem);
  result.is_usage = compilation.is_usage;
  result.optimise_seconds = compilation.optimise_seconds;
  return result;
}

/// Whether the text says how the item is to be laid out.
auto has_schedule(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  const names::ItemTree tree = snapshot.tree(item);
  return static_cast<bool>(names::item_node(*tree).child(syntax::Field::Schedule));
}

/// A circuit in place of what the arithmetic schemes refused.
auto substitute(const EncryptedCompilation& refused, const program::FrontendSnapshot& snapshot,
                const HeCompileRequest& request, const RunOptions& options, Invocation& invocation)
    -> std::optional<EncryptedCompilation> {
  const auto is_fault = [](const Diagnostic& diagnostic) {
    return code_name(diagnostic.code)[1] == '8' || diagnostic.code == DiagnosticCode::T6012;
  };
  if (std::any_of(refused.diagnostics.begin(), refused.diagnostics.end(), is_fault) ||
      has_schedule(snapshot, request.item)) {
    return std::nullopt;
  }
  EncryptedCompilation compilation = of_circuit(compile_for_cggi(snapshot, request, options));
  if (!compilation.program) {
    return std::nullopt;
  }
  const std::string why =
      refused.diagnostics.empty() ? refused.problem : refused.diagnostics.front().message;
  invocation.err.write(fmt::format(
      "tacet: note: `{}` runs under CGGI, bit by bit, with {} bootstraps, since BFV, BGV and CKKS "
      "do not support it: {}\n",
      request.name, engine::n_bootstraps(std::get<engine::CggiProgram>(*compilation.program)),
      why));
  return compilation;
}

}  // namespace

auto compile_encrypted(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                       const std::vector<interpret::Value>* inputs, const RunOptions& options,
                       Invocation& invocation) -> EncryptedCompilation {
  request.values = nullptr;
  if (options.scheme == RunScheme::Cggi) {
    return of_circuit(compile_for_cggi(snapshot, request, options));
  }
  EncryptedCompilation result;
  bool may_substitute = options.scheme == RunScheme::Auto;
  engine::HeIntegers values;
  if (inputs != nullptr) {
    Result<engine::HeIntegers> numbers = integers_of(*request.parameters, *inputs);
    if (!numbers) {
      // Values that only circuits have, such as a `u64` of all ones.
      result.problem = numbers.error().message;
      result.is_usage = true;
    } else {
      values = std::move(*numbers);
      request.values = &values;
    }
  }
  if (result.problem.empty()) {
    HeCompilation compilation = compile_for_he(snapshot, request, options, invocation);
    result.schedule_seconds = compilation.schedule_seconds;
    result.optimise_seconds = compilation.optimise_seconds;
    if (compilation.compiled) {
      result.program = bundle_of(compilation, request);
      return result;
    }
    result.diagnostics = std::move(compilation.diagnostics);
    result.problem = std::move(compilation.problem);
    result.is_usage = compilation.is_usage;
    may_substitute = may_substitute && !compilation.is_usage;
  }
  if (may_substitute) {
    if (auto circuit = substitute(result, snapshot, request, options, invocation)) {
      return std::move(*circuit);
    }
  }
  return result;
}

auto run_encrypted(const EncryptedProgram& program, const interpret::Executable& executable,
                   const std::vector<interpret::Value>& inputs, const RunOptions& options,
                   PhaseLine& line) -> Result<EncryptedRun> {
  if (const auto* circuit = std::get_if<engine::CggiProgram>(&program)) {
    Result<CggiDeviceRun> run = run_on_cggi(*circuit, cells_of(executable.parameters, inputs),
                                            options.n_threads, options.wants_statistics, line);
    return run ? EncryptedRun{values_of(*circuit, run->outputs), run->costs}
               : Result<EncryptedRun>(run.error());
  }
  const auto& bundle = std::get<engine::HeBundle>(program);
  Result<engine::HeIntegers> numbers = integers_of(executable.parameters, inputs);
  if (!numbers) {
    return numbers.error();
  }
  Result<HeDeviceRun> run =
      run_on_he(bundle, *numbers, options.n_threads, options.wants_statistics, line);
  if (!run) {
    return run.error();
  }
  std::vector<interpret::EntryResult> results = executable.results;
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].name = bundle.results[i].name;
  }
  return EncryptedRun{values_of(results, run->outputs), run->costs};
}

}  // namespace tacet::cli
