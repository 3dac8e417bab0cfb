#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::ide {

/// A change that the user may ask for.
struct Action {
  std::string title;
  /// Does it fix a diagnostic (`quickfix`), restructure correct code (`refactor`, and below it
  /// `extract`, `inline`, `rewrite`), apply all safe fixes (`source.fixAll`), or sort imports
  /// (`source.organizeImports`)?
  enum class Kind : uint8_t { QuickFix, Extract, Inline, Rewrite, FixAll, OrganizeImports };
  Kind kind = Kind::QuickFix;
  bool is_preferred = false;
  std::optional<Diagnostic> diagnostic;
  std::vector<TextEdit> edits;
  /// The name that the edits bring into the file, for the user to choose another; it is no other
  /// name there. Of a comment its last word, to be replaced. Empty if they bring none.
  std::string new_name = {};
};

/// Of the action that applies all safe fixes of a file. Its edits take as long as those of all
/// diagnostics together.
enum class FixAll : uint8_t {
  LeftOut,
  Named,  ///< whether there is one, without its edits
  WithEdits,
};

}  // namespace tacet::ide
