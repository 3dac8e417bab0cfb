#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/cancellation.h"

namespace tacet::lsp {

/// A file as it is on disk.
struct SourceFileText {
  std::string path;
  /// Null if there is no such file, or none that can be read as text of a bearable size.
  std::shared_ptr<const std::string> text;
};

/// Does the path end like a file that Tacet reads?
auto is_source_path(const std::string& path) -> bool;

auto read_source_file(const std::string& path) -> SourceFileText;

enum class Depth : bool { ThisFolder, AllBelow };

/// The sources in a folder, in no order. Hidden folders, `build` and `node_modules` are left
/// out, and links to folders are not followed, so there is no loop to be caught in. What
/// cannot be listed is as if it were empty.
auto find_source_files(const std::string& folder, Depth depth, const CancellationToken& token)
    -> std::vector<std::string>;

}  // namespace tacet::lsp
