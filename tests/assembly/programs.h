#pragma once

#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::testing {

/// A program that a test reads.
struct SourceProgram {
  std::string path;  ///< from the repository's root
  std::string text;
};

/// The programs of the repository that need no other file, those of the tests included, by path.
auto all_programs() -> std::vector<SourceProgram>;

/// Has the file no errors, as far as it is checked?
auto is_good(const program::FrontendSnapshot& snapshot, FileId file, program::Until until) -> bool;

}  // namespace tacet::testing
