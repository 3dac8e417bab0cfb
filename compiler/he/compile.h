#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/executor.h"
#include "compiler/array/lower.h"
#include "compiler/circuit/circuit.h"
#include "compiler/he/choose_encryption.h"
#include "compiler/schedule/search.h"

/// The whole way from a checked item to what the engine runs.
namespace tacet::encrypted {

/// The stages, in order.
enum class Stage : uint8_t { Array, Schedule, Circuit, Program };

struct CompileOptions {
  ChoiceOptions choice;
  /// What elements of inputs are in, by name: instead of what the text declares, or besides.
  std::vector<std::pair<std::string, array::Interval>> ranges;
  /// The stage that is wanted; nothing behind it is done.
  Stage last = Stage::Program;
  Executor* executor = nullptr;  ///< none: the calling thread
  CancellationToken cancellation;
  /// The schedule to obey instead of searching for one, for rows of so many columns.
  std::function<Result<schedule::Schedule>(const array::Program&, uint32_t n_columns)> pinned;
  /// Called when a stage begins.
  std::function<void(Stage)> entered;
};

/// What each stage made, up to the one that was wanted.
struct Compiled {
  array::Program program;
  schedule::SearchResult search;
  circuit::Circuit circuit;         ///< optimised
  array::Interval result;           ///< what the elements of the result are in
  std::vector<Encryption> parts{};  ///< the program modulo each of several primes
};

struct Compilation {
  std::optional<Compiled> compiled;
  /// What is wrong with the text.
  std::vector<Diagnostic> diagnostics;
  /// Or why it cannot be encrypted so: a sentence, without a final period.
  std::string problem;
};

/// The inputs of a program that neither the text nor `ranges` bounds, by name.
auto unbounded_inputs(const array::Program& program,
                      const std::vector<std::pair<std::string, array::Interval>>& ranges)
    -> std::vector<std::string>;

/// Compiles an item without errors: an array program, a `val`, or a device function.
///
///   1. The text becomes an array program without indices (`array::lower`).
///   2. Intervals say what the result may be, which decides the plain modulus, or several.
///   3. The item's own `schedule` clause is obeyed, or one is searched for in the rings that are
///      large enough (`schedule::search`), made a circuit, and that is optimised.
///   4. Scheme, primes and drops are chosen (`choose_encryption`). If a ring is too small for the
///      noise, the search is done again in the larger ones.
///
/// Without its inputs' ranges a program has no result but a problem, unless only an earlier stage
/// was wanted. Throws `query::Cancelled`.
auto compile(const check::FrontendSnapshot& snapshot, names::ItemId item,
             const CompileOptions& options) -> Compilation;

/// The same from an array program on.
auto compile(array::Program program, const CompileOptions& options) -> Compilation;

}  // namespace tacet::encrypted
