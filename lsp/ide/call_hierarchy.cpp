#include "lsp/ide/call_hierarchy.h"

#include <algorithm>

#include "compiler/spec/program/implementations.h"
#include "compiler/spec/program/references.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/goto_implementation.h"

namespace tacet::ide {

using names::ItemId;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Whether it calls something or can be called.
static auto takes_part(ItemKind kind) -> bool {
  switch (kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
    case ItemKind::Extern:
    case ItemKind::Feq:
    case ItemKind::Fn:
    case ItemKind::Pipeline:
    case ItemKind::Test:
      return true;
    case ItemKind::Type:
    case ItemKind::Const:
    case ItemKind::Party:
    case ItemKind::Import:
    case ItemKind::Input:
    case ItemKind::Program:
      break;
  }
  return false;
}

static auto find_symbol(const std::vector<Symbol>& symbols, TextRange range) -> const Symbol* {
  for (const Symbol& symbol : symbols) {
    if (symbol.range == range) {
      return &symbol;
    }
    if (const Symbol* found = find_symbol(symbol.children, range)) {
      return found;
    }
  }
  return nullptr;
}

static auto item_of(query::Context& context, ItemId item) -> std::optional<HierarchyItem> {
  const names::ItemKey& key = context.service<names::ItemTable>()[item];
  if (!takes_part(key.kind)) {
    return std::nullopt;
  }
  const Definition place = definition_of(context, item);
  const std::vector<Symbol> symbols = document_symbols(*context.get<syntax::ParseFile>(place.file));
  const Symbol* symbol = find_symbol(symbols, place.full);
  if (symbol == nullptr) {
    return std::nullopt;
  }
  HierarchyItem found{place.file, *symbol};
  found.symbol.children.clear();
  return found;
}

/// The item that the name at a place means.
static auto meant_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> ItemId {
  const auto entity = snapshot.entity_at(file, offset);
  return entity ? entity->item : ItemId();
}

/// Whether the name is that of what is run.
static auto is_call(const program::Entity& entity) -> bool {
  const Node name(entity.tree.get(), entity.node);
  return name.field() == Field::Function || name.field() == Field::Entry;
}

namespace {

/// Calls by who is at their other end, in the order in which they were first met.
class Calls {
 public:
  void add(ItemId item, TextRange place) {
    auto found = std::find_if(ends_.begin(), ends_.end(),
                              [&](const auto& end) { return end.first == item; });
    if (found == ends_.end()) {
      found = ends_.insert(ends_.end(), {item, {}});
    }
    found->second.push_back(place);
  }

  auto take(query::Context& context) -> std::vector<Call> {
    std::vector<Call> calls;
    for (auto& [item, places] : ends_) {
      if (auto other = item_of(context, item)) {
        calls.push_back({std::move(*other), std::move(places)});
      }
    }
    return calls;
  }

 private:
  std::vector<std::pair<ItemId, std::vector<TextRange>>> ends_;
};

}  // namespace

auto hierarchy_item(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<HierarchyItem> {
  const ItemId item = meant_at(snapshot, file, offset);
  if (!item.has_value()) {
    return std::nullopt;
  }
  return snapshot.query().run([&](query::Context& context) { return item_of(context, item); });
}

auto incoming_calls(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Call> {
  const ItemId target = meant_at(snapshot, file, offset);
  if (!target.has_value()) {
    return {};
  }
  const auto references = snapshot.query().run([&](query::Context& context) {
    return program::references_to(context, {target}, program::ReferenceScope::AllFiles, file);
  });
  Calls calls;
  for (const program::Reference& reference : references) {
    const auto entity = snapshot.entity_at(reference.place.file, reference.place.range.begin);
    if (entity && is_call(*entity)) {
      calls.add(entity->in_item, reference.place.range);
    }
  }
  return snapshot.query().run([&](query::Context& context) { return calls.take(context); });
}

auto outgoing_calls(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Call> {
  const ItemId caller = meant_at(snapshot, file, offset);
  if (!caller.has_value()) {
    return {};
  }
  const names::ItemTree tree = snapshot.tree(caller);
  const uint32_t begin = snapshot.item_begin(caller);
  const FileId of = snapshot.item_key(caller).file;
  Calls calls;
  for (const syntax::NodeData& node : tree->nodes) {
    const bool is_called = node.field == Field::Function || node.field == Field::Entry;
    if (!is_called || node.kind != NodeKind::Identifier) {
      continue;
    }
    const auto entity = snapshot.entity_at(of, node.begin + begin);
    if (entity && entity->in_item == caller && entity->item.has_value()) {
      calls.add(entity->item, TextRange{node.begin, node.end}.shifted(begin));
    }
  }
  return snapshot.query().run([&](query::Context& context) { return calls.take(context); });
}

static auto items_of(query::Context& context, const std::vector<ItemId>& items)
    -> std::vector<HierarchyItem> {
  std::vector<HierarchyItem> found;
  for (ItemId item : items) {
    if (auto one = item_of(context, item)) {
      found.push_back(std::move(*one));
    }
  }
  return found;
}

auto above_in_hierarchy(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<HierarchyItem> {
  const ItemId item = meant_at(snapshot, file, offset);
  if (!item.has_value()) {
    return {};
  }
  return snapshot.query().run([&](query::Context& context) {
    const ItemId parent = context.service<names::ItemTable>()[item].parent;
    return items_of(context, parent.has_value() ? std::vector<ItemId>{parent}
                                                : program::specifications_of(context, item));
  });
}

auto below_in_hierarchy(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<HierarchyItem> {
  const ItemId item = meant_at(snapshot, file, offset);
  if (!item.has_value()) {
    return {};
  }
  return snapshot.query().run([&](query::Context& context) -> std::vector<HierarchyItem> {
    const names::ItemKey& key = context.service<names::ItemTable>()[item];
    if (key.kind == ItemKind::Feq) {
      return items_of(context, context.get<names::ClassOfItem>(item)->members);
    }
    if (!names::is_specification(key.kind)) {
      return {};
    }
    std::vector<ItemId> below = program::implementations_of(context, item);
    std::erase(below, item);
    return items_of(context, below);
  });
}

}  // namespace tacet::ide
