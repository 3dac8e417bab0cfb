#include "tests/grammar/corpus_folder.h"

#include "tests/harness/files.h"

namespace tacet::testing {

auto corpus_folder() -> std::vector<CorpusFolderFile> {
  std::vector<CorpusFolderFile> files;
  for (const std::filesystem::path& path :
       harness::find_files({.folder = "grammar/test/corpus", .endings = {".txt"}, .least = 5})) {
    bool array_programs = path.filename().string().starts_with("array_program");
    files.push_back({path.string(),
                     array_programs ? syntax::Language::ArrayProgram : syntax::Language::Module,
                     read_corpus(harness::read_file(path))});
  }
  return files;
}

}  // namespace tacet::testing
