#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// A form of the language with places to fill in.
struct Snippet {
  std::string_view keyword;  ///< what is typed for it
  std::string_view shape;    ///< what is shown of it, on one line
  std::string_view text;     ///< as LSP writes snippets; lines are indented by four
};

/// The forms that begin with `keyword` and parse where the cursor is, whatever follows it.
auto fitting_snippets(const CompletionSite& site, const std::vector<std::string_view>& keywords)
    -> std::vector<Snippet>;

/// All forms that there are.
auto all_snippets() -> std::span<const Snippet>;

/// The text of a snippet with its places as they are: `${1:name}` becomes `name`.
auto snippet_as_text(std::string_view snippet) -> std::string;

}  // namespace tacet::ide
