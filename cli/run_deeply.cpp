#include "cli/run_deeply.h"

#include "cli/run_target.h"

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
  return oracle::deep_check(snapshot, files, options, executor);
}

}  // namespace tacet::cli
