#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/views/he/plan.h"

/// Schedules as functions have them in their text, or have them left open.
namespace tacet::he_views {

/// The `schedule { … }` or `schedule ?` of a function, or null.
auto schedule_clause(syntax::Node function) -> syntax::Node;

/// The functions of a file with `schedule ?` for which there is something to be found, in the order
/// of the text.
auto open_schedules(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<names::ItemId>;

/// What writes `clause` into the text of a function, in the place of the one that it has; by
/// offsets in the file.
auto clause_edit(const program::FrontendSnapshot& snapshot, names::ItemId item,
                 const std::string& clause) -> TextEdit;

/// A clause as this program writes it, if the function can be laid out so. An error says why not,
/// or that the text is no clause: nothing of what is given is written unread.
auto checked_clause(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    const std::string& text) -> Result<std::string>;

/// How the program of an item would be laid out, whatever its clause says. Nothing if it is not an
/// array program, or the search was cancelled.
auto find_plan(const program::FrontendSnapshot& snapshot, names::ItemId item,
               const PlanOptions& options) -> std::optional<Plan>;

}  // namespace tacet::he_views
