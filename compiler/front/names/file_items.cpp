#include "compiler/front/names/file_items.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "compiler/core/syntax/walk.h"

namespace tacet::names {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto FileItems::find(ItemId id) const -> const FileItem* {
  if (is_dense_) {
    const uint32_t place = id.index - first_id_;
    return place < by_id_.size() && by_id_[place] != FileItem::kTopLevel ? &items[by_id_[place]]
                                                                         : nullptr;
  }
  auto place = std::lower_bound(by_id_.begin(), by_id_.end(), id,
                                [&](uint32_t i, ItemId wanted) { return items[i].id < wanted; });
  return place != by_id_.end() && items[*place].id == id ? &items[*place] : nullptr;
}

void FileItems::index() {
  if (items.empty()) {
    return;
  }
  auto [first, last] = std::minmax_element(
      items.begin(), items.end(), [](const FileItem& a, const FileItem& b) { return a.id < b.id; });
  first_id_ = first->id.index;
  const size_t span = last->id.index - first_id_ + size_t{1};
  is_dense_ = span <= items.size() * 8 + 64;
  if (is_dense_) {
    by_id_.assign(span, FileItem::kTopLevel);
    for (uint32_t i = 0; i < items.size(); ++i) {
      by_id_[items[i].id.index - first_id_] = i;
    }
    return;
  }
  by_id_.resize(items.size());
  for (uint32_t i = 0; i < by_id_.size(); ++i) {
    by_id_[i] = i;
  }
  std::sort(by_id_.begin(), by_id_.end(),
            [&](uint32_t a, uint32_t b) { return items[a].id < items[b].id; });
}

auto item_kind(NodeKind node, ItemKind& kind) -> bool {
  struct Entry {
    NodeKind node;
    ItemKind kind;
  };
  static constexpr Entry kEntries[] = {
      {NodeKind::ValItem, ItemKind::Val},
      {NodeKind::TmlnItem, ItemKind::Tmln},
      {NodeKind::SptlItem, ItemKind::Sptl},
      {NodeKind::ExternItem, ItemKind::Extern},
      {NodeKind::FeqItem, ItemKind::Feq},
      {NodeKind::FnItem, ItemKind::Fn},
      {NodeKind::TypeItem, ItemKind::Type},
      {NodeKind::ConstItem, ItemKind::Const},
      {NodeKind::PartyItem, ItemKind::Party},
      {NodeKind::PipelineItem, ItemKind::Pipeline},
      {NodeKind::ImportItem, ItemKind::Import},
      {NodeKind::TestItem, ItemKind::Test},
      {NodeKind::InputDeclaration, ItemKind::Input},
  };
  const auto* found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [&](const Entry& entry) { return entry.node == node; });
  if (found == std::end(kEntries)) {
    return false;
  }
  kind = found->kind;
  return true;
}

auto item_node(const syntax::Tree& tree) -> Node {
  for (Node child : tree.root().children()) {
    if (!child.is(NodeKind::VersionHeader) && !child.is(NodeKind::Error)) {
      return child;
    }
  }
  return {};
}

auto item_name_node(Node item) -> Node {
  return item.child(Field::Name);
}

auto item_name_range(Node item) -> TextRange {
  if (const Node name = item_name_node(item)) {
    return name.range();
  }
  const auto children = item.children();
  return children.begin() == children.end() ? item.range() : (*children.begin()).range();
}

namespace {

/// How many items there were so far that are equal but for their ordinals. Open addressing in one
/// block: a file has thousands of items, most of which have no equals.
class EqualItems {
 public:
  explicit EqualItems(size_t n_items) : slots_(std::bit_ceil(2 * n_items + 2)) {}

  /// Counts one more, and says how many there were before.
  auto count(ItemKind kind, Name name, ItemId parent) -> uint32_t {
    if (2 * n_used_ >= slots_.size()) {
      grow();
    }
    Slot& slot = slot_of(kind, name, parent);
    if (slot.n == 0) {
      slot = {name, parent, kind, 0};
      ++n_used_;
    }
    return slot.n++;
  }

