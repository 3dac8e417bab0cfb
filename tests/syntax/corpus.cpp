#include "tests/syntax/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "tests/grammar/corpus_folder.h"

namespace tacet::testing {

/// The sources of the grammar's own tests, as if each were a file in a folder.
static void append_grammar_corpus(std::vector<CorpusFile>& files) {
  const size_t n_before = files.size();
  for (const CorpusFolderFile& file : corpus_folder()) {
    const char* ending = file.language == syntax::Language::Module ? ".tacet" : ".tlhe";
    for (const CorpusTest& test : file.tests) {
      if (!test.is_malformed()) {
        files.push_back({file.path + "/" + test.name + ending, test.source});
      }
    }
  }
  TACET_CHECK(files.size() - n_before >= 100, "the grammar's corpus lacks programs");
}

/// The programs below a folder of the repository, of which there are at least so many.
static void append_programs(const std::string& folder, size_t least,
                            std::vector<CorpusFile>& files) {
  const size_t n_before = files.size();
  const std::filesystem::path root = TACET_SOURCE_ROOT + folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    auto ending = entry.path().extension();
    if (ending == ".tacet" || ending == ".cm" || ending == ".tlhe") {
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      files.push_back({entry.path().string(), text.str()});
    }
  }
  TACET_CHECK(files.size() - n_before >= least, "the corpus lacks programs");
}

auto corpus() -> std::vector<CorpusFile> {
  std::vector<CorpusFile> files;
  append_programs("/tests/corpus", 30, files);
  append_programs("/examples", 8, files);
  append_grammar_corpus(files);
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tacet::testing
