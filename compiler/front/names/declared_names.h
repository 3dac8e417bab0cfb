#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/front/names/queries.h"

/// What a file offers to those who would import it, without parsing it.
///
/// Services that the queries here use: those of `names`.
namespace tacet::names {

/// A name that a file seems to declare; of a test its text, of an input of an array program its
/// name.
struct DeclaredName {
  char first = 0;      ///< its first letter, as a small one
  uint8_t spaces = 0;  ///< bit `n` for namespace number `n`
  ItemKind kind = ItemKind::Val;
  Name name;

  [[nodiscard]] auto is_in(Namespace space) const -> bool {
    return (spaces >> static_cast<unsigned>(space) & 1U) != 0;
  }
  friend auto operator==(const DeclaredName&, const DeclaredName&) -> bool = default;
};

/// Query: the names that a file declares, found by their keywords and the braces around them: a
/// superset, but for what broken text hides, of those of its scope, for files that nothing else has
/// read. Sorted by `first`.
struct DeclaredNamesOfFile {
  static constexpr std::string_view kName = "declared_names";
  using Key = FileId;
  using Value = std::vector<DeclaredName>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// A module under the name that an import would give it.
struct ImportableModule {
  std::string name;
  FileId file;

  friend auto operator==(const ImportableModule&, const ImportableModule&) -> bool = default;
};

/// Query: the modules that `import` in a file would find, by name.
struct ImportableModulesOfFile {
  static constexpr std::string_view kName = "importable_modules";
  using Key = FileId;
  using Value = std::vector<ImportableModule>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::names
