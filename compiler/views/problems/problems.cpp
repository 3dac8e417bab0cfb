#include "compiler/views/problems/problems.h"

#include "compiler/run/conformance/device_functions.h"
#include "compiler/spec/program/file_diagnostics.h"
#include "compiler/spec/program/pieces.h"
#include "compiler/views/he/item_program.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::problems {

auto diagnostics(const check::FrontendSnapshot& snapshot, FileId file) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all = packing::diagnostics(snapshot, file);
  const auto found = snapshot.get<conformance::ConformanceDiagnosticsOfFile>(file);
  all.insert(all.end(), found->begin(), found->end());
  if (snapshot.get<conformance::IsRunnable>(file)) {
    const auto shared = snapshot.get<sharing::ProgramDiagnosticsOfFile>(file);
    all.insert(all.end(), shared->begin(), shared->end());
  }
  sort_diagnostics(all);
  return all;
}

auto check(const check::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
           Executor& executor) -> std::vector<std::vector<Diagnostic>> {
  std::vector<std::vector<Diagnostic>> results(files.size());
  const auto ask = [](query::Context& context, const names::FileItem& item) {
    check::diagnostics_of_item(context, item, true);
  };
  check::for_files(snapshot.query(), files, executor, ask, [&](size_t i) {
    const check::FrontendSnapshot mine = snapshot;
    results[i] = diagnostics(mine, files[i]);
  });
  return results;
}

}  // namespace tacet::problems
