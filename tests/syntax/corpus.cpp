#include "tests/syntax/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/grammar/corpus_folder.h"

namespace tacet::testing {

/// The sources of the grammar's own tests, as if each were a file in a folder.
static void append_grammar_corpus(std::vector<CorpusFile>& files) {
  for (const CorpusFolderFile& file : corpus_folder()) {
    const char* ending = file.language == syntax::Language::Module ? ".tacet" : ".tlhe";
    for (const CorpusTest& test : file.tests) {
      if (!test.is_malformed()) {
        files.push_back({file.path + "/" + test.name + ending, test.source});
      }
    }
  }
}

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
  append_grammar_corpus(files);
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tacet::testing
