#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacet::bench {

/// What a workspace looks like.
struct WorkspaceShape {
  int64_t n_lines = 0;
  int64_t n_files = 1;
  /// Has every module names of its own?
  bool has_own_names = false;
  /// How many remarks of the linter every module has.
  int64_t n_findings = 0;
};

/// A folder of generated modules, which goes with the object. Every module holds the same text, but
/// for the names if each has its own.
class WorkspaceOnDisk {
 public:
  explicit WorkspaceOnDisk(WorkspaceShape shape);
  ~WorkspaceOnDisk();
  WorkspaceOnDisk(const WorkspaceOnDisk&) = delete;
  auto operator=(const WorkspaceOnDisk&) -> WorkspaceOnDisk& = delete;

  [[nodiscard]] auto folder() const -> const std::string& { return folder_; }
  /// The absolute paths of the modules.
  [[nodiscard]] auto files() const -> const std::vector<std::string>& { return files_; }
  /// Of the first module.
  [[nodiscard]] auto text() const -> const std::string& { return text_; }

 private:
  std::string folder_;
  std::vector<std::string> files_;
  std::string text_;
};

}  // namespace tacet::bench
