#include "tests/harness/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/check.h"

namespace tacet::harness {

namespace fs = std::filesystem;

auto source_path(std::string_view path) -> fs::path {
  return fs::path(TACET_SOURCE_ROOT) / path;
}

template <class Iterator>
static auto files_of(const FileQuery& query) -> std::vector<fs::path> {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : Iterator(source_path(query.folder))) {
    const std::string ending = entry.path().extension().string();
    if (entry.is_regular_file() &&
        std::find(query.endings.begin(), query.endings.end(), ending) != query.endings.end()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

auto find_files(const FileQuery& query) -> std::vector<fs::path> {
  const std::vector<fs::path> files = query.depth == Depth::Below
                                          ? files_of<fs::recursive_directory_iterator>(query)
                                          : files_of<fs::directory_iterator>(query);
  const std::string message = fmt::format("{} has {} such files, expected at least {}",
                                          query.folder, files.size(), query.least);
  TACET_CHECK(files.size() >= query.least, message.c_str());
  return files;
}

auto read_file(const fs::path& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  TACET_CHECK(file.is_open(), path.c_str());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  TACET_CHECK(file.good(), path.c_str());
}

}  // namespace tacet::harness
