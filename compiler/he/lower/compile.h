#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/executor.h"
#include "compiler/device/array/lower.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/lower/approximate_functions.h"
#include "compiler/he/lower/choose_encryption.h"
#include "compiler/he/schedule/search.h"
#include "engine/random/rng_state.h"

/// The whole pipeline from a checked item to what the engine runs.
namespace tacet::he_lower {

/// The stages, in order.
enum class Stage : uint8_t { Array, Schedule, Circuit, Program };

/// What layouts and circuits are compared by.
enum class CostModel : uint8_t {
  Times,      ///< `ChoiceOptions::times`
  Published,  ///< the weights of Recto and Myers
};

struct CompileOptions {
  ChoiceOptions choice;
  CostModel costs = CostModel::Times;
  /// What elements of inputs are in, by name: instead of what the text declares, or besides.
  std::vector<std::pair<std::string, array::Interval>> ranges;
  /// Of reals: how far results may be from those of exact arithmetic, if the text does not say.
  std::optional<double> tolerance;
  /// `array::Program::is_summed_by_client`.
  bool is_summed_by_client = true;
  /// What public random draws are functions of: they are constants of the program.
  engine::PublicRandomKey random_key{};
  /// The stage that is wanted. Those behind it are done only as far as they decide about it, if
  /// all inputs have ranges.
  Stage last = Stage::Program;
  Executor* executor = nullptr;  ///< none: the calling thread
  CancellationToken cancellation = cancellation_of_thread();
  /// The schedule to obey instead of searching for one, for rows of so many columns.
  std::function<Result<schedule::Schedule>(const array::Program&, uint32_t n_columns)> pinned;
  /// Asked once per program before its best layout is made a circuit, with the microseconds that it
  /// promises to take on one thread. If it says no, nothing is compiled
  /// (`Compilation::is_declined`). None: never asked.
  std::function<bool(double)> is_fast_enough;
  /// Called when a stage begins, which may be more than once.
  std::function<void(Stage)> entered;
  /// Called periodically during the search for a schedule: the number made into circuits, and the
  /// best time so far.
  std::function<void(size_t, double)> progress;
};

/// What each stage made, up to the one that was wanted.
struct Compiled {
  /// The one of several that compute the same (`alternatives_of`) which was chosen, from the second
  /// stage on.
  array::Program program;
  schedule::SearchResult search;  ///< `best` is what was chosen
  circuit::Circuit circuit;       ///< optimised
  /// What the elements of the result are in; of fixed-point numbers as `array::Array` has them.
  array::Interval result;
  /// Of fixed-point numbers: how far a result may be from that of a device that computes with them
  /// as they are, by what encryption adds and by what that device rounds; 0 of integers.
  double error = 0;
  /// Of these: how far a result may be from that of exact arithmetic, by approximations, by what
  /// encryption adds, and by the rounding of the result.
  double within = 0;
  /// Whether one unit of the type was out of reach, so that this is a part of the result's range.
  bool is_relative = false;
  /// What functions are computed as, in the order of the program.
  std::vector<ApproximatedFunction> functions{};
  std::vector<Encryption> parts{};  ///< the program modulo each of several primes
};

struct Compilation {
  std::optional<Compiled> compiled;
  /// What computes the results of a device function behind the first, each by itself.
  std::vector<Compiled> others{};
  /// What is wrong with the text.
  std::vector<Diagnostic> diagnostics;
  /// Or why it cannot be encrypted so: a sentence, without a final period.
  std::string problem;
  /// `CompileOptions::is_fast_enough` said no, which is then the problem.
  bool is_declined = false;
};

/// What results of reals are within if nothing is said, and one unit of their type is out of reach:
/// 2^-10 of their range.
auto default_tolerance(const array::RealBound& result) -> double;

/// The inputs of a program that neither the text nor `ranges` bounds, by name.
auto unbounded_inputs(const array::Program& program,
                      const std::vector<std::pair<std::string, array::Interval>>& ranges)
    -> std::vector<std::string>;

/// Compiles an item without errors: an array program, a `val`, or a device function.
///
///   1. The text becomes array programs without indices (`array::lower`): several, with `let`s
///      inlined or not, and what is clear multiplied first (`alternatives_of`).
///   2. Intervals say what the result may be, which decides the plain modulus, or several.
///   3. The item's own `schedule` clause is obeyed, or one is searched for in all programs and
///   rings
///      (`choose_layout`).
///   4. The layout is made a circuit, that is optimised, and scheme, primes and drops are chosen
///      (`choose_encryption`). Then the same is done in the other rings, if they promise not to
///      take much longer: what takes the least time is the answer.
///
/// A device function of several results becomes a program for each of them, in one scheme.
///
/// Without its inputs' ranges a program has no result but a problem, unless only an earlier stage
/// was wanted. Throws `query::Cancelled`.
auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options) -> Compilation;

/// The same from an array program on.
auto compile(array::Program program, const CompileOptions& options) -> Compilation;

/// The same from several that compute the same (`alternatives_of`).
auto compile(std::vector<array::Program> programs, const CompileOptions& options) -> Compilation;

}  // namespace tacet::he_lower
