#pragma once

#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/transform_expr.h"
#include "compiler/device/oblivious/writer.h"

/// Secret regions (`kernel::SecretRegion`): making them of statements, and taking them apart.
namespace tacet::oblivious {

/// Renames what the statements of a block, and those inside of them, read and write.
void rename_in(kernel::Kernel& kernel, const kernel::Block& block, const Renames& renames);

/// Closes statements of a kernel against what is around them: what they use of the outside becomes
/// ports, with variables of the region's own.
///
/// A variable that the statements may read before they have assigned all of it is an input; one
/// that they write is an output; what is used nowhere else stays inside. `total` counts all
/// occurrences in the kernel, of parameters one more. O(size of the statements · variables).
auto capture(Writer& writer, kernel::Block body, const OccurrenceCounts& total)
    -> kernel::StatementId;

/// Occurrences in all of a kernel, as `capture` needs them.
auto count_all(const kernel::Kernel& kernel) -> OccurrenceCounts;

/// The statements of a region in the variables of the outside: the region without its border.
auto inlined(Writer& writer, const kernel::SecretRegion& region) -> kernel::Block;

/// Calls `visit(block, position)` for every region in `block` and inside of its statements, from
/// the last to the first; `visit` may replace the statement at `position` by others.
template <class Visit>
void for_each_region(kernel::Kernel& kernel, kernel::Block& block, const Visit& visit) {
  for (size_t i = block.size(); i-- > 0;) {
    if (std::holds_alternative<kernel::SecretRegion>(kernel.statements[block[i]].node)) {
      visit(block, i);
      continue;
    }
    replace_blocks(kernel, block[i], [&](kernel::Block inner) {
      for_each_region(kernel, inner, visit);
      return inner;
    });
  }
}

}  // namespace tacet::oblivious
