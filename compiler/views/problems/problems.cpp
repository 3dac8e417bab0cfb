#include "compiler/views/problems/problems.h"

#include "compiler/run/conformance/device_functions.h"
#include "compiler/spec/program/file_diagnostics.h"
#include "compiler/spec/program/pieces.h"
#include "compiler/views/he/item_program.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::problems {

auto diagnostics(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all = he_views::diagnostics(snapshot, file);
  const auto found = snapshot.get<conformance::ConformanceDiagnosticsOfFile>(file);
  all.insert(all.end(), found->begin(), found->end());
  if (snapshot.get<conformance::IsRunnable>(file)) {
    const auto shared = snapshot.get<mpc_views::ProgramDiagnosticsOfFile>(file);
    all.insert(all.end(), shared->begin(), shared->end());
  }
  sort_diagnostics(all);
  return all;
}

auto check(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
           Executor& executor) -> std::vector<std::vector<Diagnostic>> {
  std::vector<std::vector<Diagnostic>> results(files.size());
  const auto ask = [](query::Context& context, const names::FileItem& item) {
    program::diagnostics_of_item(context, item, true);
  };
  program::for_files(snapshot.query(), files, executor, ask, [&](size_t i) {
    const program::FrontendSnapshot mine = snapshot;
    results[i] = diagnostics(mine, files[i]);
  });
  return results;
}

}  // namespace tacet::problems
