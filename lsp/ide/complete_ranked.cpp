#include "lsp/ide/complete_ranked.h"

#include <algorithm>
#include <iterator>

#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::ide {

using names::ItemKind;
using names::Namespace;
using syntax::Node;
using syntax::NodeKind;

auto visible_entries(const program::FrontendSnapshot& snapshot, FileId file, Namespace space)
    -> std::vector<names::FileScope::Entry> {
  std::vector<names::FileScope::Entry> found;
  const auto scope = snapshot.query().get<names::ModuleScopeOfFile>(file);
  const auto add = [&](const names::FileScope& one) {
    std::copy_if(one.entries().begin(), one.entries().end(), std::back_inserter(found),
                 [&](const auto& entry) { return entry.space == space; });
  };
  add(*scope->own);
  for (const names::ImportedScope& import : scope->imports) {
    add(*import.scope);
  }
  return found;
}

auto used_kinds(const program::FrontendSnapshot& snapshot, FileId file, const CompletionSite& site,
                names::BodyKind body) -> std::vector<ItemKind> {
  std::vector<ItemKind> used;
  if (body == names::BodyKind::Device) {
    used = {ItemKind::Tmln, ItemKind::Sptl};
  }
  const Node list = site.path[site.path.size() - 2];
  for (const Node name : list.children()) {
    if (!name.is(NodeKind::Identifier) || name == site.path.back()) {
      continue;
    }
    const names::ItemId item = snapshot.find(file, Namespace::Specification, name.text());
    if (item.has_value()) {
      used.push_back(snapshot.item_key(item).kind);
    }
  }
  return used;
}

void add_specifications(const program::FrontendSnapshot& snapshot, FileId file,
                        const CompletionSite& site, names::BodyKind body,
                        CompletionCandidates& candidates) {
  const std::vector<ItemKind> used = used_kinds(snapshot, file, site, body);
  for (const names::FileScope::Entry& entry :
       visible_entries(snapshot, file, Namespace::Specification)) {
    const bool is_used = std::find(used.begin(), used.end(), entry.kind) != used.end();
    candidates.add_ranked_item(entry.item, snapshot.interner().text(entry.name),
                               Documented::in(Namespace::Specification),
                               is_used ? Fit::Other : Fit::Same, static_cast<uint32_t>(entry.kind));
  }
}

void add_secret_types(const program::FrontendSnapshot& snapshot, FileId file, names::ItemId around,
                      CompletionCandidates& candidates) {
  for (const names::FileScope::Entry& entry : visible_entries(snapshot, file, Namespace::Type)) {
    const types::TypeId type = snapshot.get<types::TypeOfAlias>(entry.item);
    if (entry.item != around && snapshot.types()[type].kind == types::TypeKind::Value) {
      candidates.add_ranked_item(entry.item, snapshot.interner().text(entry.name),
                                 Documented::in(Namespace::Type), Fit::Same, 0);
    }
  }
}

}  // namespace tacet::ide
