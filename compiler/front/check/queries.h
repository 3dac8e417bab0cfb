#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/names/report.h"

/// Services that the queries here use: those of `names` and `types`.
namespace tacet::check {

using ItemDiagnostics = std::vector<names::ItemDiagnostic>;

/// Is one of them an error? Null, as queries say that nothing is wrong, has none.
auto has_errors(const ItemDiagnostics* diagnostics) -> bool;
inline auto has_errors(const std::shared_ptr<const ItemDiagnostics>& diagnostics) -> bool {
  return has_errors(diagnostics.get());
}

/// What is wrong with one item, as `DiagnosticsOfItem` says it, and what is known of its nodes.
struct Findings {
  std::shared_ptr<const ItemDiagnostics> diagnostics;
  Body body;

  /// Anything that a later phase says would follow from an error here.
  [[nodiscard]] auto has_errors() const -> bool { return check::has_errors(diagnostics); }
};

/// Checks an item once for both. Nothing is remembered: for queries that make something of the
/// body at once, so that it need not be kept.
auto find_out(query::Context& context, names::ItemId item) -> Findings;

/// Query: what is wrong with one item, besides its syntax. Null if nothing is. By offsets in the
/// item's tree. The facts found meanwhile are not kept: most items of a workspace are checked and
/// never shown.
struct DiagnosticsOfItem {
  static constexpr std::string_view kName = "diagnostics_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const ItemDiagnostics>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: what is known about an item's nodes.
struct BodyOf {
  static constexpr std::string_view kName = "body_of";
  using Key = names::ItemId;
  using Value = BodyPtr;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The types of constants that were found already, while those of a file are worked through.
using ConstantTypes = std::unordered_map<names::ItemId, types::TypeId>;

/// Query: the types of the constants of a file, sorted by item. All at once, since a chain of them
/// may be as long as the file.
struct ConstantTypesOfFile {
  static constexpr std::string_view kName = "constant_types_of_file";
  using Key = FileId;
  using Value = std::vector<std::pair<names::ItemId, types::TypeId>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return {}; }
};

/// Query: the type of a constant. Numbers have the standard type of a literal, `i64` or `f64`,
/// and take the type that their use needs.
struct TypeOfConst {
  static constexpr std::string_view kName = "type_of_const";
  using Key = names::ItemId;
  using Value = types::TypeId;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::check
