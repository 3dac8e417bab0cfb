#include "cli/checker.h"

#include "compiler/syntax/file_syntax.h"

namespace tacet::cli {

auto check_files(std::vector<LoadedFile> files, Until /*until*/, Executor& executor,
                 SourceSet& sources) -> std::vector<Diagnostic> {
  std::vector<std::vector<Diagnostic>> found(files.size());
  executor.for_each(files.size(), [&](size_t i) {
    const LoadedFile& file = files[i];
    syntax::FileSyntax parsed = syntax::parse_file(file.text, syntax::language_of(file.absolute));
    found[i] = syntax::syntax_errors(parsed, FileId{static_cast<uint32_t>(i)});
  });
  std::vector<Diagnostic> all;
  for (size_t i = 0; i < files.size(); ++i) {
    sources.add(FileId{static_cast<uint32_t>(i)}, files[i].shown,
                std::make_shared<const std::string>(std::move(files[i].text)));
    std::move(found[i].begin(), found[i].end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace tacet::cli
