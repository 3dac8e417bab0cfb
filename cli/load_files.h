#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "cli/find_files.h"

namespace tacet::cli {

/// A file's text under both of its names.
struct LoadedFile {
  std::string shown;
  std::string absolute;
  std::string text;
};

struct LoadedFiles {
  std::vector<LoadedFile> files;
  std::vector<std::string> errors;   ///< of the files that could not be read, `path: why`
  std::vector<std::string> remarks;  ///< about folders without sources
};

/// Reads `files`, on as many threads as `executor` has. Their order stays.
auto load_files(const std::vector<FoundFile>& files, Executor& executor) -> LoadedFiles;

/// Standard input as a file. `shown` is the name it goes under, `<stdin>` if empty.
auto load_stdin(const std::string& shown) -> LoadedFiles;

/// The file at `path`; `-` is standard input under the name `stdin_filepath`, if given.
auto load_file(const std::string& path, const std::string& stdin_filepath) -> LoadedFiles;

/// What the paths of a command line name: `-` for standard input (with the name
/// `stdin_filepath`, if given), files, and the sources in folders.
auto load_paths(const std::vector<std::string>& paths, const std::string& stdin_filepath,
                Executor& executor) -> LoadedFiles;

}  // namespace tacet::cli
