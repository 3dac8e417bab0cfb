#include "tests/grammar/corpus_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tacet::testing {

auto corpus_folder() -> std::vector<CorpusFolderFile> {
  std::vector<CorpusFolderFile> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(TACET_SOURCE_ROOT "/grammar/test/corpus")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    bool array_programs = entry.path().filename().string().starts_with("array_program");
    files.push_back({entry.path().string(),
                     array_programs ? syntax::Language::ArrayProgram : syntax::Language::Module,
                     read_corpus(text.str())});
  }
  std::sort(files.begin(), files.end(),
            [](const CorpusFolderFile& a, const CorpusFolderFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tacet::testing
