#include "bench/process/workspace_on_disk.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "bench/process/language_client.h"
#include "tests/generator/synthetic_workspace.h"

namespace tacet::bench {

/// `text` with `n` functions more, spread over it, of which the linter says something.
static auto with_findings(const std::string& text, int64_t n) -> std::string {
  constexpr std::string_view kEnd = "\n}\n";
  if (n == 0) {
    return text;
  }
  int64_t n_ends = 0;
  for (size_t at = text.find(kEnd); at != std::string::npos; at = text.find(kEnd, at + 1)) {
    ++n_ends;
  }
  std::string result;
  int64_t n_written = 0;
  size_t from = 0;
  for (int64_t i = 1; i <= n_ends; ++i) {
    const size_t to = text.find(kEnd, from) + kEnd.size();
    result.append(text, from, to - from);
    from = to;
    for (; n_written < n * i / n_ends; ++n_written) {
      result += fmt::format(
          "\nfn spare_{0}(a: i64) -> i64 {{\n    let unused_{0} = a;\n    a\n}}\n", n_written);
    }
  }
  return result.append(text, from);
}

WorkspaceOnDisk::WorkspaceOnDisk(WorkspaceShape shape)
    : folder_((std::filesystem::temp_directory_path() / "tacet-bench-XXXXXX").string()),
      text_(with_findings(testing::module_text(shape.n_lines / shape.n_files), shape.n_findings)) {
  if (mkdtemp(folder_.data()) == nullptr) {
    fail("cannot make a folder for the workspace");
  }
  const int64_t n_lines = shape.n_lines / shape.n_files;
  for (int64_t i = 0; i < shape.n_files; ++i) {
    files_.push_back(fmt::format("{}/module_{}.tacet", folder_, i));
    std::ofstream file(files_.back(), std::ios::binary);
    file << (shape.has_own_names ? testing::module_text(n_lines, i * n_lines) : text_);
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
