#pragma once

#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/file_items.h"
#include "linter/rules/module.h"

namespace tacet::linter {

/// What rules about modules find in a file whose items have no mistakes. Asks `AdviceOfItem` for
/// what they mention.
auto lint_module(query::Context& context, FileId file, const names::FileItems& items)
    -> std::vector<ModuleFindings::Entry>;

}  // namespace tacet::linter
