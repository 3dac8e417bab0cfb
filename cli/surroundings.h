#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/load_files.h"
#include "linter/settings.h"

namespace tacet::cli {

/// Where files are, and what is said there about them.
struct Surroundings {
  std::string root;  ///< of the workspace, or the current folder
  std::vector<std::string> source_folders{};
  linter::Settings lint{};
};

/// The surroundings of the first file. Errors of its `tacet.toml` are reported as warnings.
auto find_surroundings(const std::vector<LoadedFile>& files, Invocation& invocation)
    -> Surroundings;

}  // namespace tacet::cli
