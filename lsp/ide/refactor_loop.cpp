#include "compiler/device/kernel/lower.h"
#include "linter/rewrite_fix.h"
#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using syntax::Node;
using syntax::NodeKind;

/// The `for` statement whose keyword is selected, or that is selected itself; null if there is
/// none.
static auto selected_loop(const Selection& selection) -> Node {
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const Node node = selection.node(i);
    if (!node.is(NodeKind::ForStatement)) {
      continue;
    }
    constexpr uint32_t kKeyword = 3;
    const TextRange keyword{node.range().begin, node.range().begin + kKeyword};
    if (keyword.contains(selection.range) || node.range() == selection.range) {
      return node;
    }
  }
  return {};
}

void combine_loop(const Selection& selection, std::vector<Action>& actions) {
  const Node loop = selected_loop(selection);
  if (!loop || !selection.snapshot->can_be_lowered(selection.item.id)) {
    return;
  }
  const kernel::Lowering lowering =
      kernel::lower(*selection.snapshot, selection.item.id, kernel::Places::InItems);
  if (!lowering.kernel || lowering.kernel->device != names::Device::Mpc) {
    return;
  }
  const FileId own{selection.item.id.index};  // places name items
  const linter::FixOrReason found =
      linter::combined_loop_fix(*lowering.kernel, {own, loop.range()}, *selection.tree);
  if (const auto* fix = std::get_if<Fix>(&found)) {
    std::vector<TextEdit> edits;
    for (const TextEdit& edit : fix->edits) {
      edits.push_back(selection.edit(edit.range, edit.new_text));
    }
    actions.push_back(make_action(Action::Kind::Rewrite, fix->title, std::move(edits)));
  }
}

}  // namespace tacet::ide
