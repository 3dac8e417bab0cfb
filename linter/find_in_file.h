#pragma once

#include <cstdint>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"
#include "linter/settings.h"

namespace tacet::linter {

/// What of the findings is wanted.
enum class Wanted : uint8_t {
  Everything,
  /// What makes a program wrong, and findings of the rules that are `is_checked`: for `tacet
  /// check`.
  Errors,
};

/// A finding by offsets in its file, and where it comes from.
struct FoundInFile {
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  Diagnostic diagnostic;
  names::ItemId item{};
  /// Its number in `FindingsOfItem`, where a fix has to be looked for; else `kNoNumber`.
  uint32_t number = kNoNumber;
};

/// What rules find in a file, in no order, at the levels of `settings` and of comments. Fixes that
/// have to be looked for are not there yet: `add_fix` adds them.
auto find_in_file(query::Context& context, FileId file, const Settings& settings, Wanted wanted)
    -> std::vector<FoundInFile>;

/// Does `find_in_file` ask for `AdviceOfItem`?
auto wants_advice(query::Context& context, FileId file, const Settings& settings, Wanted wanted)
    -> bool;

/// Adds the fix of a finding, or a note that says why there is none, if one has to be looked for.
void add_fix(query::Context& context, FoundInFile& finding);

}  // namespace tacet::linter
