#include "lsp/server/scratch_folder.h"

#include <stdlib.h>

#include <fstream>
#include <sstream>

namespace tacet::lsp {

ScratchFolder::ScratchFolder(const std::string& name) {
  std::error_code failed;
  std::string path = (std::filesystem::temp_directory_path(failed) / (name + "-XXXXXX")).string();
  if (!failed && mkdtemp(path.data()) != nullptr) {
    path_ = path;
  }
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

auto ScratchFolder::write(const std::string& name, const std::string& text) const -> bool {
  std::ofstream file(path_ / name, std::ios::binary);
  file << text;
  file.close();
  return !path_.empty() && file.good();
}

auto ScratchFolder::read(const std::string& name) const -> std::string {
  std::ifstream file(path_ / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace tacet::lsp
