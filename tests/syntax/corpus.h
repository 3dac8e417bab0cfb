#pragma once

#include <string>
#include <vector>

namespace tacet::testing {

struct CorpusFile {
  std::string path;
  std::string text;
};

/// Every well-formed program of the repository by path: tests/corpus, examples, and the sources in
/// grammar/test/corpus.
auto corpus() -> std::vector<CorpusFile>;

}  // namespace tacet::testing
