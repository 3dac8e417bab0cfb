#include "cli/checker.h"

#include "cli/add_imports.h"
#include "compiler/check/frontend.h"
#include "compiler/syntax/file_syntax.h"

namespace tacet::cli {

static auto in_one_row(std::vector<std::vector<Diagnostic>> found) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  for (std::vector<Diagnostic>& diagnostics : found) {
    std::move(diagnostics.begin(), diagnostics.end(), std::back_inserter(all));
  }
  return all;
}

/// Syntax needs neither other files nor anything that is remembered.
static auto check_syntax(std::vector<LoadedFile> files, Executor& executor, SourceSet& sources)
    -> std::vector<Diagnostic> {
  std::vector<std::vector<Diagnostic>> found(files.size());
  executor.for_each(files.size(), [&](size_t i) {
    const LoadedFile& file = files[i];
    syntax::FileSyntax parsed = syntax::parse_file(file.text, syntax::language_of(file.absolute));
    found[i] = syntax::syntax_errors(parsed, FileId{static_cast<uint32_t>(i)});
  });
  for (size_t i = 0; i < files.size(); ++i) {
    sources.add(FileId{static_cast<uint32_t>(i)}, files[i].shown,
                std::make_shared<const std::string>(std::move(files[i].text)));
  }
  return in_one_row(std::move(found));
}

static auto frontend_until(Until until) -> check::Until {
  return until == Until::Names ? check::Until::Names : check::Until::Types;
}

auto check_files(std::vector<LoadedFile> files, const std::vector<std::string>& source_folders,
                 Until until, Executor& executor, SourceSet& sources) -> std::vector<Diagnostic> {
  if (until == Until::Syntax) {
    return check_syntax(std::move(files), executor, sources);
  }
  check::Frontend frontend;
  frontend.set_source_folders(source_folders);
  std::vector<std::pair<std::string, std::string>> texts;
  for (LoadedFile& file : files) {
    texts.emplace_back(file.absolute, std::move(file.text));
  }
  std::vector<FileId> ids = frontend.set_files(std::move(texts));
  for (size_t i = 0; i < files.size(); ++i) {
    sources.add(ids[i], files[i].shown, frontend.text(ids[i]));
  }
  add_imports(frontend, ids, source_folders, executor, sources);
  return in_one_row(frontend.check(ids, executor, frontend_until(until)));
}

}  // namespace tacet::cli
