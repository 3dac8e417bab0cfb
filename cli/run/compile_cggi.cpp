#include "cli/run/compile_cggi.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/run/operation_times_file.h"

namespace tacet::cli {

static auto cggi_usage_error(std::string problem) -> CggiCompilation {
  CggiCompilation result;
  result.problem = std::move(problem);
  result.is_usage = true;
  return result;
}

auto compile_for_cggi(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                      const RunOptions& options, size_t most_gates) -> CggiCompilation {
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
  gates::CompileOptions compile{
      .random_key = request.random_key,
      .most_gates = most_gates,
      .times = machine_times().bootstraps.value_or(cggi::default_bootstrap_times()),
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
      std::string name = request.results->at(i).name;
      std::replace(name.begin(), name.end(), '.', '_');  // of a field, to be one word
      program.results[i].name = std::move(name);
    }
  }
  return result;
}

}  // namespace tacet::cli
