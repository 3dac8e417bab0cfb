#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/kernel/kernel.h"
#include "compiler/he/lift/array_state.h"
#include "compiler/he/lift/lift.h"

/// Private to this folder.
namespace tacet::lift {

/// The integers of a kind; without bits of what is none, and of truth values.
auto width_of(engine::ElementKind kind) -> array::Width;

/// Sequential products of reals, which can be bootstrapped: more take hours.
inline constexpr uint32_t kMostRealLevels = 1024;

using Block = kernel::Block;
using Env = std::vector<VariableState>;  ///< by variable
/// How a block ends.
enum class Flow : uint8_t { Next, Break, Continue, Return };

/// Why the kernel, or a loop as a dimension, is not an array program.
struct Stuck {
  DiagnosticCode code = DiagnosticCode::T6001;
  FileRange place{};
  std::string message;
  std::string note;
};

/// A loop while its iterations are combined.
struct Iterations {
  DimId dim{};
  int64_t n = 0;  ///< of iterations
  Env after{};    ///< one iteration, from what is carried
  std::vector<uint32_t> written{};
  uint32_t first_carried = 0;                 ///< of the first that is written; others follow
  std::vector<uint32_t> open{};               ///< those whose value in an iteration is being found
  std::map<uint32_t, TermId> in_iteration{};  ///< what was found, by variable
  std::map<TermId, TermId> stored{};          ///< elements of arrays, by what they hold
};

/// What an iteration does to a variable: `factor`, a truth value, times it, and `added`.
struct Update {
  TermId factor;
  TermId added;
};

enum class Which : uint8_t { Before, Behind };

/// What an iteration compares with the greatest, or the least, of the iterations before.
struct Extreme {
  TermId value;
  bool is_greatest;
  array::Width width;
};

/// An expression that is known for the run's key, as a function of indices: those of its variables
/// in sequence.
struct DrawnValue {
  struct Input {
    kernel::VariableId variable{};
    std::optional<uint32_t> drawn{};  ///< it holds another one, whose indices follow
    uint32_t first = 0;               ///< of its indices

    friend auto operator==(const Input&, const Input&) -> bool = default;
  };

  kernel::ExprId expr{};
  std::vector<Input> inputs{};
  uint32_t n_indices = 0;

  friend auto operator==(const DrawnValue&, const DrawnValue&) -> bool = default;
};

class DrawnInputs;

// check_faults.cpp
struct PublicFault {
  DiagnosticCode code = DiagnosticCode::T8001;
  FileRange place{};
  std::string certain;   ///< what is wrong if it is sure to happen
  std::string possible;  ///< and if that is not known
  std::string hint;
};

/// What a write gives an element; nothing if it does not touch it, and no value if that is
/// unknown.
struct Touch {
  Meeting meeting = Meeting::Perhaps;
  TermId value{};
};

/// The state of `lift`.
struct Lifter {
  /// For one of the kernel's results.
  Lifter(const kernel::Kernel& kernel_, size_t result_, const engine::PublicRandomKey& key);

