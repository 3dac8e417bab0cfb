#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/parser.h"

namespace tacet::names {

/// Where the modules of the library are: the path of `std/sets` is `tacet-library:/std/sets.tacet`.
inline constexpr std::string_view kLibraryFolder = "tacet-library:/";

/// Is it a module of the library, which comes with Tacet?
auto is_library_path(std::string_view path) -> bool;

/// `std/sets` of `"std/sets"`: what is behind an `import` without the quotation marks.
auto unquoted_module(std::string_view name) -> std::string_view;

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
  /// `rec_sum` for `src/rec_sum.tacet`, `"std/sets"` for a module of the library.
  [[nodiscard]] auto module_name(FileId file) const -> std::string_view;

  /// The file that `import name` in `from` means: `name.tacet` (or `name.cm`) beside it, then in
  /// the source folders. A name in quotation marks is that of a module of the library.
  [[nodiscard]] auto find_module(FileId from, std::string_view name) const -> std::optional<FileId>;
  /// A file of the user's that a name in quotation marks might mean as well, `std/sets.tacet`.
  [[nodiscard]] auto find_namesake(FileId from, std::string_view name) const
      -> std::optional<FileId>;
  /// The names of the library's modules, in quotation marks, sorted.
  [[nodiscard]] auto library() const -> std::vector<std::string_view>;
  /// The names that `import` would find from `from`, for suggestions.
  [[nodiscard]] auto importable(FileId from) const -> std::vector<std::string_view>;

  friend auto operator==(const Workspace& a, const Workspace& b) -> bool {
    return a.files_ == b.files_ && a.source_folders_ == b.source_folders_;
  }

 private:
  std::vector<WorkspaceFile> files_;
  std::vector<std::string> source_folders_;
  [[nodiscard]] auto find_in_folders(FileId from, std::string_view name) const
      -> std::optional<FileId>;

  /// By path without its ending; not those of the library.
  std::unordered_map<std::string, FileId> modules_;
  /// By name in quotation marks.
  std::map<std::string, FileId, std::less<>> library_;
};

}  // namespace tacet::names
