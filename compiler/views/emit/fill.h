#pragma once

#include <string>
#include <vector>

#include "compiler/spec/fill/trial.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// What became of the holes of a file.
struct Filled {
  std::string text;
  size_t n_filled = 0;
  /// Of `text`: the holes that are still open, and errors.
  std::vector<Diagnostic> left;
};

/// Fills what can be filled, each hole with the cheapest text with which its function has no
/// errors. `frontend` has the file as it is then. `checks` decide about texts; device functions
/// need a judge that looks at devices.
auto fill_holes(program::Frontend& frontend, FileId file, const fill::Checks& checks = {})
    -> Filled;

}  // namespace tacet::emit
