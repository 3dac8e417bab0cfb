#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/load_files.h"
#include "cli/source_set.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// A file and everything that it imports, directly or not.
struct LoadedProgram {
  FileId file;
  std::vector<FileId> files;  ///< `file` first
};

/// Reads the program at `path` (`-`: standard input) with its imports, which are looked for
/// beside the importing file and then in the source folders of the workspace around it. An import
/// that is not found is left to the checker to report.
auto load_program(const std::string& path, program::Frontend& frontend, SourceSet& sources)
    -> Result<LoadedProgram>;

/// The same of a file that was read.
auto load_program(const LoadedFile& file, program::Frontend& frontend, SourceSet& sources)
    -> Result<LoadedProgram>;

/// Has calls in the program and in what it imports go to other functions, each as
/// `program::CallSwap` has it.
auto swap_calls(const std::vector<std::string>& swaps, const LoadedProgram& program,
                program::Frontend& frontend, SourceSet& sources) -> Status;

struct RunTarget;

/// Gives the function that is to run another `schedule { … }`; nothing if `layout` is empty.
auto set_layout(const std::string& layout, const RunTarget& target, const LoadedProgram& program,
                program::Frontend& frontend, SourceSet& sources) -> Status;

/// What the user asked to run; at most one is given.
struct RunTarget {
  std::string pipeline = {};
  std::string function = {};
  std::vector<std::string> sizes = {};   ///< `NAME=N`, `NAME=TYPE`, of size and type parameters
  std::vector<std::string> values = {};  ///< for parameters: their lengths give sizes
  std::vector<std::string> inputs = {};  ///< the same, `NAME=VALUE`
};

/// The item that `target` means in `file`: its only pipeline if nothing is named; of a function
/// with size parameters the instance for the given sizes. An error says what there is, with the
/// nearest name.
auto find_target(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target)
    -> Result<names::ItemId>;

/// The one that `target` names, or all device functions of `file` and the program of an array
/// program file, in the order of the text.
auto find_device_targets(const program::FrontendSnapshot& snapshot, FileId file,
                         const RunTarget& target) -> Result<std::vector<names::ItemId>>;

/// Whether a program can run: no file of it has errors, and no device function of its own file
/// computes something else than its specification. What was found out is passed to `print`.
auto check_program(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                   const std::function<void(std::span<const Diagnostic>)>& print) -> bool;

/// The names of all externs that the files declare.
auto extern_names(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files)
    -> std::vector<std::string>;

}  // namespace tacet::cli
