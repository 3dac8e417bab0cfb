#include <fmt/format.h>

#include "compiler/spec/program/call_points.h"
#include "compiler/spec/program/call_swaps.h"
#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

void change_callee(const Selection& selection, std::vector<Action>& actions) {
  const program::FrontendSnapshot& snapshot = *selection.snapshot;
  if (selection.item.kind != names::ItemKind::Fn || !selection.item.name.has_value()) {
    return;
  }
  const auto name_of = [&](names::ItemId item) {
    return std::string(snapshot.interner().text(snapshot.item_key(item).name));
  };
  for (const program::CallPoint& point : *snapshot.get<program::CallPointsOf>(selection.item.id)) {
    const TextRange name = selection.node(point.node).range();
    if (name.begin > selection.range.begin || selection.range.end > name.end) {
      continue;
    }
    for (const names::ItemId other : point.others) {
      const program::CallSwap swap{name_of(selection.item.id), name_of(point.callee), point.number,
                                   name_of(other)};
      Result<std::vector<program::FileEdits>> edits =
          program::call_edits(snapshot, selection.file, {&swap, 1});
      if (edits && !edits->empty()) {
        actions.push_back(make_action(
            Action::Kind::Rewrite,
            fmt::format("call `{}` instead of `{}`", swap.other, swap.callee), std::move(edits->front().edits)));
      }
    }
  }
}

}  // namespace tacet::ide
