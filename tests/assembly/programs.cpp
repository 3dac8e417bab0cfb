#include "tests/assembly/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tacet::testing {

namespace fs = std::filesystem;

auto all_programs() -> std::vector<SourceProgram> {
  std::vector<SourceProgram> programs;
  const fs::path root = TACET_SOURCE_DIR;
  for (const char* folder :
       {"examples", "tests/assembly", "tests/run", "tests/check", "tests/corpus"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".tacet" && extension != ".cm")) {
        continue;
      }
      std::ifstream file(entry.path(), std::ios::binary);
      programs.push_back({fs::relative(entry.path(), root).generic_string(),
                          {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  std::sort(programs.begin(), programs.end(),
            [](const SourceProgram& a, const SourceProgram& b) { return a.path < b.path; });
  return programs;
}

auto is_good(const program::FrontendSnapshot& snapshot, FileId file, program::Until until) -> bool {
  const std::vector<Diagnostic> diagnostics = snapshot.diagnostics(file, until);
  return std::none_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

}  // namespace tacet::testing