  const kernel::Kernel& kernel;
  size_t n_steps = 0;
  size_t result;
  Terms terms;
  array::Program inputs;  ///< without statements
  std::map<engine::Cell, uint32_t>
      fractions;  ///< arrays, by what fixed-point numbers are stored as
  /// Arrays of the text whose elements are all numbers.
  std::map<kernel::ExprId, uint32_t> literal_arrays;
  /// Arrays of what is 1 by a fixed-point number, by what that is stored as.
  std::map<engine::Cell, uint32_t> reciprocals;
  std::vector<Computed> computed;
  Env env;
  std::vector<DimId> around;  ///< of the loops that are being run together
  uint32_t n_carried = 0;
  std::optional<Stuck> stuck;
  TermId reached;                  ///< 1 where the text is reached that is run now
  std::optional<TermId> returned;  ///< a scalar, or an array along `result_dims`
  std::vector<DimId> result_dims;
  engine::PublicRandomKey random_key;
  bool has_draws = false;
  std::vector<DrawnValue> drawn;
  std::map<std::pair<uint32_t, std::vector<int64_t>>, std::optional<kernel::Value>> drawn_values;
  std::optional<FileRange> failed_draw;
};

auto run(Lifter& /*lifter*/, const kernel::Break&, FileRange) -> Flow;
auto run(Lifter& /*lifter*/, const kernel::Continue&, FileRange) -> Flow;
auto run(Lifter& /*lifter*/, const kernel::Separator&, FileRange) -> Flow;
auto type(const Lifter& lifter, kernel::VariableId variable) -> const kernel::Type&;
auto state(Lifter& lifter, kernel::VariableId variable) -> VariableState&;
/// An end of the bound of a fixed-point argument.
auto end_of_bound(Lifter& lifter, const kernel::Bound& bound, types::Wide end) -> TermId;

// lifter.cpp
auto run(Lifter& lifter) -> Lifting;
auto refuse_fraction(Lifter& lifter, FileRange place) -> TermId;
auto stick(Lifter& lifter, FileRange place, std::string_view what, std::string_view note,
           DiagnosticCode code = DiagnosticCode::T6001) -> TermId;
auto new_dims(Lifter& lifter, const std::vector<int64_t>& extents, std::string_view name)
    -> std::vector<DimId>;
auto along(const std::vector<DimId>& dims) -> std::vector<Index>;

// draw_values.cpp
void find_draws(Lifter& lifter);
/// The term of what is made of draws and counters alone; nothing of anything else.
auto drawn(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at)
    -> std::optional<TermId>;
auto value(Lifter& lifter, const kernel::Draw& draw, kernel::ExprId expr,
           const std::vector<Index>& at) -> TermId;

// run_statement.cpp
auto run(Lifter& lifter, const Block& block) -> Flow;
auto run(Lifter& lifter, const kernel::Assign& assign, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::StoreElement& store, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::If& branch, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::While& loop, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::Return& statement, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::SecretRegion& region, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::Call& call, FileRange place) -> Flow;
auto run(Lifter& lifter, const kernel::Reveal& reveal, FileRange place) -> Flow;
auto run_either(Lifter& lifter, TermId condition, const Block& then, const Block& otherwise,
                FileRange place) -> Flow;

// run_loop.cpp
auto run(Lifter& lifter, const kernel::For& loop, FileRange place) -> Flow;

// join_iterations.cpp
auto join(Lifter& lifter, Iterations& iterations) -> bool;
/// With what is carried found out, but for what `keep` says.
auto resolved(Lifter& lifter, Iterations& iterations, TermId term, std::optional<TermId> keep)
    -> std::optional<TermId>;
/// What it holds when an iteration begins.
auto carried_by(const Iterations& iterations, uint32_t variable) -> uint32_t;
auto contains(const Lifter& lifter, TermId term, TermId carried) -> bool;

// join_choices.cpp
auto joined_choices(Lifter& lifter, Iterations& iterations, uint32_t variable,
                    std::optional<Index> here) -> std::optional<TermId>;
auto stored(Lifter& lifter, Iterations& iterations, TermId value, bool is_truth) -> TermId;

// join_extremes.cpp
auto joined_extreme(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<TermId>;
/// Of `all`, which has values along `dim`; nothing if it cannot be halved.
auto extreme_along(Lifter& lifter, Iterations& iterations, bool is_greatest, array::Width width,
                   TermId all, DimId dim) -> std::optional<TermId>;

// evaluate_expr.cpp
auto value(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at) -> TermId;
auto operand(Lifter& lifter, kernel::ExprId expr, const std::vector<Index>& at) -> TermId;
/// The same of a place in arrays whose extents are at most `extent`: outside may be any number.
auto address(Lifter& lifter, kernel::ExprId expr, int64_t extent) -> std::optional<Index>;
auto index_of(Lifter& lifter, TermId term, engine::ElementKind kind) -> std::optional<Index>;

// evaluate_real.cpp
/// An operator of reals that is none of sums and products.
auto real_operation(Lifter& lifter, types::Operator op, TermId left, TermId right, FileRange place)
    -> TermId;
/// A function of numbers in a program of reals, element by element; nothing of other functions.
auto real_function(Lifter& lifter, const kernel::Apply& apply, const std::vector<Index>& at)
    -> std::optional<TermId>;
/// The larger or the smaller of two reals.
auto real_extreme(Terms& terms, bool is_greatest, TermId a, TermId b) -> TermId;

// evaluate_order.cpp
auto extreme_of_array(Lifter& lifter, const kernel::Apply& apply, const std::vector<Index>& at)
    -> TermId;
auto ordered(Lifter& lifter, const kernel::Apply& apply, kernel::ExprId expr,
             const std::vector<Index>& at) -> TermId;

// check_faults.cpp
/// Sticks unless evaluating the expression is never a fault that everybody may know.
void check_faults(Lifter& lifter, kernel::ExprId expr);
void check_store(Lifter& lifter, const kernel::StoreElement& store, const std::vector<Index>& at);

// read_array.cpp
auto read_at(Lifter& lifter, kernel::VariableId variable, const std::vector<Index>& at) -> TermId;
auto read_at(Lifter& lifter, const ArrayState& state, const std::vector<int64_t>& extents,
             const std::vector<Index>& at) -> std::optional<TermId>;
/// The same of what it holds now, as an array of the program if need be.
auto find(Lifter& lifter, kernel::VariableId variable, const std::vector<Index>& at)
    -> std::optional<TermId>;
auto value_of_state(Lifter& lifter, const ArrayState& state, const std::vector<Index>& at)
    -> TermId;
void substitute_array(Terms& terms, const Substitution& by, ArrayState& state, bool& fails);

// reroll.cpp
auto rerolled(Lifter& lifter, std::vector<Write> writes) -> std::vector<Write>;
auto rerolled_sums(Lifter& lifter, TermId term) -> TermId;

inline auto run(Lifter& /*lifter*/, const kernel::Break&, FileRange) -> Flow {
  return Flow::Break;
}

inline auto run(Lifter& /*lifter*/, const kernel::Continue&, FileRange) -> Flow {
  return Flow::Continue;
}

inline auto run(Lifter& /*lifter*/, const kernel::Separator&, FileRange) -> Flow {
  return Flow::Next;
}

inline auto type(const Lifter& lifter, kernel::VariableId variable) -> const kernel::Type& {
  return lifter.kernel.variables[variable].type;
}

inline auto state(Lifter& lifter, kernel::VariableId variable) -> VariableState& {
  return lifter.env[variable.index];
}

}  // namespace tacet::lift
