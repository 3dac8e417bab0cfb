#pragma once

#include <filesystem>
#include <string>

namespace tacet::lsp {

/// A folder among the system's temporary files that goes, with what is in it, when this does. Where
/// none can be made, the path is empty, nothing can be written and files are empty.
class ScratchFolder {
 public:
  /// `name` is the beginning of its name.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  auto operator=(const ScratchFolder&) -> ScratchFolder& = delete;

  [[nodiscard]] auto path() const -> const std::filesystem::path& { return path_; }
  /// False if there is no room.
  [[nodiscard]] auto write(const std::string& name, const std::string& text) const -> bool;
  [[nodiscard]] auto read(const std::string& name) const -> std::string;

 private:
  std::filesystem::path path_;
};

}  // namespace tacet::lsp
