#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/report.h"

namespace tacet::linter {

/// What rules about secrets and numbers found in one function, by offsets in its tree. Levels are
/// not applied yet: they are the workspace's.
struct ItemFindings {
  std::vector<names::ItemDiagnostic> findings{};

  friend auto operator==(const ItemFindings&, const ItemFindings&) -> bool = default;
};

/// Query: the findings in an item. Null for what is no function, for functions with errors, and
/// where there is nothing to report. Says nothing about places in files, so that typing above the
/// item changes nothing.
struct FindingsOfItem {
  static constexpr std::string_view kName = "findings_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const ItemFindings>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// How much of a device function a secret steers, by offsets in its tree.
struct Obliviousness {
  std::vector<TextRange> channels{};  ///< what the compiler rewrites
  std::vector<TextRange> leaks{};     ///< what it cannot
};

/// Nothing for what is no device function, and for one with errors.
auto obliviousness_of(query::Context& context, names::ItemId item) -> std::optional<Obliviousness>;

}  // namespace tacet::linter
