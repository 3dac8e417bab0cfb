#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// The maps of names that do not clash with one another.
enum class Namespace : uint8_t {
  Class,          ///< what specifications call: `feq`s, single specifications, externs
  Specification,  ///< what `impls` lists
  Callable,       ///< what schedules call: functions and externs
  Type,
  Value,  ///< constants
  Party,
  Pipeline,
};
inline constexpr uint32_t kNamespaces = 7;

/// The names that one file declares.
class FileScope {
 public:
  struct Entry {
    Name name;
    Namespace space = Namespace::Class;
    ItemId item = {};
    ItemKind kind = ItemKind::Val;

    friend auto operator==(const Entry&, const Entry&) -> bool = default;
  };

  /// `entries` in the order of the text.
  FileScope(std::vector<Entry> entries, std::vector<Name> lost_names);

  /// All items of that name, the first declared first; several are an error of the later ones.
  [[nodiscard]] auto find(Namespace space, Name name) const -> std::span<const Entry>;
  /// The same in all namespaces in sequence.
  [[nodiscard]] auto find(Name name) const -> std::span<const Entry>;
  /// Those of `n` names, from the one with the lowest index on.
  [[nodiscard]] auto find_from(Name first, uint32_t n) const -> std::span<const Entry>;
  [[nodiscard]] auto lost_from(Name first, uint32_t n) const -> std::span<const Name>;
  /// By name and space, not by place.
  [[nodiscard]] auto entries() const -> std::span<const Entry> { return entries_; }

  /// Is the name in a part of the file that could not be read? What is not found then may have been
  /// declared there, and is not worth a second diagnostic.
  [[nodiscard]] auto is_lost(Name name) const -> bool;

  friend auto operator==(const FileScope& a, const FileScope& b) -> bool {
    return a.entries_ == b.entries_ && a.lost_names_ == b.lost_names_;
  }

 private:
  std::vector<Entry> entries_;
  std::vector<Name> lost_names_;
};

/// An imported module as the importing file sees it.
struct ImportedScope {
  FileId file;
  std::shared_ptr<const FileScope> scope;

  friend auto operator==(const ImportedScope& a, const ImportedScope& b) -> bool {
    return a.file == b.file && (a.scope == b.scope || *a.scope == *b.scope);
  }
};

/// The names visible in a file: its own, then those of the modules it imports.
struct ModuleScope {
  std::shared_ptr<const FileScope> own;
  std::vector<ImportedScope> imports;
  /// An import was not found: any unknown name may come from there.
  bool has_missing_import = false;

  /// The item `name` means in `space`, or none. Own items hide imported ones.
  [[nodiscard]] auto find(Namespace space, Name name) const -> ItemId;
  /// Every item of that name that the file sees, in any namespace.
  [[nodiscard]] auto find_all(Name name) const -> std::vector<FileScope::Entry>;
  /// The names that are visible in `space`, for suggestions.
  [[nodiscard]] auto visible(Namespace space) const -> std::vector<Name>;
  /// That the name is unknown follows from a mistake that is reported elsewhere, maybe.
  [[nodiscard]] auto may_be_lost(Name name) const -> bool;

  friend auto operator==(const ModuleScope& a, const ModuleScope& b) -> bool {
    return (a.own == b.own || *a.own == *b.own) && a.imports == b.imports &&
           a.has_missing_import == b.has_missing_import;
  }
};

/// A function equivalence class: a `feq`, or a specification that stands alone.
struct EquivalenceClass {
  /// The `feq`, or the only member.
  ItemId item;
  /// In the order of the text.
  std::vector<ItemId> members;
  /// How many of `_dim0` … `_dim9` its members have: the `dimensions` of its device externs.
  uint32_t n_dims = 0;

  friend auto operator==(const EquivalenceClass&, const EquivalenceClass&) -> bool = default;
};

}  // namespace tacet::names
