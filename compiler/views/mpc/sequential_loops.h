#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/dependences/dependences.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::mpc_views {

/// A loop whose iterations wait for each other, each for rounds of its own.
struct SequentialLoop {
  TextRange keyword{};  ///< places are in the item's tree
  /// What one iteration computes and the next one reads, by the names of the text; none if that is
  /// only whether the loop was left.
  std::vector<std::string> variables{};
  /// Of each of them: why it may not be so after all, if that is not certain.
  std::vector<dependences::Doubt> doubts{};
  std::optional<TextRange> write{}, read{};  ///< of the first of them
  /// How each of them passes from an iteration to a later one, where that is in the item's text.
  struct Carried {
    uint32_t variable = 0;  ///< index in `variables`
    TextRange write{}, read{};
    friend auto operator==(const Carried&, const Carried&) -> bool = default;
  };
  std::vector<Carried> carried{};
  uint64_t n_iterations = 0;
  /// Of the loop; of its first iterations alone if there are very many (`Certainty::is_cut`).
  mpc_model::LineCost cost{};
  std::optional<uint64_t> tree_rounds{};  ///< of a tree of such iterations, estimated
  uint32_t n_parties = 0;

  friend auto operator==(const SequentialLoop&, const SequentialLoop&) -> bool = default;
};

/// Query: the loops of an item that would take less than half of their rounds if their iterations
/// were combined as a tree. Loops of a known number of iterations, neither in nor around others
/// whose iterations wait: those are tables, whose diagonals the parties compute together. Nothing
/// of functions of more than 300 statements. As slow as `CostsOfItem`, and the dependences.
struct SequentialLoopsOfItem {
  static constexpr std::string_view kName = "sequential_loops_of_item";
  using Key = CostsKey;
  using Value = std::shared_ptr<const std::vector<SequentialLoop>>;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

}  // namespace tacet::mpc_views
