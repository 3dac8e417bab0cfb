#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "linter/settings.h"
#include "project/explore_file.h"

namespace tacet::lsp {

/// A file as it is on disk.
struct SourceFileText {
  std::string path;
  /// Null if there is no such file, or none that can be read as text of a bearable size.
  std::shared_ptr<const std::string> text;
  /// Why a file that is there was not read; for the log.
  std::string problem = {};
};

/// What `tacet.explore` in a folder says: nothing if there is none.
struct ExploredFolder {
  std::string folder;
  project::ExploreFile file = {};
};

/// A folder as it is on disk, with what `tacet.toml` in it or around it says.
struct LoadedFolder {
  std::vector<SourceFileText> files;
  /// The root of the workspace around the folder; empty if there is none.
  std::string workspace;
  /// The folders in which that workspace looks for modules.
  std::vector<std::string> source_folders;
  /// The workspace's setting for findings about secrets.
  linter::Settings lint;
  /// What is wrong with `tacet.toml`.
  std::vector<std::string> problems;
  std::vector<ExploredFolder> explored = {};
};

/// What the path of a workspace's manifest ends with, after that of its root.
inline constexpr std::string_view kManifestName = "/tacet.toml";

/// What the path of a file with explored choices ends with, after that of its folder.
inline constexpr std::string_view kExploreName = "/tacet.explore";

/// Is the path that of the folder, or of what lies in it, however deep?
auto is_below(std::string_view path, std::string_view folder) -> bool;

/// Is a path below the folder in one of those that are not read with it: in a hidden folder,
/// `build` or `node_modules`?
auto is_left_out(const std::string& path, const std::string& folder) -> bool;

/// Does the path end like a file that Tacet reads?
auto is_source_path(const std::string& path) -> bool;

auto read_source_file(const std::string& path) -> SourceFileText;

enum class Depth : bool { ThisFolder, AllBelow };

/// Reads the sources in a folder, and those right in the source folders of its workspace.
/// `read_so_far` gets how many of how many files were read, after each.
auto load_source_folder(const std::string& folder, Depth depth, const CancellationToken& token,
                        const std::function<void(size_t n_read, size_t n_all)>& read_so_far)
    -> LoadedFolder;

/// The sources in a folder, in no order. Hidden folders, `build` and `node_modules` are left
/// out, and links to folders are not followed, so there is no loop to be caught in. What
/// cannot be listed is as if it were empty.
auto find_source_files(const std::string& folder, Depth depth, const CancellationToken& token)
    -> std::vector<std::string>;

}  // namespace tacet::lsp
