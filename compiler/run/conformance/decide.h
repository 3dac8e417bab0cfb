#pragma once

#include "compiler/run/conformance/normal_form.h"
#include "compiler/run/conformance/saturate_terms.h"
#include "compiler/run/conformance/symbolic_run.h"
#include "compiler/run/oracle/compare.h"

namespace tacet::conformance {

/// How much work may be spent.
struct DecideOptions {
  SymbolicLimits symbolic{};
  size_t max_form_work = 1'000'000;  ///< monomials that normal forms go through
  SaturationLimits saturation{};
  oracle::RunOptions runs{};
  /// Programs of more input cells are neither run nor made terms of.
  size_t max_input_cells = size_t{1} << 20;
  /// How many runs there are instead where both are small: some thousand terms.
  size_t n_runs_of_small = 0;
  /// With no more inputs than this, all are tried where nothing else decides.
  size_t max_inputs = 4096;
};

/// Small enough to be decided while the user types: some milliseconds.
auto limits_while_typing() -> DecideOptions;
/// For `tacet check --deep`: some seconds.
auto limits_for_deep_checks() -> DecideOptions;

enum class Outcome : uint8_t {
  Proved,     ///< they compute the same
  Probable,   ///< they do, but for an error of a stated probability
  Different,  ///< not on these inputs
  NotDecided,
};

struct Verdict {
  Outcome outcome = Outcome::NotDecided;
  /// How it was proved: a sentence part such as "normal forms are equal".
  std::string how{};
  double log2_error = 0;  ///< of what is probable
  std::optional<oracle::Counterexample> counterexample{};
  size_t n_runs = 0;  ///< on which both did the same
  std::string why{};  ///< nothing was decided
};

/// Whether two programs compute the same function. Input `i` of `model` is input `inputs[i]` of
/// `other`, of the same type, inside the bounds that `other` declares; results have equal types.
///
/// Tried in this order: equality of normal forms; saturation; evaluation at random points of a
/// field; running both on random inputs and those at the ends of types; running them on all inputs,
/// if these are few. The first three also show that both fail on the same inputs.
auto decide(const interpret::Executable& model, const interpret::Executable& other,
            const std::vector<uint32_t>& inputs, uint64_t seed, const DecideOptions& options)
    -> Verdict;

}  // namespace tacet::conformance
