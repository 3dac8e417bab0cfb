#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/device/kernel/evaluate.h"

/// Random device functions in the imperative form, as text, and inputs for them.
namespace tacet::testing {

using Random = std::mt19937_64;

/// What the functions are like.
enum class FunctionShape : uint8_t {
  /// Numbers of all types, calls, tuples: a module whose function `f` is meant, which may call
  /// others of the module.
  AllTypes,
  /// Numbers of one type: nested branches and loops on public and secret values, secret accesses in
  /// and out of range, exits everywhere. A few are no programs: statements may follow an exit.
  Steered,
  /// Nested loops and choices, sums, products, arrays that are stored and read at sums and
  /// remainders of counters, orders, values carried between iterations: array programs, mostly, of
  /// small numbers. Nothing fails.
  Arrays,
  /// Loops over states of a few small numbers, which advance by comparisons with the element that
  /// the state indexes, leave early, read and store there. Nothing fails.
  States,
};

struct FunctionOptions {
  /// What a run of the function may fail at.
  enum class Faults : uint8_t {
    None,     ///< nothing: no division or shift by what is not known
    Guarded,  ///< nothing either, but for divisions the text asks first: `a / b if b != 0 else 1`
    Any,
  };

  FunctionShape shape = FunctionShape::AllTypes;
  std::string_view device = "mpc";
  Faults faults = Faults::Guarded;
  /// Do loops that a secret ends always say `max`?
  bool bounds_secret_loops = true;
  /// About how many statements one of all types has.
  uint32_t size = 12;
};

/// A module whose last function is meant. Every run ends, soon.
///
/// Of all types it has no errors: branches nest, loops have public and secret bounds, with and
/// without `max`, steps above 1, `break`, `continue` and early `return` at any depth; arrays of one
/// and two dimensions are read and written at public and secret places, inside and outside;
/// integers have all widths. What is public does not depend on secrets: where a secret decides
/// whether a statement runs, it assigns to secret variables only.
auto random_function(Random& random, const FunctionOptions& options) -> std::string;

/// The same of a shape, for a seed.
auto random_function(FunctionShape shape, uint64_t seed, std::string_view device = "mpc")
    -> std::string;

/// Inputs for the parameters of `kernel`: small numbers often, any number occasionally.
auto random_inputs(Random& random, const kernel::Kernel& kernel) -> std::vector<kernel::Value>;

/// The same with other values for all secret parameters.
auto with_other_secrets(Random& random, const kernel::Kernel& kernel,
                        std::vector<kernel::Value> inputs) -> std::vector<kernel::Value>;

}  // namespace tacet::testing
