#pragma once

#include <memory>
#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "compiler/front/names/item.h"

namespace tacet::names {

/// One item of a file and where its tree is.
struct FileItem {
  static constexpr uint32_t kTopLevel = 0xffffffff;

  ItemId id;
  ItemKind kind = ItemKind::Val;
  Name name;
  /// The unit of the file that holds it.
  uint32_t unit = 0;
  /// For members of a `feq`: the how-manieth member, from 0.
  uint32_t member = kTopLevel;

  friend auto operator==(const FileItem&, const FileItem&) -> bool = default;
};

/// The items of a file in the order of the text, a `feq` before its members. Says nothing about
/// positions or bodies, so that only edits of heads change it.
struct FileItems {
  std::vector<FileItem> items;
  uint32_t n_units = 0;
  /// The names in parts of the file that could not be read as items, sorted.
  std::vector<Name> lost_names;

  [[nodiscard]] auto find(ItemId id) const -> const FileItem*;

  friend auto operator==(const FileItems& a, const FileItems& b) -> bool {
    return a.items == b.items && a.n_units == b.n_units && a.lost_names == b.lost_names;
  }

  /// Makes `find` work, once `items` is complete.
  void index();

  /// The trees that were read, by unit, as long as they are what the items were read from: a file
  /// whose other units have the same items need not be read again.
  std::vector<std::shared_ptr<const syntax::Tree>> trees;

 private:
  /// The indices of `items` in the order of their ids; or, where ids are dense, by id.
  std::vector<uint32_t> by_id_;
  uint32_t first_id_ = 0;
  bool is_dense_ = false;
};

/// True if reading `syntax` would give the very items of `old`, which is found out by reading the
/// units that changed. May say no where the answer is yes.
auto has_same_items(const FileItems& old, const syntax::FileSyntax& syntax,
                    const Interner& interner) -> bool;

/// Reads the heads of a file's units. O(units), bodies are not read.
auto read_items(const syntax::FileSyntax& syntax, FileId file, Name module_name, Interner& interner,
                ItemTable& table) -> FileItems;

/// The syntax of one item: a tree whose root holds this item alone. Offsets count from the
/// beginning of the item's unit or, for a member of a `feq`, of the member.
using ItemTree = std::shared_ptr<const syntax::Tree>;

/// A tree of its own for the `member`th member of a `feq`. O(size of the `feq`).
auto member_tree(syntax::Node feq, uint32_t member) -> ItemTree;
/// Where that tree begins in the tree of the `feq`: behind the token before the member, so that
/// its comments are in it.
auto member_begin(syntax::Node feq, uint32_t member) -> uint32_t;

/// The node of the item in its tree (`val_item`, …); null if the text has none.
auto item_node(const syntax::Tree& tree) -> syntax::Node;

/// The kind of item that a node declares; false if it declares none.
auto item_kind(syntax::NodeKind node, ItemKind& kind) -> bool;

/// The node that holds an item's name, or null.
auto item_name_node(syntax::Node item) -> syntax::Node;

/// Where messages point to an item: its name, or what it begins with if it has none. Never where
/// it ends, which is not of the head: who reads only heads is not asked again when that moves.
auto item_name_range(syntax::Node item) -> TextRange;

}  // namespace tacet::names
