#include "cli/checker.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cli/add_imports.h"
#include "cli/run/gpu_kernels.h"
#include "compiler/core/syntax/file_syntax.h"
#include "project/read_source.h"

namespace tacet::cli {

using problems::Until;

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

/// Takes over texts that are new or changed, and forgets files that are not there any more.
auto CheckSession::set_files(std::vector<LoadedFile> files, SourceSet& sources)
    -> std::vector<FileId> {
  std::set<std::string> present;
  std::vector<std::pair<std::string, std::string>> changed;
  for (LoadedFile& file : files) {
    present.insert(file.absolute);
    std::optional<FileId> known = frontend_->find_file(file.absolute);
    if (!known || *frontend_->text(*known) != file.text) {
      changed.emplace_back(file.absolute, std::move(file.text));
    }
  }
  for (const std::string& path : files_) {
    if (present.count(path) == 0) {
      frontend_->remove_file(path);
    }
  }
  files_.assign(present.begin(), present.end());
  if (!changed.empty()) {
    frontend_->set_files(std::move(changed));
  }
  std::vector<FileId> ids;
  for (const LoadedFile& file : files) {
    ids.push_back(*frontend_->find_file(file.absolute));
    sources.add(ids.back(), file.shown, frontend_->text(ids.back()));
  }
  return ids;
}

/// Modules of the last run may have changed on the disk, or been removed.
void CheckSession::read_modules_again(SourceSet& sources) {
  std::vector<std::string> present;
  for (const std::string& path : modules_) {
    if (std::binary_search(files_.begin(), files_.end(), path)) {
      continue;  // it is one of the files now
    }
    Result<std::string> text = project::read_source(path);
    if (!text) {
      frontend_->remove_file(path);
      continue;
    }
    FileId id = *frontend_->find_file(path);
    if (*frontend_->text(id) != *text) {
      frontend_->set_files({{path, std::move(*text)}});
    }
    sources.add(id, path_from_here(path), frontend_->text(id));
    present.push_back(path);
  }
  modules_ = std::move(present);
}

auto CheckSession::check(std::vector<LoadedFile> files,
                         const std::vector<std::string>& source_folders, Until until,
                         Executor& executor, SourceSet& sources) -> std::vector<Diagnostic> {
  if (until == Until::Syntax) {
    return check_syntax(std::move(files), executor, sources);
  }
  if (source_folders != source_folders_) {
    frontend_->set_source_folders(source_folders);
    source_folders_ = source_folders;
  }
  // A module that is one of the files from now on must not be forgotten with the modules.
  std::vector<FileId> ids = set_files(std::move(files), sources);
  read_modules_again(sources);
  std::vector<FileId> roots = ids;
  for (const std::string& module : modules_) {
    roots.push_back(*frontend_->find_file(module));
  }
  for (FileId added : add_imports(*frontend_, roots, source_folders, executor, sources)) {
    modules_.push_back(frontend_->path(added));
  }
  problems::Question question{.until = until};
  if (until == Until::Devices) {
    question.lint = linter::LintOptions{.settings = lint_, .wanted = linter::Wanted::Errors};
  }
  const program::FrontendSnapshot snapshot = frontend_->snapshot();
  std::vector<std::vector<Diagnostic>> found = problems::find(snapshot, ids, question, executor);
  for (size_t i = 0; i < ids.size() && until == Until::Devices; ++i) {
    const bool is_good = std::none_of(found[i].begin(), found[i].end(), [](const Diagnostic& each) {
      return each.severity == Severity::Error;
    });
    if (is_good) {
      const std::vector<Diagnostic> kernels = kernel_problems(*frontend_, snapshot, ids[i]);
      found[i].insert(found[i].end(), kernels.begin(), kernels.end());
    }
  }
  return in_one_row(std::move(found));
}

}  // namespace tacet::cli
