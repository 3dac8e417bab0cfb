#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/front/hir/hir.h"

namespace tacet::infer {

/// The edits that say by a tag that `value`, which stands at the syntax node `at`, is the node
/// `name`; nothing where there is a tag already or no place for one. Offsets count from the
/// beginning of `tree`.
auto tag_edits(const hir::Function& function, const syntax::Tree& tree, hir::ValueId value,
               uint32_t at, std::string_view name) -> std::optional<std::vector<TextEdit>>;

}  // namespace tacet::infer
