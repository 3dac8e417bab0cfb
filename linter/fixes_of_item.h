#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

namespace tacet::linter {

/// The fix of a finding that writes the oblivious source, or why there is none; neither where none
/// is looked for.
using FixOfFinding = std::variant<std::monostate, Fix, std::string>;

/// Query: the fixes of an item's findings, by their numbers in `FindingsOfItem` and by offsets in
/// the item's tree. They take longer than the findings, so nobody asks before somebody wants to see
/// them.
struct FixesOfItem {
  static constexpr std::string_view kName = "fixes_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<FixOfFinding>>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Is a fix searched for where `code` is found and has none yet?
auto has_fix_to_find(DiagnosticCode code) -> bool;

}  // namespace tacet::linter
