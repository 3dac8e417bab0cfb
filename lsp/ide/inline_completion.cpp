#include "lsp/ide/inline_completion.h"

#include <algorithm>
#include <array>

#include "lsp/ide/complete_ranked.h"
#include "lsp/ide/completion_site.h"
#include "lsp/ide/hole_fillings.h"

namespace tacet::ide {

using names::ItemKind;

/// The only specification of each kind that the list around the cursor lacks, the first of which
/// begins with `typed`; empty if that is not certain.
static auto missing_specifications(const program::FrontendSnapshot& snapshot, FileId file,
                                   const CompletionSite& site, std::string_view typed)
    -> std::string {
  ItemKind kind{};
  const syntax::Node item = site.item();
  if (!item || !names::item_kind(item.kind(), kind)) {
    return {};
  }
  const std::vector<ItemKind> used = used_kinds(snapshot, file, site, names::body_kind(item, kind));
  const auto visible = visible_entries(snapshot, file, names::Namespace::Specification);
  std::string names;
  for (const ItemKind wanted : std::array{ItemKind::Val, ItemKind::Tmln, ItemKind::Sptl}) {
    if (std::find(used.begin(), used.end(), wanted) != used.end()) {
      continue;
    }
    const auto is_wanted = [&](const auto& entry) { return entry.kind == wanted; };
    const auto only = std::find_if(visible.begin(), visible.end(), is_wanted);
    if (only == visible.end() || std::count_if(only, visible.end(), is_wanted) > 1) {
      return {};
    }
    names += names.empty() ? "" : ", ";
    names += snapshot.interner().text(only->name);
  }
  return names.starts_with(typed) && names != typed ? names : std::string();
}

/// Is there nothing more of a list on the line?
static auto is_list_end(std::string_view behind) -> bool {
  const size_t next = behind.find_first_not_of(" \t\r");
  return next == std::string_view::npos || behind[next] == '{' || behind[next] == '\n';
}

auto inline_completion(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<TextEdit> {
  if (const auto fillings = hole_fillings(snapshot, file, {offset, offset}); fillings) {
    if (fillings->candidates.empty() || fillings->hole.end != offset) {
      return std::nullopt;
    }
    const fill::Candidate& first = fillings->candidates.front();
    return TextEdit{first.replaced, first.text};
  }
  const auto text = snapshot.query().get<syntax::SourceText>(file).text;
  const auto syntax = snapshot.query().get<syntax::ParseFile>(file);
  const auto site = find_completion_site(*syntax, *text, offset);
  const bool is_at_end = site != nullptr && site->role == NameRole::Specification &&
                         site->word.end == offset &&
                         is_list_end(std::string_view(*text).substr(offset));
  if (!is_at_end) {
    return std::nullopt;
  }
  const std::string_view typed =
      std::string_view(*text).substr(site->typed.begin, site->typed.length());
  std::string names = missing_specifications(snapshot, file, *site, typed);
  return names.empty() ? std::nullopt : std::optional(TextEdit{site->typed, std::move(names)});
}

}  // namespace tacet::ide
