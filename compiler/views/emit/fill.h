#pragma once

#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// What became of the holes of a file.
struct Filled {
  std::string text;
  size_t n_filled = 0;
  /// Of `text`: the holes that are still open, and errors.
  std::vector<Diagnostic> left;
};

/// Fills what can be filled, each hole with what is cheapest. What is filled may say what goes
/// elsewhere, so this is done again until nothing changes. `frontend` has the file as it is then.
auto fill_holes(program::Frontend& frontend, FileId file) -> Filled;

}  // namespace tacet::emit
