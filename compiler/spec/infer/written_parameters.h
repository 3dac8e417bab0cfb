#pragma once

#include <vector>

#include "compiler/front/hir/build.h"

namespace tacet::infer {

/// Query: through which of its reference parameters a function may write, by port. Passing one on
/// counts as writing. Empty for items without a body.
struct WrittenParametersOf {
  static constexpr std::string_view kName = "written_parameters";
  using Key = names::ItemId;
  using Value = std::vector<bool>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// May the call in front of `written` have changed what the place of `written` holds?
auto writes_through(query::Context& context, const hir::Instruction& written) -> bool;

}  // namespace tacet::infer
