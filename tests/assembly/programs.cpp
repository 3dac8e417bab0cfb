#include "tests/assembly/programs.h"

#include <algorithm>
#include <filesystem>

#include "tests/harness/files.h"

namespace tacet::testing {

namespace fs = std::filesystem;

auto all_programs() -> std::vector<SourceProgram> {
  std::vector<SourceProgram> programs;
  for (const char* folder :
       {"examples", "tests/assembly", "tests/run", "tests/check", "tests/corpus"}) {
    for (const fs::path& path : harness::find_files({.folder = folder,
                                .endings = {".cm", ".tacet"},
                                .least = 1,
                                .depth = harness::Depth::Below})) {
      programs.push_back({fs::relative(path, harness::source_path("")).generic_string(),
                          harness::read_file(path)});
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
