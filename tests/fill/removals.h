#pragma once

#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::testing {

/// A program with one statement less: a hole is where it was.
struct Removal {
  /// Of the statement: `encode copy`, `let of submit`.
  std::string kind;
  std::string function;
  /// What was removed.
  std::string removed;
  /// The program.
  std::string text;
};

/// What becomes of a program without errors if each statement of each coordinator function, and
/// each value of a block, is removed.
auto removals(const program::FrontendSnapshot& snapshot, FileId file, const std::string& text)
    -> std::vector<Removal>;

/// The programs of the repository with coordinator functions and without errors, by path: examples,
/// what the checker's fixtures accept, and what tests run.
struct AcceptedProgram {
  std::string path;
  std::string text;
};
auto accepted_programs() -> std::vector<AcceptedProgram>;

}  // namespace tacet::testing
