#pragma once

#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Call hierarchy
///
/// Who names a function, specification or class in its text, and what is named there. The callers
/// of a class are those of its kind; its members are the items inside of the braces.
auto hierarchy_item(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<HierarchyItem>;
/// `places` are in the files of those that call.
auto incoming_calls(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Call>;
/// `places` are in `file`.
auto outgoing_calls(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Call>;

/// Feature: Type hierarchy
///
/// Above a function stand the specifications that it implements, above what is in a class the
/// class; below a specification what implements it, below a class its members.
auto above_in_hierarchy(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<HierarchyItem>;
auto below_in_hierarchy(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<HierarchyItem>;

}  // namespace tacet::ide
