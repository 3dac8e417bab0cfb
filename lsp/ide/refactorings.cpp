#include "lsp/ide/refactorings.h"

#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

auto refactorings(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::vector<Action> {
  std::vector<Action> actions;
  for (const Selection& selection : find_selections(snapshot, file, range)) {
    split_class(selection, actions);
    change_callee(selection, actions);
    change_visibility(selection, actions);
    write_types(selection, actions);
    if (draws(selection)) {
      continue;  // where a draw is in the text says what is drawn
    }
    extract_variable(selection, actions);
    extract_function(selection, actions);
    extract_specification(selection, actions);
    inline_variable(selection, actions);
    inline_call(selection, actions);
    combine_loop(selection, actions);
  }
  return actions;
}

}  // namespace tacet::ide
