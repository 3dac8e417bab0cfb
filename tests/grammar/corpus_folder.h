#pragma once

#include <string>
#include <vector>

#include "compiler/core/syntax/parser.h"
#include "tests/grammar/corpus_file.h"

namespace tacet::testing {

struct CorpusFolderFile {
  std::string path;
  /// Files named `array_program*` hold array programs, all others modules.
  syntax::Language language = syntax::Language::Module;
  std::vector<CorpusTest> tests;
};

/// The files of grammar/test/corpus, by path.
auto corpus_folder() -> std::vector<CorpusFolderFile>;

}  // namespace tacet::testing
