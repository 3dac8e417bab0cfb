#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tacet::cli {

/// Waits for files to change: notified by the kernel where possible, else by polling every quarter
/// of a second.
class Watcher {
 public:
  Watcher();
  Watcher(const Watcher&) = delete;
  auto operator=(const Watcher&) -> Watcher& = delete;
  ~Watcher();

  /// Remembers the state before the first check.
  void note(const std::vector<std::string>& paths, const std::vector<std::string>& files);

  /// Returns when one of `files` has changed, reappeared or disappeared, or something was added to
  /// or removed from a folder among `paths` or the folder of a file. Several changes at once, as
  /// when an editor saves, count as one. A change between two calls counts for the second.
  void wait(const std::vector<std::string>& paths, const std::vector<std::string>& files);

 private:
  /// True if anything is not as it was at the last look.
  auto look(const std::vector<std::string>& paths, const std::vector<std::string>& files) -> bool;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacet::cli
