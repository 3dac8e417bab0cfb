#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/atomic_write.h"
#include "cli/commands/commands.h"
#include "cli/new_project.h"

namespace tacet::cli {

namespace fs = std::filesystem;

/// Letters, digits, `-` and `_`: what a shell, TOML and Markdown take as it is.
static auto is_project_name(const std::string& name) -> bool {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

/// Writes all files of the project into `folder`, which is new.
static auto write_project(const fs::path& folder, const std::string& name) -> Status {
  for (const ProjectFile& file : project_files()) {
    if (Status written = write_or_create((folder / file.path).string(), project_text(file, name));
        !written) {
      return written;
    }
  }
  return std::monostate();
}

static auto create(const std::string& path, Invocation& invocation) -> ExitCode {
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) {
    folder = folder.parent_path();  // `first/`
  }
  const std::string name = folder.filename().string();
  if (!is_project_name(name)) {
    invocation.error(
        fmt::format("`{}` is not a name for a project: use letters, digits, `-` and `_`", name));
    return ExitCode::Usage;
  }
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder))) {
    invocation.error(fmt::format("`{}` exists already; choose another name", folder.string()));
    return ExitCode::Failed;
  }
  if (folder.has_parent_path()) {
    fs::create_directories(folder.parent_path(), error);
  }
  // One that appeared in the meantime is not ours.
  if (error || !fs::create_directory(folder, error)) {
    invocation.error(fmt::format("could not create `{}`: {}", folder.string(),
                                 error ? error.message() : "it exists already"));
    return ExitCode::Failed;
  }
  if (Status written = write_project(folder, name); !written) {
    invocation.error(written.error().message);
    fs::remove_all(folder, error);
    return ExitCode::Failed;
  }
  invocation.err.write(
      fmt::format("created `{0}`; next:\n"
                  "  cd {0}\n"
                  "  tacet test\n"
                  "  tacet run score.tacet --device he @answers.csv @weights.csv\n",
                  folder.string()));
  return ExitCode::Done;
}

auto new_command() -> Command {
  Command command;
  command.name = "new";
  command.summary = "create a folder with a first program, its inputs and a test";
  command.examples = "tacet new first && cd first && tacet test";
  command.details =
      "The last part of the path is the name of the project: letters, digits, `-` and `_`. What "
      "exists already is never overwritten.";
  command.declare = [](CLI::App& app) -> Action {
    auto path = std::make_shared<std::string>();
    app.add_option("name", *path, "The folder to create")->required()->type_name("NAME");
    return [path](Invocation& invocation) { return create(*path, invocation); };
  };
  return command;
}

}  // namespace tacet::cli
