#pragma once

#include <string>
#include <vector>

#include "cli/load_files.h"
#include "cli/source_set.h"
#include "problems/problems.h"

namespace tacet::cli {

/// Checks files repeatedly: unchanged parts are not rechecked.
class CheckSession {
 public:
  explicit CheckSession(program::Frontend& frontend) : frontend_(&frontend) {}

  /// Every diagnostic of `files`, sorted by file in the order given and by place. Modules that
  /// they import are read too, also from `source_folders` (absolute), but their errors are reported
  /// only if they are among `files`. What diagnostics refer to is added to `sources`.
  auto check(std::vector<LoadedFile> files, const std::vector<std::string>& source_folders,
             problems::Until until, Executor& executor, SourceSet& sources)
      -> std::vector<Diagnostic>;

  /// What counts as an error of a program that secrets steer, from now on.
  void set_lint(linter::Settings settings) { lint_ = std::move(settings); }

  /// The files that were checked last, by their absolute paths, sorted.
  [[nodiscard]] auto files() const -> const std::vector<std::string>& { return files_; }

  /// The modules that were read because they are imported, by their absolute paths.
  [[nodiscard]] auto modules() const -> const std::vector<std::string>& { return modules_; }

 private:
  auto set_files(std::vector<LoadedFile> files, SourceSet& sources) -> std::vector<FileId>;
  void read_modules_again(SourceSet& sources);

  program::Frontend* frontend_;
  std::vector<std::string> files_;  ///< of the last time, by their absolute paths
  std::vector<std::string> modules_;
  std::vector<std::string> source_folders_;
  linter::Settings lint_;
};

}  // namespace tacet::cli
