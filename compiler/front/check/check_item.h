#pragma once

#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/report.h"

namespace tacet::check {

/// Everything that is found out about one item.
struct CheckedItem {
  Body body;
  /// Names and types; syntax errors are not among them.
  std::vector<names::ItemDiagnostic> diagnostics;
};

/// Whether the facts about every node are wanted, or only the diagnostics.
enum class Facts : uint8_t { Drop, Keep };

/// Resolves the names of an item, infers its types and reports what is wrong with both.
/// O(size of the item), and what it reads of others. `constants` are asked before queries are.
auto check_item(query::Context& context, names::ItemId item, const syntax::Tree& tree, Facts facts,
                const ConstantTypes* constants = nullptr) -> CheckedItem;

}  // namespace tacet::check
