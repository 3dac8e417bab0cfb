#include "lsp/server/source_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace tacet::lsp {

namespace fs = std::filesystem;

/// More is no program; an open document may be larger.
static constexpr uintmax_t kMaxFileSize = uintmax_t{64} << 20;

auto is_source_path(const std::string& path) -> bool {
  return path.ends_with(".tacet") || path.ends_with(".cm") || path.ends_with(".tlhe");
}

auto read_source_file(const std::string& path) -> SourceFileText {
  std::error_code error;
  bool is_good = fs::is_regular_file(path, error);
  uintmax_t size = is_good ? fs::file_size(path, error) : 0;
  if (!is_good || error || size > kMaxFileSize) {
    return {path, nullptr};
  }
  std::string text(static_cast<size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    return {path, nullptr};
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return {path, std::make_shared<const std::string>(std::move(text))};
}

static auto is_left_out(const fs::path& folder) -> bool {
  std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build" || name == "node_modules";
}

auto find_source_files(const std::string& folder, Depth depth, const CancellationToken& token)
    -> std::vector<std::string> {
  std::vector<std::string> found;
  std::vector<fs::path> folders = {folder};
  while (!folders.empty() && !token.is_cancelled()) {
    std::error_code error;
    fs::directory_iterator entries(folders.back(), error);
    folders.pop_back();
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      std::error_code ignored;
      const fs::directory_entry& entry = *entries;
      bool is_folder = entry.is_directory(ignored) && !entry.is_symlink(ignored);
      if (is_folder && depth == Depth::AllBelow && !is_left_out(entry.path())) {
        folders.push_back(entry.path());
      } else if (!is_folder && is_source_path(entry.path().string())) {
        found.push_back(entry.path().string());
      }
    }
  }
  return found;
}

}  // namespace tacet::lsp
