#include "compiler/front/names/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <unordered_map>

#include "compiler/core/syntax/parser.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/instance.h"

namespace tacet::names {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto WorkspaceInput::absent(const Key&) -> Value {
  return std::make_shared<const Workspace>(std::vector<WorkspaceFile>{},
                                           std::vector<std::string>{});
}

auto ItemsOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto& interner = context.service<Interner>();
  const auto& workspace = context.get<WorkspaceInput>({});
  Name module_name = interner.intern(workspace->module_name(file));
  const auto& syntax = context.get<syntax::ParseFile>(file);
  const Value* old = context.previous<ItemsOfFile>();
  if (old != nullptr && has_same_items(**old, *syntax, interner)) {
    return *old;
  }
  return std::make_shared<const FileItems>(
      read_items(*syntax, file, module_name, interner, context.service<ItemTable>()));
}

/// `const n = 8`, as which the size of an instance is read.
static auto tree_of_size(const Interner& interner, const ItemTable& table, const ItemKey& size)
    -> ItemTree {
  const int64_t value = table[size.parent].sizes.at(size.ordinal);
  const std::string text = fmt::format("const {} = {}", interner.text(size.name), value);
  syntax::ParserMemory memory;
  return std::make_shared<const syntax::Tree>(
      syntax::parse_unit(text, syntax::Language::Module, memory));
}

auto SyntaxOfItem::compute(query::Context& context, const Key& item) -> Value {
  auto& table = context.service<ItemTable>();
  const ItemKey& key = table[item];
  if (is_instance(key)) {
    return context.get<SyntaxOfItem>(generic_of(table, item));
  }
  if (is_size(key)) {
    return tree_of_size(context.service<Interner>(), table, key);
  }
  const FileId file = key.file;
  const FileItem* found = context.get<ItemsOfFile>(file)->find(item);
  if (found == nullptr) {
    auto empty = std::make_shared<syntax::Tree>();
    empty->nodes.emplace_back().kind = NodeKind::SourceFile;
    return empty;
  }
  const syntax::Unit& unit = context.get<syntax::ParseFile>(file)->units[found->unit];
  return found->member == FileItem::kTopLevel ? unit.tree : member_tree(unit.item(), found->member);
}

auto BeginOfItem::compute(query::Context& context, const Key& item) -> Value {
  auto& table = context.service<ItemTable>();
  if (is_instance(table[item])) {
    return context.get<BeginOfItem>(generic_of(table, item));
  }
  const FileId file = table[item].file;
  const FileItem* found = context.get<ItemsOfFile>(file)->find(item);
  if (found == nullptr) {
    return 0;
  }
  const syntax::Unit& unit = context.get<syntax::ParseFile>(file)->units[found->unit];
  return found->member == FileItem::kTopLevel
             ? unit.begin
             : unit.begin + member_begin(unit.item(), found->member);
}

auto HeadOfItem::compute(query::Context& context, const Key& item) -> Value {
  const ItemTree& tree = context.get<SyntaxOfItem>(item);
  ItemHead head{tree, static_cast<uint32_t>(tree->nodes.size())};
  Node node = item_node(*tree);
  if (node && !node.is(NodeKind::InputDeclaration)) {
    if (Node body = node.child(Field::Body)) {
      head.n_nodes = body.index();
    }
  }
  if (context.service<ItemTable>()[item].kind == ItemKind::Program) {
    head.n_nodes = node ? node.index() : 1;
  }
  return head;
}

auto HeadOfItem::equal(const Value& a, const Value& b) -> bool {
  if (a.tree == b.tree) {
    return true;
  }
  if (a.n_nodes != b.n_nodes) {
    return false;
  }
  // The root and the item end where the body does: only what they are is part of the head.
  const uint32_t n_open = std::min<uint32_t>(a.n_nodes, 2);
  for (uint32_t i = 0; i < a.n_nodes; ++i) {
    const syntax::NodeData& x = a.tree->nodes[i];
    const syntax::NodeData& y = b.tree->nodes[i];
    const bool is_equal =
        i < n_open ? x.kind == y.kind && x.field == y.field && x.begin == y.begin : x == y;
    if (!is_equal) {
      return false;
    }
  }
  const size_t length = a.n_nodes <= n_open ? 0 : a.tree->nodes[a.n_nodes - 1].end;
  return a.tree->text.compare(0, length, b.tree->text, 0, length) == 0;
}

