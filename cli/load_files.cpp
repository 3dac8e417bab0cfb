#include "cli/load_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/he_format/bundle.h"
#include "project/read_source.h"

namespace tacet::cli {

auto load_files(const std::vector<FoundFile>& files, Executor& executor) -> LoadedFiles {
  std::vector<Result<std::string>> texts(files.size(), Error{});
  executor.for_each(files.size(),
                    [&](size_t i) { texts[i] = project::read_source(files[i].shown); });
  LoadedFiles loaded;
  for (size_t i = 0; i < files.size(); ++i) {
    if (texts[i]) {
      loaded.files.push_back({files[i].shown, files[i].absolute, std::move(*texts[i])});
    } else {
      loaded.errors.push_back(texts[i].error().message);
    }
  }
  return loaded;
}

auto load_stdin(const std::string& shown) -> LoadedFiles {
  Result<std::string> text = project::read_stdin();
  if (!text) {
    return {{}, {text.error().message}, {}};
  }
  std::string name = shown.empty() ? "<stdin>" : shown;
  return {{{name, absolute_path(name), std::move(*text)}}, {}, {}};
}

auto load_file(const std::string& path, const std::string& stdin_filepath) -> LoadedFiles {
  if (path == project::kStdinPath) {
    return load_stdin(stdin_filepath);
  }
  SequentialExecutor executor;
  return load_files({{path, absolute_path(path)}}, executor);
}

auto load_paths(const std::vector<std::string>& paths, const std::string& stdin_filepath,
                Executor& executor) -> LoadedFiles {
  std::vector<std::string> on_disk = paths;
  on_disk.erase(std::remove(on_disk.begin(), on_disk.end(), project::kStdinPath), on_disk.end());
  FoundFiles found = find_files(on_disk);
  LoadedFiles loaded = load_files(found.files, executor);
  loaded.errors.insert(loaded.errors.begin(), found.errors.begin(), found.errors.end());
  for (const std::string& folder : found.empty) {
    loaded.remarks.push_back(
        fmt::format("{}: no *.tacet, *.cm or *.tlhe files in this folder", folder));
  }
  if (on_disk.size() < paths.size()) {
    LoadedFiles input = load_stdin(stdin_filepath);
    std::move(input.files.begin(), input.files.end(), std::back_inserter(loaded.files));
    std::move(input.errors.begin(), input.errors.end(), std::back_inserter(loaded.errors));
  }
  std::erase_if(loaded.files, [&](const LoadedFile& file) {
    if (!engine::is_bundle(file.text)) {
      return false;
    }
    loaded.errors.push_back(
        fmt::format("{}: compiled program, not source; run it with `tacet run`", file.shown));
    return true;
  });
  return loaded;
}

}  // namespace tacet::cli
