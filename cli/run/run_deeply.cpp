#include "cli/run/run_deeply.h"

#include <fmt/format.h>

#include "cli/run/run_target.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/he/lower/compile.h"
#include "compiler/run/conformance/device_functions.h"

namespace tacet::cli {

/// Why a function of `he`, which bounds all its inputs, cannot be encrypted; nothing if it can.
static auto encryption_problem(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::optional<Diagnostic> {
  he_lower::CompileOptions options;
  options.choice.times = &he::default_operation_times();
  options.last = he_lower::Stage::Array;
  const he_lower::Compilation read = he_lower::compile(snapshot, item, options);
  if (!read.compiled || !he_lower::unbounded_inputs(read.compiled->program, {}).empty()) {
    return std::nullopt;  // the check has reported why, or `--range` may help
  }
  options.last = he_lower::Stage::Program;
  const he_lower::Compilation compilation = he_lower::compile(snapshot, item, options);
  if (compilation.problem.empty()) {
    return std::nullopt;
  }
  return make_diagnostic(DiagnosticCode::T6011, snapshot.name_place(item),
                         fmt::format("cannot be compiled for encryption: {}", compilation.problem));
}

/// What only a search for layouts and parameters finds out.
static auto check_encryption(const program::FrontendSnapshot& snapshot,
                             const std::vector<FileId>& files, Executor& executor)
    -> std::vector<Diagnostic> {
  std::vector<names::ItemId> functions;
  for (const FileId file : files) {
    for (const names::FileItem& item : snapshot.items(file)->items) {
      if (item.kind == names::ItemKind::Fn && snapshot.signature(item.id)->is_device_function &&
          snapshot.signature(item.id)->is_for(names::Device::He)) {
        functions.push_back(item.id);
      }
    }
  }
  std::vector<std::optional<Diagnostic>> found(functions.size());
  executor.for_each(functions.size(), [&](size_t i) {
    const program::FrontendSnapshot mine = snapshot;
    found[i] = encryption_problem(mine, functions[i]);
  });
  std::vector<Diagnostic> all;
  for (std::optional<Diagnostic>& diagnostic : found) {
    if (diagnostic) {
      all.push_back(std::move(*diagnostic));
    }
  }
  return all;
}

auto run_deeply(program::Frontend& frontend, const std::vector<std::string>& paths,
                const ExternLibraries& libraries, size_t n_runs, Executor& executor)
    -> Result<oracle::DeepCheck> {
  std::vector<FileId> files;
  for (const std::string& path : paths) {
    if (std::optional<FileId> file = frontend.find_file(path)) {
      files.push_back(*file);
    }
  }
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  Result<HostFunctions> externs = libraries.functions(extern_names(snapshot, files));
  if (!externs) {
    return externs.error();
  }
  oracle::RunOptions options;
  options.n_runs = n_runs;
  options.externs = std::move(*externs);
  oracle::DeepCheck result = oracle::deep_check(snapshot, files, options, executor);
  const std::vector<Diagnostic> decided = conformance::check_deeply(snapshot, files, executor);
  const std::vector<Diagnostic> encryption = check_encryption(snapshot, files, executor);
  result.diagnostics.insert(result.diagnostics.end(), decided.begin(), decided.end());
  result.diagnostics.insert(result.diagnostics.end(), encryption.begin(), encryption.end());
  return result;
}

}  // namespace tacet::cli