static void add_entries(const FileItem& item, std::vector<FileScope::Entry>& entries) {
  auto add = [&](Namespace space) { entries.push_back({item.name, space, item.id, item.kind}); };
  const bool is_member = item.member != FileItem::kTopLevel;
  switch (item.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      add(Namespace::Specification);
      if (!is_member) {
        add(Namespace::Class);
      }
      break;
    case ItemKind::Extern:
      add(Namespace::Specification);
      add(Namespace::Callable);
      add(Namespace::Class);
      break;
    case ItemKind::Feq:
      add(Namespace::Class);
      break;
    case ItemKind::Fn:
      add(Namespace::Callable);
      break;
    case ItemKind::Type:
      add(Namespace::Type);
      break;
    case ItemKind::Const:
      add(Namespace::Value);
      break;
    case ItemKind::Party:
      add(Namespace::Party);
      break;
    case ItemKind::Pipeline:
      add(Namespace::Pipeline);
      break;
    case ItemKind::Import:
    case ItemKind::Test:
    case ItemKind::Input:
    case ItemKind::Program:
      break;
  }
}

auto ScopeOfFile::compute(query::Context& context, const Key& file) -> Value {
  const auto& items = context.get<ItemsOfFile>(file);
  std::vector<FileScope::Entry> entries;
  entries.reserve(items->items.size() * 2);
  // A class goes before an extern member of its own name, wherever they stand.
  for (const FileItem& item : items->items) {
    if (item.name.has_value() && item.kind == ItemKind::Feq) {
      add_entries(item, entries);
    }
  }
  for (const FileItem& item : items->items) {
    if (item.name.has_value() && item.kind != ItemKind::Feq) {
      add_entries(item, entries);
    }
  }
  return std::make_shared<const FileScope>(std::move(entries), items->lost_names);
}

auto ImportsOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto& interner = context.service<Interner>();
  std::vector<Import> imports;
  for (const FileItem& item : context.get<ItemsOfFile>(file)->items) {
    if (item.kind != ItemKind::Import || !item.name.has_value()) {
      continue;
    }
    const auto& workspace = context.get<WorkspaceInput>({});
    auto found = workspace->find_module(file, interner.text(item.name));
    imports.push_back({item.id, item.name, found.value_or(FileId{})});
  }
  return imports;
}

auto ImportCycleOfFile::compute(query::Context& context, const Key& file) -> Value {
  if (context.get<ImportsOfFile>(file).empty()) {
    return {};
  }
  std::unordered_map<FileId, FileId> reached_from;
  std::deque<FileId> queue = {file};
  while (!queue.empty()) {
    const FileId at = queue.front();
    queue.pop_front();
    for (const Import& import : context.get<ImportsOfFile>(at)) {
      if (import.file == file) {
        std::vector<FileId> cycle = {at};
        while (cycle.back() != file) {
          cycle.push_back(reached_from[cycle.back()]);
        }
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (import.file.has_value() && reached_from.emplace(import.file, at).second) {
        queue.push_back(import.file);
      }
    }
  }
  return {};
}

auto ModuleScopeOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto scope = std::make_shared<ModuleScope>();
  scope->own = context.get<ScopeOfFile>(file);
  for (const Import& import : context.get<ImportsOfFile>(file)) {
    if (!import.file.has_value()) {
      scope->has_missing_import = true;
    } else if (import.file != file) {
      scope->imports.push_back({import.file, context.get<ScopeOfFile>(import.file)});
    }
  }
  return scope;
}

auto NameMeanings::find(Namespace space) const -> ItemId {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.space == space; });
  return found == entries.end() ? ItemId() : found->item;
}

auto ScopePartOfFile::compute(query::Context& context, const Key& key) -> Value {
  const ModuleScope& scope = *context.get<ModuleScopeOfFile>(key.file);
  const Name first{key.number * NamesTogether::kMost};
  Value part;
  const auto add = [&](const FileScope& from) {
    const auto found = from.find_from(first, NamesTogether::kMost);
    part.entries.insert(part.entries.end(), found.begin(), found.end());
    const auto lost = from.lost_from(first, NamesTogether::kMost);
    part.lost_names.insert(part.lost_names.end(), lost.begin(), lost.end());
  };
  add(*scope.own);
  part.n_own = part.entries.size();
  for (const ImportedScope& import : scope.imports) {
    add(*import.scope);
  }
  part.has_missing_import = scope.has_missing_import;
  return part;
}

auto MeaningsOfName::compute(query::Context& context, const Key& key) -> Value {
  const ScopePart& part =
      context.get<ScopePartOfFile>({key.file, key.name.index / NamesTogether::kMost});
  Value meanings;
  for (size_t i = 0; i < part.entries.size(); ++i) {
    if (part.entries[i].name == key.name) {
      meanings.entries.push_back(part.entries[i]);
      meanings.n_own += i < part.n_own ? 1 : 0;
    }
  }
  meanings.may_be_lost =
      part.has_missing_import ||
      std::find(part.lost_names.begin(), part.lost_names.end(), key.name) != part.lost_names.end();
  return meanings;
}

