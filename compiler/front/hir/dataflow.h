#pragma once

#include <vector>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

enum class Direction : uint8_t { Forward, Backward };

/// What holds where a block begins and where it ends.
template <class Fact>
struct BlockFacts {
  std::vector<Fact> at_begin;
  std::vector<Fact> at_end;
};

/// Solves a dataflow problem to its fixpoint. `Analysis` has
///
///     using Fact = …;                                   comparable by ==
///     static constexpr Direction kDirection = …;
///     auto boundary() const -> Fact;                    at the entry, or at every way out
///     auto start() const -> Fact;                       what any other block begins with
///     void meet(Fact& into, const Fact& other) const;
///     void transfer(BlockId block, Fact& fact) const;   from one end of a block to the other
///
/// Blocks are visited in the order in which control runs (against it for backward problems), so
/// a graph without cycles takes one pass and a second that finds nothing to do.
template <class Analysis>
auto solve(const Function& function, const Analysis& analysis)
    -> BlockFacts<typename Analysis::Fact> {
  using Fact = typename Analysis::Fact;
  constexpr bool kIsForward = Analysis::kDirection == Direction::Forward;
  const auto n = static_cast<uint32_t>(function.blocks.size());
  std::vector<Fact> in(n, analysis.start());
  std::vector<Fact> out(n, analysis.start());
  bool has_changed = true;
  bool is_first = true;
  while (has_changed) {
    has_changed = false;
    for (uint32_t i = 0; i < n; ++i) {
      const BlockId block{kIsForward ? i : n - 1 - i};
      const Block& data = function.blocks[block];
      std::span<const BlockId> sources =
          kIsForward ? std::span<const BlockId>(data.predecessors) : successors(data.terminator);
      const bool is_boundary = kIsForward ? block.index == 0 : sources.empty();
      Fact fact = is_boundary ? analysis.boundary() : analysis.start();
      for (BlockId source : sources) {
        analysis.meet(fact, out[source.index]);
      }
      if (!is_first && fact == in[block.index]) {
        continue;
      }
      in[block.index] = fact;
      analysis.transfer(block, fact);
      if (is_first || !(fact == out[block.index])) {
        out[block.index] = std::move(fact);
        has_changed = true;
      }
    }
    is_first = false;
  }
  if constexpr (kIsForward) {
    return {std::move(in), std::move(out)};
  } else {
    return {std::move(out), std::move(in)};
  }
}

}  // namespace tacet::hir
