#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/front/types/value_bound.h"
#include "compiler/he/gates/compile.h"
#include "compiler/spec/program/frontend.h"
#include "engine/cggi_model/bootstrap_times.h"

/// What functions cost that are computed bit by bit.
namespace tacet::he_views {

/// What is computed at one place of the text. What several operations need is counted where it
/// comes first, so that the bootstraps of all places are those of the function.
struct OperationCosts {
  TextRange range;          ///< of an expression or statement, in the item's tree, calls as a whole
  size_t n_bootstraps = 0;  ///< optimised, of all iterations
  /// How many of these wait for each other at most.
  size_t depth = 0;
  size_t n_iterations = 1;  ///< in which it is computed; 1 outside of loops
  /// Of an operation on numbers: so many bits of its operands and its result are computed, of
  /// those that its type has. Else 0.
  size_t n_bits = 0;
  size_t width = 0;
  /// If ranges are known: that of its result, or of a comparison's operands.
  std::optional<types::ValueBound> range_of_numbers{};

  friend auto operator==(const OperationCosts&, const OperationCosts&) -> bool = default;
};

struct CircuitCosts {
  /// None if the circuit is too large to be made while somebody waits.
  bool is_known = false;
  size_t n_bootstraps = 0;  ///< optimised
  size_t depth = 0;
  double log2_failure = 0;
  double key_megabytes = 0;  ///< of the evaluation key, as it is sent
  cggi::Parameters parameters{};
  std::vector<uint32_t> levels{};  ///< bootstraps that need nothing of each other

  friend auto operator==(const CircuitCosts&, const CircuitCosts&) -> bool = default;
};

/// Input: what bootstraps take on the machine for which circuits are made; if nobody says it, two
/// threads of a server.
struct BootstrapTimesOfMachine {
  static constexpr std::string_view kName = "bootstrap_times_of_machine";
  using Key = query::Unit;
  using Value = cggi::BootstrapTimes;
  static auto absent(const Key&) -> Value;
};

/// Query: the circuit of a device function, which the other queries look at.
struct CircuitOfItem {
  static constexpr std::string_view kName = "circuit_of_item";
  using Key = names::ItemId;
  struct Made {
    std::optional<gates::Circuit> circuit;
    bool is_large = false;  ///< and therefore not made

    friend auto operator==(const Made&, const Made&) -> bool = default;
  };
  using Value = std::shared_ptr<const Made>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the costs of a device function under CGGI. Null if it has no circuit. Half a second for
/// the largest circuits that it makes.
struct CircuitCostsOfItem {
  static constexpr std::string_view kName = "circuit_costs_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const CircuitCosts>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Of evaluating, estimated for the machine that was measured, or else for two threads of a server.
auto milliseconds_of(const CircuitCosts& costs, const std::optional<cggi::BootstrapTimes>& measured)
    -> double;

/// `244 bootstraps · depth 77 · 11.4 MB key · ~0.4 s`
/// Without measured times the time is what the model expects of two threads; with them it is
/// `~0.42 s here`.
auto summary(const CircuitCosts& costs, const std::optional<cggi::BootstrapTimes>& measured)
    -> std::string;

/// Query: what a device function costs by places, by their ranges. Empty if it has no circuit. Some
/// tens of milliseconds for `kMostGatesAtOnce` gates.
struct OperationsOfItem {
  static constexpr std::string_view kName = "operations_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<OperationCosts>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// `85 bootstraps · depth 8 · in 16 iterations`, and what its width is: `on 6 of 16 bits (0..64)`.
auto summary(const OperationCosts& costs) -> std::string;
auto width_text(const OperationCosts& costs) -> std::string;

}  // namespace tacet::he_views
