#pragma once

#include <memory>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/leakage/channel.h"

namespace tacet::leakage {

/// Where something that a function is given, or has read itself, gets to.
struct Reach {
  std::vector<bool> results;  ///< by port of the results
  std::vector<bool>
      referents;  ///< by port of the parameters: what a reference refers to afterwards
  std::vector<Channel> channels;

  friend auto operator==(const Reach&, const Reach&) -> bool = default;
};

/// What callers must know of a coordinator function.
struct Summary {
  /// It speaks with a device that must not see everything, itself or through calls.
  bool is_visible = false;
  /// By port of the parameters. What a port declares to be secret shows no channels here: they are
  /// reported for the function itself.
  std::vector<Reach> parameters;
  /// Of what it decrypts itself; without channels, for the same reason.
  Reach decrypted;

  friend auto operator==(const Summary&, const Summary&) -> bool = default;
};

/// Query: the summaries of a circle, keyed by its first function, in the order of `CallOrder`.
/// Iterated to a fixed point.
struct SummariesOfCircle {
  static constexpr std::string_view kName = "coordinator_circle";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<Summary>>;
  static auto compute(query::Context& context, const Key& first) -> Value;
};

/// Query: the summary of a coordinator function; null for other items. O(ports · size of the
/// function), in a circle as often as secrets need to get around. Query a whole file in the order
/// of calls, to avoid long chains of queries.
struct SummaryOf {
  static constexpr std::string_view kName = "coordinator_summary";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Summary>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Asks `SummaryOf` of all functions of a file, callees first, so that who asks again does not wait
/// for a long chain of them.
void ask_summaries(query::Context& context, FileId file);

/// The paths on which secrets leak from a coordinator function, by their places: those that its
/// parameters declare, those that calls give it, and what it has decrypted. A path through a call
/// ends in the callee's text. Empty for items of other kinds.
auto channels_of(query::Context& context, names::ItemId item) -> std::vector<Channel>;

}  // namespace tacet::leakage
