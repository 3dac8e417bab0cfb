#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "compiler/front/names/item_chunks.h"
#include "compiler/views/mpc/sequential_loops.h"
#include "linter/advise_item.h"
#include "linter/lint_item.h"
#include "linter/suppressions.h"

namespace tacet::linter {

/// What is found in one item, each null if that is nothing. Levels are not applied.
struct FoundInItem {
  names::ItemId item;
  std::shared_ptr<const ItemFindings> findings{};
  /// The program on secret shares, if something is to be said of it.
  std::shared_ptr<const mpc_views::ItemProgram> program{};
  std::shared_ptr<const ItemAdvice> advice{};
  /// What could be cheaper in a function that is computed bit by bit.
  std::shared_ptr<const std::vector<Diagnostic>> circuit_advice{};
  /// Its loops that take rounds in each iteration.
  mpc_views::SequentialLoopsOfItem::Value loops{};
  /// It has mistakes, so that there is no advice.
  bool is_wrong = false;

  friend auto operator==(const FoundInItem&, const FoundInItem&) -> bool = default;
};

/// A chunk, and whether `AdviceOfItem`, `CircuitAdviceOfItem` and `SequentialLoopsOfItem` are
/// asked.
struct LintedChunk {
  names::ItemChunk chunk;
  bool with_advice = false;
  mpc_views::Protocol protocol = mpc_views::Protocol::Aby3;  ///< whose rounds are counted

  friend auto operator==(const LintedChunk&, const LintedChunk&) -> bool = default;
};

/// Query: what is found in the items of a chunk, in the order of the text; those alone in which
/// something is.
struct FindingsOfChunk {
  static constexpr std::string_view kName = "findings_of_chunk";
  static constexpr bool kFlat = true;
  using Key = LintedChunk;
  using Value = std::shared_ptr<const std::vector<FoundInItem>>;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

/// Query: the suppressions in a chunk, by item.
struct SuppressionsOfChunk {
  static constexpr std::string_view kName = "suppressions_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Found = std::pair<names::ItemId, SuppressionsOfItem::Value>;
  using Value = std::shared_ptr<const std::vector<Found>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

}  // namespace tacet::linter

template <>
struct std::hash<tacet::linter::LintedChunk> {
  auto operator()(const tacet::linter::LintedChunk& key) const noexcept -> size_t {
    return std::hash<tacet::names::ItemChunk>{}(key.chunk) * 8 +
           static_cast<size_t>(key.protocol) * 2 + (key.with_advice ? 1 : 0);
  }
};
