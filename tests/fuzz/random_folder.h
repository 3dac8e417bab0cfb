#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp/server/scratch_folder.h"

namespace tacet::fuzz {

/// The folder of a workspace in which somebody else works: files and folders are created, changed,
/// renamed and removed, and so is `tacet.toml`. The events are reported later.
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
  /// Of a file or folder: 1 that it came, 2 that it changed, 3 that it went.
  struct Event {
    std::string uri;
    int kind = 0;
  };
  /// The events since the last time; sometimes one of them twice.
  auto take_events() -> std::vector<Event>;

 private:
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }
  auto any_name() -> std::string_view;
  void write(const std::string& name, const std::string& text);
  void remove(const std::string& name);
  void notify(const std::string& name, int kind);

  std::mt19937_64& random_;
  lsp::ScratchFolder folder_{"tacet-fuzz-"};
  std::vector<Event> events_;
};

}  // namespace tacet::fuzz
