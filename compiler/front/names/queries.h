#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/core/syntax/file_syntax.h"
#include "compiler/front/names/file_items.h"
#include "compiler/front/names/scope.h"
#include "compiler/front/names/workspace.h"

/// Services that the queries here use: `Interner` and `ItemTable`.
namespace tacet::names {

/// Input query: the files that there are.
struct WorkspaceInput {
  static constexpr std::string_view kName = "workspace";
  using Key = query::Unit;
  using Value = std::shared_ptr<const Workspace>;
  static auto absent(const Key&) -> Value;
};

/// Query: the items of a file, without positions.
struct ItemsOfFile {
  static constexpr std::string_view kName = "items_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const FileItems>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the tree of one item; an empty tree if the item no longer exists.
struct SyntaxOfItem {
  static constexpr std::string_view kName = "syntax_of_item";
  using Key = ItemId;
  using Value = ItemTree;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The part of an item in front of its body: what others may know of it.
struct ItemHead {
  ItemTree tree;
  /// How many nodes of the tree belong to the head. Nodes behind must not be read.
  uint32_t n_nodes = 0;
};

/// Query: the head of an item. An edit of a body ends here: heads are equal if their text is, so
/// what reads only them is not run again.
struct HeadOfItem {
  static constexpr std::string_view kName = "head_of_item";
  using Key = ItemId;
  using Value = ItemHead;
  static auto compute(query::Context& context, const Key& item) -> Value;
  static auto equal(const Value& a, const Value& b) -> bool;
};

/// Query: where an item's tree begins in its file. For those who report places.
struct BeginOfItem {
  static constexpr std::string_view kName = "begin_of_item";
  using Key = ItemId;
  using Value = uint32_t;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the names that a file declares.
struct ScopeOfFile {
  static constexpr std::string_view kName = "scope_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const FileScope>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// An `import` and the file it found, if any.
struct Import {
  ItemId item;
  Name name;
  FileId file;

  friend auto operator==(const Import&, const Import&) -> bool = default;
};

/// Query: the imports of a file.
struct ImportsOfFile {
  static constexpr std::string_view kName = "imports_of_file";
  using Key = FileId;
  using Value = std::vector<Import>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: a shortest path through imports from the file back to it, the file first and not again at
/// the end; empty if there is none.
struct ImportCycleOfFile {
  static constexpr std::string_view kName = "import_cycle_of_file";
  using Key = FileId;
  using Value = std::vector<FileId>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the names visible in a file.
struct ModuleScopeOfFile {
  static constexpr std::string_view kName = "module_scope";
  using Key = FileId;
  using Value = std::shared_ptr<const ModuleScope>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// A name as a file writes it.
struct NameInFile {
  FileId file;
  Name name;

  friend auto operator==(const NameInFile&, const NameInFile&) -> bool = default;
};

/// What a name means where it is not a local one.
struct NameMeanings {
  /// The items of that name that the file declares, then those of the modules it imports, each in
  /// the order of `FileScope`.
  std::vector<FileScope::Entry> entries;
  uint32_t n_own = 0;
  /// `ModuleScope::may_be_lost`.
  bool may_be_lost = false;

  /// `ModuleScope::find`.
  [[nodiscard]] auto find(Namespace space) const -> ItemId;
  friend auto operator==(const NameMeanings&, const NameMeanings&) -> bool = default;
};

/// Names that were interned in sequence, as a file sees them.
struct NamesTogether {
  static constexpr uint32_t kMost = 64;

  FileId file;
  uint32_t number = 0;  ///< the indices of the names, divided by `kMost`

  friend auto operator==(const NamesTogether&, const NamesTogether&) -> bool = default;
};

/// The part of a `ModuleScope` that concerns some names.
struct ScopePart {
  /// What the file declares, by name, and then what it imports, module by module.
  std::vector<FileScope::Entry> entries;
  size_t n_own = 0;
  std::vector<Name> lost_names;
  bool has_missing_import = false;

  friend auto operator==(const ScopePart&, const ScopePart&) -> bool = default;
};

/// Query: keeps changes of other names from those who look for one of these.
struct ScopePartOfFile {
  static constexpr std::string_view kName = "scope_part";
  using Key = NamesTogether;
  using Value = ScopePart;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

/// Query: what one name means. Who asks for the names that it uses, and not for
/// `ModuleScopeOfFile`, is not run again when items with other names come and go.
struct MeaningsOfName {
  static constexpr std::string_view kName = "meanings_of_name";
  using Key = NameInFile;
  using Value = NameMeanings;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

/// What `text` means in a file and `space`, or none.
auto find_name(query::Context& context, FileId file, Namespace space, std::string_view text)
    -> ItemId;

/// The sizes of an array program: the names that the shapes of its inputs mention, each once, in the
/// order of the text. Of an input: those of its own shape.
auto sizes_of_program(query::Context& context, ItemId item) -> std::vector<Name>;

/// Query: the class that an item is or is a member of; null for other items.
struct ClassOfItem {
  static constexpr std::string_view kName = "class_of_item";
  using Key = ItemId;
  using Value = std::shared_ptr<const EquivalenceClass>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The specifications that a function implements, each none if `impls` does not name one.
struct Implemented {
  ItemId val;
  ItemId tmln;
  ItemId sptl;

  friend auto operator==(const Implemented&, const Implemented&) -> bool = default;
};

/// Query: what the `impls` of a function means. Mistakes are reported with its body.
struct ImplementedBy {
  static constexpr std::string_view kName = "implemented_by";
  using Key = ItemId;
  using Value = Implemented;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The nodes that a tag may name: of a specification its parameters, definitions and results.
struct SpecificationNodes {
  std::vector<Name> names;  ///< sorted
  /// Not all of it could be read.
  bool is_broken = false;

  friend auto operator==(const SpecificationNodes&, const SpecificationNodes&) -> bool = default;
};

/// Query: the nodes of a specification. Is the same after an edit that renames none.
struct NodesOfSpecification {
  static constexpr std::string_view kName = "nodes_of_specification";
  using Key = ItemId;
  using Value = SpecificationNodes;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The constant in a literal such as `dimensions: 3`; nothing if it is not a number or too large.
auto parse_integer(std::string_view digits) -> std::optional<uint64_t>;

/// How many dimensions a head declares by `dimensions: n`, at most ten; 0 for other items.
auto declared_dims(const ItemHead& head) -> uint32_t;

}  // namespace tacet::names

template <>
struct std::hash<tacet::names::NamesTogether> {
  auto operator()(const tacet::names::NamesTogether& key) const noexcept -> size_t {
    return tacet::hash_combine(key.file.index, key.number);
  }
};

template <>
struct std::hash<tacet::names::NameInFile> {
  auto operator()(const tacet::names::NameInFile& key) const noexcept -> size_t {
    return tacet::hash_combine(key.file.index, key.name.index);
  }
};
