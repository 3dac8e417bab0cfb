#pragma once

#include <vector>

#include "compiler/query/database.h"
#include "linter/settings.h"

namespace tacet::linter {

/// What of the findings is wanted.
enum class Wanted : uint8_t {
  Everything,
  /// What makes a program wrong: for `tacet check`.
  Errors,
};

/// Whether fixes are wanted that have to be looked for.
enum class Fixes : bool { AsFound, All };

/// What rules find in a file, at the levels of `settings` and of comments, by offsets in the file,
/// in order. What is an error of the program itself is told at any level. With `Everything` also
/// the comments that change nothing.
auto lint_file(query::Context& context, FileId file, const Settings& settings,
               Wanted wanted = Wanted::Everything, Fixes fixes = Fixes::AsFound)
    -> std::vector<Diagnostic>;

}  // namespace tacet::linter
