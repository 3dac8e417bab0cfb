#include "tests/syntax/corpus.h"

#include <algorithm>

#include "base/check.h"
#include "tests/grammar/corpus_folder.h"
#include "tests/harness/files.h"

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

/// The programs below a folder, of which there are at least so many.
static void append_programs(const char* folder, size_t least, std::vector<CorpusFile>& files) {
  for (const std::filesystem::path& path : harness::find_files({.folder = folder,
                                           .endings = {".cm", ".tacet", ".tlhe"},
                                           .least = least,
                                           .depth = harness::Depth::Below})) {
    files.push_back({path.string(), harness::read_file(path)});
  }
}

auto corpus() -> std::vector<CorpusFile> {
  std::vector<CorpusFile> files;
  append_programs("tests/corpus", 30, files);
  append_programs("examples", 8, files);
  append_grammar_corpus(files);
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tacet::testing
