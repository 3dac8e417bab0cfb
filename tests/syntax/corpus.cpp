#include "tests/syntax/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tacet::testing {

auto corpus() -> std::vector<CorpusFile> {
  std::vector<CorpusFile> files;
  for (const char* folder : {"/tests/corpus", "/examples"}) {
    std::filesystem::path root = TACET_SOURCE_ROOT + std::string(folder);
    if (!std::filesystem::exists(root)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      auto ending = entry.path().extension();
      if (ending == ".tacet" || ending == ".cm" || ending == ".tlhe") {
        std::ifstream file(entry.path(), std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        files.push_back({entry.path().string(), text.str()});
      }
    }
  }
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tacet::testing
