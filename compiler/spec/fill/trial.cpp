#include "compiler/spec/fill/trial.h"

#include <algorithm>

#include "compiler/core/syntax/file_syntax.h"
#include "compiler/front/names/queries.h"

namespace tacet::fill {

/// The file and all that it imports, directly or not, the file first.
static auto with_imports(const program::FrontendSnapshot& original, FileId file)
    -> std::vector<FileId> {
  std::vector<FileId> all = {file};
  for (size_t i = 0; i < all.size(); ++i) {
    const auto scope = original.get<names::ModuleScopeOfFile>(all[i]);
    for (const names::ImportedScope& import : scope->imports) {
      if (std::find(all.begin(), all.end(), import.file) == all.end()) {
        all.push_back(import.file);
      }
    }
  }
  return all;
}

Trial::Trial(const program::FrontendSnapshot& original, FileId file, Checks checks)
    : checks_(std::move(checks)) {
  if (!checks_.judge) {
    checks_.judge = [](const program::FrontendSnapshot& snapshot, FileId changed) {
      return snapshot.diagnostics(changed);
    };
  }
  const auto workspace = original.get<names::WorkspaceInput>({});
  frontend_.set_source_folders(workspace->source_folders());
  std::vector<std::pair<std::string, program::Frontend::SharedText>> files;
  for (const FileId one : with_imports(original, file)) {
    files.emplace_back(std::string(workspace->path(one)),
                       original.get<syntax::SourceText>(one).text);
  }
  path_ = files.front().first;
  original_ = *files.front().second;
  file_ = frontend_.set_files(std::move(files)).front();
}

auto Trial::check(std::string text) -> std::vector<Diagnostic> {
  ++n_checks_;
  frontend_.set_file(path_, std::move(text));
  return checks_.judge(frontend_.snapshot(), file_);
}

auto Trial::verify(names::ItemId function) -> Verified {
  return checks_.verify(frontend_.snapshot(), function);
}

}  // namespace tacet::fill
