#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "lsp/server/scratch_folder.h"

namespace tacet::fuzz {

/// The folder of a workspace in which somebody else works: files and folders come, change, are
/// renamed and go, and so does `tacet.toml`. What happened is told later.
class RandomFolder {
 public:
  explicit RandomFolder(std::mt19937_64& random);

  [[nodiscard]] auto root() const -> std::string { return folder_.path().string(); }
  /// A folder in it that may be a root of its own.
  [[nodiscard]] auto inner() const -> std::string { return root() + "/lib"; }
  /// Any file that might be there.
  auto any_uri() -> std::string { return "file://" + root() + "/" + std::string(any_name()); }

  /// Changes one thing, or several.
  void change(const std::string& text);
  /// The events since the last time, as `workspace/didChangeWatchedFiles` has them; sometimes one
  /// of them twice.
  auto take_events() -> nlohmann::json;

 private:
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }
  auto any_name() -> std::string_view;
  void write(const std::string& name, const std::string& text);
  void remove(const std::string& name);
  void tell(const std::string& name, int kind);

  std::mt19937_64& random_;
  lsp::ScratchFolder folder_{"tacet-fuzz-"};
  nlohmann::json events_ = nlohmann::json::array();
};

}  // namespace tacet::fuzz
