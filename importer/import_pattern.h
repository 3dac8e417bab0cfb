#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// From regular expressions to programs: `tacet import --regex`.
namespace tacet::importer {

struct ImportedPattern {
  std::string source;  ///< formatted
  std::string size;    ///< of the automaton for whole texts: `4 states and 3 classes of bytes`
  std::vector<std::string> warnings;
};

/// A module with the minimal automaton of a pattern and functions `NAME_matches`, `NAME_occurs`,
/// `NAME_places`, `NAME_first`, `NAME_count`. Errors have a line with the pattern, and one with
/// carets. `pattern/syntax.h` has the syntax; an automaton has at most 256 states.
auto import_pattern(std::string_view text, const std::string& name) -> Result<ImportedPattern>;

}  // namespace tacet::importer
