#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// The keywords that the grammar takes at the cursor, of those that `is_wanted`, in alphabetical
/// order. Found by asking: each is put there and parsed, behind only as much of the text as
/// matters to the place.
auto fitting_keywords(const CompletionSite& site,
                      const std::function<bool(std::string_view)>& is_wanted)
    -> std::vector<std::string_view>;

}  // namespace tacet::ide
