#include "cli/run/compile_cggi.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "compiler/core/diagnostics/code.h"

namespace tacet::cli {

static auto cggi_usage_error(std::string problem) -> CggiCompilation {
  CggiCompilation result;
  result.problem = std::move(problem);
  result.is_usage = true;
  return result;
}

auto compile_for_cggi(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                      const RunOptions& options) -> CggiCompilation {
  if (options.security != RunSecurity::Bits128) {
    return cggi_usage_error(
        "CGGI has parameters for 128 bits of security alone; use `--security 128`, or another "
        "scheme");
  }
  Result<std::vector<interpret::EntryParameter>> parameters = bounded_parameters(
      *request.parameters, request.takes_ranges ? options.ranges : std::vector<std::string>());
  if (!parameters) {
    return cggi_usage_error(parameters.error().message);
  }
  gates::CompileOptions compile{.random_key = request.random_key,
                                .log2_failure = options.log2_failure,
                                .is_unhidden = options.is_unhidden};
  for (const interpret::EntryParameter& parameter : *parameters) {
    compile.bounds.push_back(parameter.bound);
  }
  const auto begin = std::chrono::steady_clock::now();
  gates::Compilation compilation = gates::compile(snapshot, request.item, compile);
  CggiCompilation result;
  result.optimise_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.diagnostics = std::move(compilation.diagnostics);
  if (!compilation.problem.empty()) {
    result.problem =
        fmt::format("cannot compile `{}` for CGGI: {}", request.name, compilation.problem);
    if (request.sources != nullptr) {
      result.problem =
          fmt::format("{}: {}", request.sources->position_text(snapshot.name_place(request.item)),
                      result.problem);
    }
  }
  result.compiled = std::move(compilation.compiled);
  if (result.compiled) {
    engine::CggiProgram& program = result.compiled->program;
    program.name = request.name;
    for (size_t i = 0; i < program.results.size(); ++i) {
      program.results[i].name = request.results->at(i).name;
    }
  }
  return result;
}

/// Whether the text says how the item is to be laid out, which a circuit would ignore.
static auto has_schedule(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  const names::ItemTree tree = snapshot.tree(item);
  return static_cast<bool>(names::item_node(*tree).child(syntax::Field::Schedule));
}

auto instead_of(const HeCompilation& refused, const program::FrontendSnapshot& snapshot,
                const HeCompileRequest& request, const RunOptions& options, Invocation& invocation)
    -> std::optional<CggiCompilation> {
  const auto is_fault = [](const Diagnostic& diagnostic) {
    return code_name(diagnostic.code)[1] == '8' || diagnostic.code == DiagnosticCode::T6012;
  };
  if (options.scheme != RunScheme::Auto || refused.is_usage ||
      std::any_of(refused.diagnostics.begin(), refused.diagnostics.end(), is_fault) ||
      has_schedule(snapshot, request.item)) {
    return std::nullopt;
  }
  CggiCompilation compilation = compile_for_cggi(snapshot, request, options);
  if (!compilation.compiled) {
    return std::nullopt;
  }
  const std::string why =
      refused.diagnostics.empty() ? refused.problem : refused.diagnostics.front().message;
  invocation.err.write(
      fmt::format("tacet: note: `{}` runs under CGGI, bit by bit, with {} bootstraps, since BFV, "
                  "BGV and CKKS do not support it: {}\n",
                  request.name, engine::n_bootstraps(compilation.compiled->program), why));
  return compilation;
}

}  // namespace tacet::cli