auto find_name(query::Context& context, FileId file, Namespace space, std::string_view text)
    -> ItemId {
  const Name name = context.service<Interner>().intern(text);
  return context.get<MeaningsOfName>({file, name}).find(space);
}

static void add_sizes_of_input(query::Context& context, ItemId input, std::vector<Name>& sizes) {
  const ItemTree& tree = context.get<SyntaxOfItem>(input);
  for (const Node node : syntax::subtree(item_node(*tree).child(Field::Shape))) {
    const Name name =
        node.is(NodeKind::Identifier) ? context.service<Interner>().intern(node.text()) : Name();
    if (name.has_value() && std::find(sizes.begin(), sizes.end(), name) == sizes.end()) {
      sizes.push_back(name);
    }
  }
}

auto sizes_of_program(query::Context& context, ItemId item) -> std::vector<Name> {
  const ItemKey& key = context.service<ItemTable>()[item];
  std::vector<Name> sizes;
  if (key.kind == ItemKind::Input) {
    add_sizes_of_input(context, item, sizes);
    return sizes;
  }
  for (const FileItem& input : context.get<ItemsOfFile>(key.file)->items) {
    if (input.kind == ItemKind::Input && input.name.has_value()) {
      add_sizes_of_input(context, input.id, sizes);
    }
  }
  return sizes;
}

auto parse_integer(std::string_view digits) -> std::optional<uint64_t> {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

auto declared_dims(const ItemHead& head) -> uint32_t {
  Node item = item_node(*head.tree);
  for (Node property : item.child(Field::Properties).children()) {
    if (property.is(NodeKind::ExternProperty) &&
        property.child(Field::Key).text() == "dimensions") {
      return static_cast<uint32_t>(
          std::min<uint64_t>(parse_integer(property.child(Field::Value).text()).value_or(0), 10));
    }
  }
  return 0;
}

auto ClassOfItem::compute(query::Context& context, const Key& item) -> Value {
  const ItemKey& key = context.service<ItemTable>()[item];
  auto result = std::make_shared<EquivalenceClass>();
  if (key.parent.has_value() && !is_size(key)) {
    return context.get<ClassOfItem>(key.parent);
  }
  if (key.kind == ItemKind::Feq) {
    result->item = item;
    const FileItems& items = *context.get<ItemsOfFile>(key.file);
    const FileItem* end = items.items.data() + items.items.size();
    for (const FileItem* at = items.find(item); at != nullptr && ++at != end;) {
      if (at->member == FileItem::kTopLevel) {
        break;
      }
      result->members.push_back(at->id);
    }
  } else if (is_specification(key.kind) || key.kind == ItemKind::Extern) {
    result->item = item;
    result->members = {item};
  } else {
    return nullptr;
  }
  for (ItemId member : result->members) {
    if (context.service<ItemTable>()[member].kind == ItemKind::Extern) {
      result->n_dims = std::max(result->n_dims, declared_dims(context.get<HeadOfItem>(member)));
    }
  }
  return result;
}

auto ImplementedBy::compute(query::Context& context, const Key& item) -> Value {
  Implemented result;
  const ItemHead& head = context.get<HeadOfItem>(item);
  Node implements = item_node(*head.tree).child(Field::Implements);
  if (!implements) {
    return result;
  }
  auto& table = context.service<ItemTable>();
  const FileId file = table[item].file;
  for (Node name : implements.children(Field::Specification)) {
    const ItemId found = find_name(context, file, Namespace::Specification, name.text());
    if (!found.has_value()) {
      continue;
    }
    const ItemKind kind = table[found].kind;
    ItemId& slot = kind == ItemKind::Tmln   ? result.tmln
                   : kind == ItemKind::Sptl ? result.sptl
                                            : result.val;
    if (!slot.has_value()) {
      slot = found;
    }
  }
  return result;
}

auto NodesOfSpecification::compute(query::Context& context, const Key& item) -> Value {
  auto& interner = context.service<Interner>();
  const ItemTree& tree = context.get<SyntaxOfItem>(item);
  Node root = item_node(*tree);
  Value nodes;
  nodes.is_broken = !tree->errors.empty();
  auto add = [&](Node list) {
    for (Node child : list.children()) {
      if (Node name = child.child(Field::Name)) {
        nodes.names.push_back(interner.intern(name.text()));
      }
    }
  };
  add(root.child(Field::Parameters));
  add(root.child(Field::Results));
  for (Node statement : root.child(Field::Body).children()) {
    add(statement);
  }
  std::sort(nodes.names.begin(), nodes.names.end());
  nodes.names.erase(std::unique(nodes.names.begin(), nodes.names.end()), nodes.names.end());
  return nodes;
}

}  // namespace tacet::names
