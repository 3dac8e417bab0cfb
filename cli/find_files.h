#pragma once

#include <string>
#include <vector>

namespace tacet::cli {

/// A file to work on.
struct FoundFile {
  std::string shown;     ///< as the user wrote it, or the folder as written and the path from there
  std::string absolute;  ///< the same file, from the root, without `.` and `..`

  friend auto operator==(const FoundFile&, const FoundFile&) -> bool = default;
};

struct FoundFiles {
  std::vector<FoundFile> files;     ///< each once; those of a folder sorted by path
  std::vector<std::string> errors;  ///< what could not be looked into, and why
  std::vector<std::string> empty;   ///< folders named by the user that hold no source
};

/// True for `*.tacet`, `*.cm` and `*.tlhe`.
auto is_source_name(const std::string& path) -> bool;

/// `path` from the root of the file system, without `.` and `..`; symbolic links stay.
auto absolute_path(const std::string& path) -> std::string;

/// `absolute` as it is best shown: from the current folder if it is below or near, else as it is.
auto path_from_here(const std::string& absolute) -> std::string;

/// The sources that `paths` name: files as they are, folders with all sources below them.
/// Hidden folders, `build` and `node_modules` are left out. Symbolic links are followed, but
/// not into a folder that the walk is in already.
auto find_files(const std::vector<std::string>& paths) -> FoundFiles;

}  // namespace tacet::cli
