#pragma once

#include <vector>

#include "compiler/front/names/queries.h"

/// Who imports a file.
///
/// Services that the queries here use: those of `names`.
namespace tacet::names {

/// The words behind `import` in a text, whether they are imports or not.
struct ImportedWords {
  std::vector<Name> names;  ///< sorted
  /// What follows an `import` cannot be recognised without a parser.
  bool may_be_any = false;

  friend auto operator==(const ImportedWords&, const ImportedWords&) -> bool = default;
};

/// Query: a superset of what a file imports, found without parsing it: most files of a workspace
/// are never read otherwise.
struct ImportedWordsOfFile {
  static constexpr std::string_view kName = "imported_words";
  using Key = FileId;
  using Value = ImportedWords;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the files that import a file, by id; not the file itself.
struct ImportersOfFile {
  static constexpr std::string_view kName = "importers_of_file";
  using Key = FileId;
  using Value = std::vector<FileId>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::names
