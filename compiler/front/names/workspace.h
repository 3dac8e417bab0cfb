#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/parser.h"

namespace tacet::names {

struct WorkspaceFile {
  /// Forward slashes, as the caller spells it.
  std::string path;
  syntax::Language language = syntax::Language::Module;

  friend auto operator==(const WorkspaceFile&, const WorkspaceFile&) -> bool = default;
};

/// The files that imports may find. An input: set by the code that reads the disk or talks to an
/// editor; nothing here looks at a file system.
class Workspace {
 public:
  /// `files` by `FileId`; an empty path marks a removed file. `source_folders` in the order in
  /// which imports look.
  Workspace(std::vector<WorkspaceFile> files, std::vector<std::string> source_folders);

  [[nodiscard]] auto files() const -> const std::vector<WorkspaceFile>& { return files_; }
  [[nodiscard]] auto source_folders() const -> const std::vector<std::string>& {
    return source_folders_;
  }
  [[nodiscard]] auto language(FileId file) const -> syntax::Language;
  [[nodiscard]] auto path(FileId file) const -> std::string_view;
  /// `rec_sum` for `src/rec_sum.tacet`.
  [[nodiscard]] auto module_name(FileId file) const -> std::string_view;

  /// The file that `import name` in `from` means: `name.tacet` (or `name.cm`) beside it, then in
  /// the source folders.
  [[nodiscard]] auto find_module(FileId from, std::string_view name) const -> std::optional<FileId>;
  /// The names that `import` would find from `from`, for suggestions.
  [[nodiscard]] auto importable(FileId from) const -> std::vector<std::string_view>;

  friend auto operator==(const Workspace& a, const Workspace& b) -> bool {
    return a.files_ == b.files_ && a.source_folders_ == b.source_folders_;
  }

 private:
  std::vector<WorkspaceFile> files_;
  std::vector<std::string> source_folders_;
  /// By path without its ending.
  std::unordered_map<std::string, FileId> modules_;
};

}  // namespace tacet::names
