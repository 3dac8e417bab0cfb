#pragma once

#include <string>
#include <vector>

namespace tacet::testing {

struct CorpusFile {
  std::string path;
  std::string text;
};

/// Every well-formed program of the repository: tests/corpus and examples, by path.
auto corpus() -> std::vector<CorpusFile>;

}  // namespace tacet::testing