 private:
  struct Slot {
    Name name;
    ItemId parent;
    ItemKind kind{};
    uint32_t n = 0;  ///< 0: free
  };

  auto slot_of(ItemKind kind, Name name, ItemId parent) -> Slot& {
    uint64_t hash = hash_combine(static_cast<uint64_t>(kind), name.index);
    hash = hash_combine(hash, parent.index);
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.n == 0 || (slot.name == name && slot.parent == parent && slot.kind == kind)) {
        return slot;
      }
    }
  }

  void grow() {
    for (const Slot& slot : std::exchange(slots_, std::vector<Slot>(2 * slots_.size()))) {
      if (slot.n != 0) {
        slot_of(slot.kind, slot.name, slot.parent) = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  size_t n_used_ = 0;
};

/// Reads the heads of a file's units.
class ItemReader {
 public:
  ItemReader(FileId file, Name module_name, Interner& interner, ItemTable& table, size_t n_units)
      : file_(file),
        module_name_(module_name),
        interner_(interner),
        table_(table),
        equal_(n_units) {
    result_.items.reserve(n_units);
  }

  auto read(const syntax::FileSyntax& syntax) -> FileItems {
    is_module_ = syntax.language == syntax::Language::Module;
    for (uint32_t unit = 0; unit < syntax.units.size(); ++unit) {
      read_unit(*syntax.units[unit].tree, unit);
    }
    result_.n_units = static_cast<uint32_t>(syntax.units.size());
    std::sort(result_.lost_names.begin(), result_.lost_names.end());
    result_.lost_names.erase(std::unique(result_.lost_names.begin(), result_.lost_names.end()),
                             result_.lost_names.end());
    result_.index();
    result_.trees.reserve(syntax.units.size());
    for (const syntax::Unit& unit : syntax.units) {
      result_.trees.push_back(unit.tree);
    }
    return std::move(result_);
  }

 private:
  void read_unit(const syntax::Tree& tree, uint32_t unit) {
    for (Node child : tree.root().children()) {
      if (child.is(NodeKind::VersionHeader)) {
        return;
      }
      ItemKind kind{};
      if (item_kind(child.kind(), kind)) {
        ItemId id = add(child, kind, unit, FileItem::kTopLevel, {});
        if (kind == ItemKind::Feq) {
          read_members(child, unit, id);
        }
        return;
      }
      if (is_module_ || child.is(NodeKind::Error)) {
        note_lost_names(child);
      } else {
        add(child, ItemKind::Program, unit, FileItem::kTopLevel, {});
        return;
      }
    }
  }

  void read_members(Node feq, uint32_t unit, ItemId parent) {
    uint32_t member = 0;
    for (Node child : feq.children()) {
      ItemKind kind{};
      if (child.field() == Field::Member && item_kind(child.kind(), kind)) {
        add(child, kind, unit, member++, parent);
      } else if (child.is(NodeKind::Error)) {
        note_lost_names(child);
      }
    }
  }

  auto add(Node node, ItemKind kind, uint32_t unit, uint32_t member, ItemId parent) -> ItemId {
    Name name;
    if (kind == ItemKind::Program) {
      name = module_name_;
    } else if (std::string_view text = item_name_node(node).text(); !text.empty()) {
      name = interner_.intern(text);
    }
    ItemKey key{.file = file_, .kind = kind, .name = name, .parent = parent};
    key.ordinal = equal_.count(kind, name, parent);
    ItemId id = table_.intern(key);
    result_.items.push_back({id, kind, name, unit, member});
    return id;
  }

  void note_lost_names(Node node) {
    for (Node name : subtree(node)) {
      if (name.is(NodeKind::Identifier)) {
        result_.lost_names.push_back(interner_.intern(name.text()));
      }
    }
  }

  FileId file_;
  Name module_name_;
  Interner& interner_;
  ItemTable& table_;
  bool is_module_ = true;
  FileItems result_;
  EqualItems equal_;
};

}  // namespace

/// Does a unit declare the items from `*item` on, up to the next unit?
static auto has_items(const syntax::Tree& tree, uint32_t unit, const Interner& interner,
                      const FileItem*& item, const FileItem* end) -> bool {
  auto is_next = [&](Node node, ItemKind kind) {
    const std::string_view name = item_name_node(node).text();
    // A name that was never seen is found as none: it is not that of a nameless item.
    const bool is_same = item != end && item->unit == unit && item->kind == kind &&
                         item->name.has_value() == !name.empty() &&
                         (name.empty() || item->name == interner.find(name));
    item += is_same ? 1 : 0;
    return is_same;
  };
  for (Node child : tree.root().children()) {
    ItemKind kind{};
    if (!item_kind(child.kind(), kind)) {
      return false;  // a version, an error or a result: read everything
    }
    if (!is_next(child, kind)) {
      return false;
    }
    if (kind != ItemKind::Feq) {
      break;
    }
    for (Node member : child.children()) {
      if (member.is(NodeKind::Error)) {
        return false;
      }
      if (member.field() == Field::Member) {
        ItemKind member_kind{};
        if (!item_kind(member.kind(), member_kind) || !is_next(member, member_kind)) {
          return false;
        }
      }
    }
    break;
  }
  return item == end || item->unit != unit;
}

auto has_same_items(const FileItems& old, const syntax::FileSyntax& syntax,
                    const Interner& interner) -> bool {
  // Lost names are not known unit by unit.
  if (old.trees.size() != syntax.units.size() || !old.lost_names.empty()) {
    return false;
  }
  const FileItem* begin = old.items.data();
  const FileItem* end = begin + old.items.size();
  for (uint32_t unit = 0; unit < syntax.units.size(); ++unit) {
    if (old.trees[unit] == syntax.units[unit].tree) {
      continue;
    }
    const FileItem* item = std::lower_bound(
        begin, end, unit,
        [](const FileItem& known, uint32_t wanted) { return known.unit < wanted; });
    if (!has_items(*syntax.units[unit].tree, unit, interner, item, end)) {
      return false;
    }
  }
  return true;
}

auto read_items(const syntax::FileSyntax& syntax, FileId file, Name module_name, Interner& interner,
                ItemTable& table) -> FileItems {
  return ItemReader(file, module_name, interner, table, syntax.units.size()).read(syntax);
}

auto member_begin(Node feq, uint32_t member) -> uint32_t {
  uint32_t begin = feq.range().begin;
  uint32_t n = 0;
  for (Node child : feq.children()) {
    if (child.field() == Field::Member && n++ == member) {
      return begin;
    }
    begin = child.range().end;
  }
  return begin;
}

auto member_tree(Node feq, uint32_t member) -> ItemTree {
  const syntax::Tree& unit = *feq.tree();
  const uint32_t begin = member_begin(feq, member);
  auto tree = std::make_shared<syntax::Tree>();
  uint32_t n = 0;
  for (Node child : feq.children()) {
    if (child.field() != Field::Member || n++ != member) {
      continue;
    }
    const uint32_t end = child.range().end;
    tree->text = unit.text.substr(begin, end - begin);
    tree->nodes.reserve(child.subtree_end() - child.index() + 1);
    tree->nodes.push_back({NodeKind::SourceFile, Field::None,
                           child.subtree_end() - child.index() + 1, child.range().begin - begin,
                           end - begin});
    for (uint32_t i = child.index(); i < child.subtree_end(); ++i) {
      syntax::NodeData data = unit.nodes[i];
      data.begin -= begin;
      data.end -= begin;
      tree->nodes.push_back(data);
    }
    for (const syntax::Comment& comment : unit.comments) {
      if (begin <= comment.range.begin && comment.range.end <= end) {
        tree->comments.push_back(
            {comment.kind, {comment.range.begin - begin, comment.range.end - begin}});
      }
    }
    for (const syntax::SyntaxError& error : unit.errors) {
      if (TextRange place = error.place.range; begin <= place.begin && place.end <= end) {
        tree->errors.push_back(error);
        tree->errors.back().place.range = {place.begin - begin, place.end - begin};
      }
    }
    break;
  }
  return tree;
}

}  // namespace tacet::names
