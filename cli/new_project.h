#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tacet::cli {

/// A file that `tacet new` writes. `NAME` in its text is the name of the project.
struct ProjectFile {
  std::string_view path;  ///< in the folder of the project
  std::string_view text;
};

/// A first program, its inputs, its test, `tacet.toml` and a README, in the order in which to read
/// them. All of it checks, is formatted and runs.
auto project_files() -> std::span<const ProjectFile>;

/// The text of a file in a project of that name.
auto project_text(const ProjectFile& file, std::string_view name) -> std::string;

}  // namespace tacet::cli
