#pragma once

#include "compiler/front/check/queries.h"
#include "compiler/front/names/item_chunks.h"

namespace tacet::program {

/// A diagnostic of an item of `file` with its places in the file.
auto placed(query::Context& context, FileId file, names::ItemId item,
            const names::ItemDiagnostic& entry) -> Diagnostic;

/// What is wrong with one item, up to types or with all that is checked of it: null if nothing is.
/// A space has more, in `flow::SpaceDiagnosticsOf`.
auto diagnostics_of_item(query::Context& context, const names::FileItem& item,
                         bool with_conformance) -> std::shared_ptr<const check::ItemDiagnostics>;

/// Query: what is wrong with the items of a chunk up to their specifications, in the order of the
/// text; those alone with which something is.
struct DiagnosticsOfChunk {
  static constexpr std::string_view kName = "diagnostics_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Found = std::pair<names::ItemId, std::shared_ptr<const check::ItemDiagnostics>>;
  using Value = std::shared_ptr<const std::vector<Found>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// Query: what is wrong with a file up to its types, by offsets in the file: errors of syntax, then
/// item by item.
struct TypeDiagnosticsOfFile {
  static constexpr std::string_view kName = "type_diagnostics_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::vector<Diagnostic>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the same up to its specifications.
struct DiagnosticsOfFile {
  static constexpr std::string_view kName = "diagnostics_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::vector<Diagnostic>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::program
