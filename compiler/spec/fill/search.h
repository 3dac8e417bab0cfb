#pragma once

#include <string>
#include <vector>

#include "compiler/spec/fill/trial.h"

namespace tacet::fill {

/// What may be written for a hole: with it the function has no errors.
struct Candidate {
  TextRange replaced;  ///< in the file
  std::string text;
  uint32_t cost = 0;  ///< only good for comparing
};

/// How much is tried.
struct Limits {
  /// Texts that are checked. A number and not a time, so that every machine finds the same.
  size_t n_checks = 1500;
  size_t n_candidates = 8;
};

/// What was found for a hole.
struct Found {
  /// Cheapest first.
  std::vector<Candidate> candidates;
  /// Why there are none, if something says so.
  std::string problem;
};

/// What may be written for the hole of `text` at `hole`, cheapest first. Each was tried: the
/// function that has it in place of the hole has no errors, and no other item has one more.
/// Nor does it reveal anything that the function does not reveal as it is written. `trial` has the
/// file; other holes of the function stay open.
auto search(Trial& trial, const std::string& text, TextRange hole, const Limits& limits = {})
    -> Found;

}  // namespace tacet::fill
