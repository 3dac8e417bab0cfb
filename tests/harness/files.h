#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The files that tests are about. A test of no files would pass, so every list has a least length;
/// what cannot be read or is too short aborts the program, also before GoogleTest starts.
namespace tacet::harness {

/// A file or folder of the repository.
auto source_path(std::string_view path) -> std::filesystem::path;

enum class Depth : uint8_t { Folder, Below };

struct FileQuery {
  std::string folder;  ///< of the repository
  std::vector<std::string_view> endings;
  size_t least = 1;
  Depth depth = Depth::Folder;
};

/// The regular files of a folder whose extension is one of the endings, sorted by path.
auto find_files(const FileQuery& query) -> std::vector<std::filesystem::path>;

auto read_file(const std::filesystem::path& path) -> std::string;

/// Creates missing folders.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tacet::harness
