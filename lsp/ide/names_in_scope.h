#pragma once

#include <string_view>
#include <vector>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

enum class ScopedKind : uint8_t { Variable, Parameter, Size, Type };

/// A name that the text declares around the cursor.
struct ScopedName {
  std::string_view text;
  /// Where it is declared, in the tree of the site.
  syntax::Node declared;
  ScopedKind kind = ScopedKind::Variable;
};

/// The variables, parameters, sizes, types and nodes that the cursor sees, the nearest first,
/// shadowed ones left out. Of a specification those in front of the cursor: the others are in the
/// compiler's tables.
auto names_in_scope(const CompletionSite& site) -> std::vector<ScopedName>;

/// What was encoded in front of the cursor on the encoder of the statement around it.
auto encoded_names(const CompletionSite& site) -> std::vector<ScopedName>;

}  // namespace tacet::ide
