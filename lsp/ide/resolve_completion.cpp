#include <fmt/format.h>

#include "compiler/front/names/queries.h"
#include "lsp/ide/complete.h"
#include "lsp/ide/complete_imports.h"
#include "lsp/ide/completion_candidates.h"
#include "lsp/ide/keyword_documentation.h"

namespace tacet::ide {

using names::Namespace;

auto resolve_completion(const program::FrontendSnapshot& snapshot, FileId file,
                        std::string_view documented) -> ResolvedCompletion {
  std::string_view name;
  std::string_view module;
  const Documented what = Documented::parse(documented, name, module);
  ResolvedCompletion resolved;
  if (what.is_keyword()) {
    resolved.documentation = keyword_documentation(name);
    return resolved;
  }
  if (names::Builtin builtin{}; what.is_builtin() && names::find_builtin(name, builtin)) {
    resolved.documentation = names::builtin_documentation(builtin);
    return resolved;
  }
  const auto space = what.space();
  if (!space) {
    return resolved;
  }
  FileId from = file;
  if (!module.empty()) {
    from = snapshot.get<names::WorkspaceInput>({})->find_module(file, module).value_or(FileId{});
  }
  const names::ItemId item = from.has_value() ? snapshot.find(from, *space, name) : names::ItemId{};
  if (!item.has_value()) {
    return resolved;
  }
  resolved.documentation = snapshot.documentation(item);
  if (!module.empty()) {
    const auto text = snapshot.query().get<syntax::SourceText>(file).text;
    resolved.detail = fmt::format("{} (import {})", snapshot.describe(item), module);
    resolved.edits.push_back(
        import_edit(*snapshot.query().get<syntax::ParseFile>(file), *text, module));
  }
  return resolved;
}

}  // namespace tacet::ide
