#include "cli/run_deeply.h"

#include "cli/run_target.h"
#include "compiler/conformance/device_functions.h"

namespace tacet::cli {

auto run_deeply(check::Frontend& frontend, const std::vector<std::string>& paths,
                const ExternLibraries& libraries, size_t n_runs, Executor& executor)
    -> Result<oracle::DeepCheck> {
  std::vector<FileId> files;
  for (const std::string& path : paths) {
    if (std::optional<FileId> file = frontend.find_file(path)) {
      files.push_back(*file);
    }
  }
  const check::FrontendSnapshot snapshot = frontend.snapshot();
  Result<HostFunctions> externs = libraries.functions(extern_names(snapshot, files));
  if (!externs) {
    return externs.error();
  }
  oracle::RunOptions options;
  options.n_runs = n_runs;
  options.externs = std::move(*externs);
  oracle::DeepCheck result = oracle::deep_check(snapshot, files, options, executor);
  const std::vector<Diagnostic> decided = conformance::check_deeply(snapshot, files, executor);
  result.diagnostics.insert(result.diagnostics.end(), decided.begin(), decided.end());
  return result;
}

}  // namespace tacet::cli
