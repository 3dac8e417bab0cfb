#pragma once

#include <string>
#include <string_view>

namespace tacet::lsp {

/// A picture of what a run took its time for: of parties by the instructions in `trace` (the Chrome
/// format of `tacet run --trace`), else by the phases in `stats` (the object of `tacet run
/// --stats`). Empty if neither says anything.
auto run_timeline(std::string_view stats, std::string_view trace) -> std::string;

}  // namespace tacet::lsp
