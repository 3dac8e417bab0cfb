#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// A diagnostic of an item, with offsets from the beginning of the item's tree, so that it stays
/// as it is when the item moves. Each label is relative to an item of its own, and so is each
/// reason, whose file is the number of the item.
struct ItemDiagnostic {
  Diagnostic diagnostic;
  /// By label: the item its range counts from.
  std::vector<ItemId> label_items;

  friend auto operator==(const ItemDiagnostic&, const ItemDiagnostic&) -> bool = default;
};

/// A diagnostic while it is being written.
class Draft {
 public:
  Draft(ItemDiagnostic& target, ItemId item) : target_(target), item_(item) {}

  /// A place in the same item that explains the primary one.
  auto label(TextRange range, std::string message) -> Draft& {
    return label_at(item_, range, std::move(message));
  }
  /// A place in any item.
  auto label_at(ItemId item, TextRange range, std::string message) -> Draft&;
  auto note(std::string_view text) -> Draft&;
  /// A reason behind those that were added, `depth` deep; without a place, or in some item.
  auto reason(uint32_t depth, std::string text) -> Draft&;
  auto reason_at(uint32_t depth, ItemId item, TextRange range, std::string text) -> Draft&;
  auto reason_at(uint32_t depth, TextRange range, std::string text) -> Draft& {
    return reason_at(depth, item_, range, std::move(text));
  }
  /// A whole tree of them.
  auto reasons(std::vector<Reason> tree) -> Draft&;
  auto fix(std::string title, Applicability applicability, std::vector<TextEdit> edits) -> Draft&;
  /// The fix that writes `new_text` for `range`.
  auto replace(TextRange range, std::string title, std::string new_text,
               Applicability applicability = Applicability::Unsafe) -> Draft&;

 private:
  ItemDiagnostic& target_;
  ItemId item_;
};

/// Gathers what is wrong with one item.
class Report {
 public:
  explicit Report(ItemId item) : item_(item) {}

  auto add(DiagnosticCode code, TextRange range, std::string message) -> Draft;

  [[nodiscard]] auto is_empty() const -> bool { return diagnostics_.empty(); }
  auto take() -> std::vector<ItemDiagnostic> { return std::move(diagnostics_); }

 private:
  ItemId item_;
  std::vector<ItemDiagnostic> diagnostics_;
};

}  // namespace tacet::names
