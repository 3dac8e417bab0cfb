#include "compiler/types/item_order.h"

#include <unordered_map>

namespace tacet::types {

using names::ItemId;
using syntax::Node;
using syntax::NodeKind;

namespace {

struct Entry {
  enum class Mark : uint8_t { New, Open, Done };

  ItemId item;
  std::vector<uint32_t> uses;
  Mark mark = Mark::New;
  bool is_cyclic = false;
};

auto read_entries(query::Context& context, FileId file, names::ItemKind kind)
    -> std::vector<Entry> {
  std::vector<Entry> entries;
  std::unordered_map<ItemId, uint32_t> places;
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    if (item.kind == kind) {
      places.emplace(item.id, static_cast<uint32_t>(entries.size()));
      entries.push_back({item.id, {}});
    }
  }
  const names::ModuleScope& scope = *context.get<names::ModuleScopeOfFile>(file);
  const auto& interner = context.service<Interner>();
  const names::Namespace space =
      kind == names::ItemKind::Type ? names::Namespace::Type : names::Namespace::Value;
  for (Entry& entry : entries) {
    const names::ItemHead& head = context.get<names::HeadOfItem>(entry.item);
    const Node root = names::item_node(*head.tree);
    const Node own_name = root ? names::item_name_node(root) : Node();
    for (uint32_t i = root ? root.index() + 1 : 0; i < root.subtree_end(); ++i) {
      const Node name(head.tree.get(), i);
      if (!name.is(NodeKind::Identifier) || name == own_name) {
        continue;
      }
      auto used = places.find(scope.find(space, interner.find(name.text())));
      if (used != places.end()) {
        entry.uses.push_back(used->second);
      }
    }
  }
  return entries;
}

}  // namespace

auto order_items(query::Context& context, FileId file, names::ItemKind kind) -> ItemOrder {
  std::vector<Entry> entries = read_entries(context, file, kind);
  ItemOrder order;
  struct Frame {
    uint32_t entry;
    uint32_t next_use;
  };
  std::vector<Frame> stack;
  for (uint32_t root = 0; root < entries.size(); ++root) {
    if (entries[root].mark != Entry::Mark::New) {
      continue;
    }
    entries[root].mark = Entry::Mark::Open;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      Entry& entry = entries[frame.entry];
      if (frame.next_use == entry.uses.size()) {
        entry.mark = Entry::Mark::Done;
        order.items.push_back(entry.item);
        order.is_cyclic.push_back(entry.is_cyclic);
        stack.pop_back();
        continue;
      }
      const uint32_t used = entry.uses[frame.next_use++];
      if (entries[used].mark == Entry::Mark::New) {
        entries[used].mark = Entry::Mark::Open;
        stack.push_back({used, 0});
      } else if (entries[used].mark == Entry::Mark::Open) {
        for (auto at = stack.rbegin(); at != stack.rend(); ++at) {
          entries[at->entry].is_cyclic = true;
          if (at->entry == used) {
            break;
          }
        }
      }
    }
  }
  return order;
}

}  // namespace tacet::types
