#pragma once

#include <string>
#include <vector>

#include "compiler/syntax/tree.h"
#include "linter/settings.h"

namespace tacet::linter {

/// `// tacet: allow(T5001, secret-read) reason`: another level for what is found in some lines.
struct Suppression {
  Level level = Level::Allow;
  std::vector<DiagnosticCode> codes{};
  TextRange place{};    ///< of the comment
  TextRange removed{};  ///< what to take away with it: its line if it is alone there
  TextRange scope{};    ///< where findings begin that it is about
  /// Why it means nothing; empty if it does.
  std::string problem{};

  friend auto operator==(const Suppression&, const Suppression&) -> bool = default;
};

/// The comments of an item that are suppressions, by offsets in its tree. Behind code one is about
/// its line; alone on a line it is about the next line with code, or about all of the item if it
/// stands in front of that.
auto find_suppressions(const syntax::Tree& tree) -> std::vector<Suppression>;

}  // namespace tacet::linter
