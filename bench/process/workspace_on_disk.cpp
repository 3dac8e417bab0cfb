#include "bench/process/workspace_on_disk.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "bench/process/language_client.h"
#include "bench/synthetic_workspace.h"

namespace tacet::bench {

WorkspaceOnDisk::WorkspaceOnDisk(WorkspaceShape shape)
    : folder_((std::filesystem::temp_directory_path() / "tacet-bench-XXXXXX").string()),
      text_(module_text(shape.n_lines / shape.n_files)) {
  if (mkdtemp(folder_.data()) == nullptr) {
    fail("cannot make a folder for the workspace");
  }
  const int64_t n_lines = shape.n_lines / shape.n_files;
  for (int64_t i = 0; i < shape.n_files; ++i) {
    files_.push_back(fmt::format("{}/module_{}.tacet", folder_, i));
    std::ofstream file(files_.back(), std::ios::binary);
    file << (shape.has_own_names ? module_text(n_lines, i * n_lines) : text_);
    if (!file.flush()) {
      fail("cannot write " + files_.back());
    }
  }
}

WorkspaceOnDisk::~WorkspaceOnDisk() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace tacet::bench
