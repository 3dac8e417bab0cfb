#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/kernel/kernel.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/mpc/lower/fit_fixed_point.h"
#include "compiler/mpc/lower/independent_iterations.h"
#include "compiler/mpc/lower/lower.h"
#include "compiler/mpc/lower/value.h"

/// Private to this folder.
namespace tacet::mpc_lower {

using Block = kernel::Block;
/// What variables hold, by variable; none: nothing was assigned, which is 0.
using Env = std::vector<std::optional<Value>>;
/// How a block ends.
enum class Flow : uint8_t { Next, Left };

/// Whether a loop of the program makes at least one iteration.
enum class FirstIteration : uint8_t { Perhaps, Always };

struct Stuck {
  FileRange place{};
  std::string message;
  std::string note;
};

/// A variable that a loop of the program carries, or a branch assigns.
struct Carried {
  kernel::VariableId variable{};
  MpcRegisterId reg{};
  Value shape{};  ///< what `reg` holds, as a value
};

/// A loop of the program that is being written.
struct OpenLoop {
  std::vector<Carried>* carried = nullptr;
  /// What the variables held at the exits, for the types of registers.
  std::vector<Env>* exits = nullptr;
  size_t n_lanes = 0;
};

/// Iterations put side by side.
struct OpenLane {
  int64_t extent = 1;
  bool is_of_iterations = false;                      ///< of a statement
  const IndependentIterations* iterations = nullptr;  ///< what the iterations do to variables
};

// lower_loop.cpp
/// first, first + step, … : n iterations that are known.
struct Iterations {
  Value first;
  int64_t step = 1;
  int64_t n = 0;
};

/// Places in `array`, row by row with its lanes, of what `indices` and `inner` name: -1 where a
/// lenient index or `mask` says so, -2 where another one is outside.
struct Places {
  Lanes lanes;
  Extents inner;
  std::optional<Affine> affine{};  ///< where all is inside: of the first inner element
  Value value{};                   ///< else
};

/// The state of `lower`.
struct Lowerer {
  Lowerer(kernel::Kernel kernel_, const LowerOptions& options_);

  const kernel::Kernel kernel;
  const LowerOptions& options;
  IterationAnalysis analysis;
  oblivious::Ranges ranges;
  Emitter emitter;
  engine::MpcProgram program;
  Env env;
  std::map<kernel::VariableId, kernel::VariableId> outside;  ///< what regions' variables stand for
  std::vector<OpenLane> lanes;
  /// The least and the greatest number that counters of open loops of the program may have.
  std::map<MpcRegisterId, std::pair<int64_t, int64_t>> counters;
  std::vector<OpenLoop> loops;
  /// What iterations select, by variable, until all of a selection is known.
  std::map<kernel::VariableId, Value> selected;
  /// By key: whether an iteration counts, if a selection has conditions.
  std::map<kernel::VariableId, Value> selection_counts;
  /// Of recurrences that are read in front of their assignment: what they hold there.
  std::map<kernel::VariableId, Value> held_before;
  std::optional<Value> mask;   ///< a public truth value: where statements take effect
  std::optional<Value> guard;  ///< the same of the expression that is being evaluated
  FileRange place{};
  std::vector<FileRange> places;            ///< by their numbers, from 1
  std::vector<FileRange> sequential_loops;  ///< of which no attempt found another form
  std::optional<Stuck> stuck;
  std::vector<Value> results;
  std::vector<MpcRegisterId> early_results;  ///< where a `return` may stand anywhere
};

auto integer(int64_t number) -> Value;
auto zero(const kernel::Type& type) -> Value;
auto type_of(const Lowerer& lowerer, kernel::VariableId variable) -> const kernel::Type&;
auto is_secret_in(const Lowerer& lowerer, const Value& value) -> bool;

// lower_statement.cpp
auto run(Lowerer& lowerer, const Block& block) -> Flow;
auto negated(Lowerer& lowerer, const Value& condition) -> Value;
auto widened(const Value& shape, const std::optional<Value>& value) -> Value;
/// The party of that name, which the program has from now on; none without a name.
auto party_named(Lowerer& lowerer, const std::string& name) -> engine::MpcPartyId;
/// Instructions carry the number of their place until the program is done.
void set_place(Lowerer& lowerer, FileRange place);
/// The name of a variable, or of what it stands for outside of its region.
auto name_of(const Lowerer& lowerer, kernel::VariableId variable) -> const std::string&;
void stick(Lowerer& lowerer, FileRange place, std::string_view message, std::string_view note = "");

// lower_loop.cpp
auto run(Lowerer& lowerer, const kernel::For& loop) -> Flow;

// program_loops.cpp
auto run(Lowerer& lowerer, const kernel::While& loop) -> Flow;
auto run(Lowerer& lowerer, const kernel::Break& exit) -> Flow;
auto run(Lowerer& lowerer, const kernel::Continue& exit) -> Flow;
/// Writes a loop: `head` and `body` for each try at the types of what is carried.
void run_loop(Lowerer& lowerer, const Block& body, const std::set<kernel::VariableId>& read_besides,
              const std::function<Flow()>& head, FirstIteration first = FirstIteration::Perhaps);
void assign_carried(Lowerer& lowerer, const std::vector<Carried>& carried);

// lower_expr.cpp
auto value_of(Lowerer& lowerer, kernel::ExprId expr) -> Value;
/// What is added to the element `store` names, of a value that adds to it.
auto added(Lowerer& lowerer, kernel::ExprId expr, const kernel::StoreElement& store) -> Value;
auto held_by(const Lowerer& lowerer, kernel::VariableId variable) -> Value;

// lower_draw.cpp
auto value_of(Lowerer& lowerer, const kernel::Draw& node, kernel::ExprId expr) -> Value;

// operations.cpp
auto binary(Lowerer& lowerer, MpcOpcode op, const Value& left, const Value& right) -> Value;
auto unary(Lowerer& lowerer, MpcOpcode op, const Value& operand) -> Value;
auto cast(Lowerer& lowerer, const Value& operand, ElementType to) -> Value;
auto select(Lowerer& lowerer, const Value& condition, const Value& then, const Value& otherwise)
    -> Value;
auto element_wise(Lowerer& lowerer, MpcOpcode op, ElementType element, std::vector<Value> operands)
    -> Value;
auto reduced(Lowerer& lowerer, MpcOpcode op, const Value& value, size_t dimension) -> Value;
auto reduced_lane(Lowerer& lowerer, MpcOpcode op, const Value& value, Lane lane) -> Value;

// place_values.cpp
auto lane_extents(const Lowerer& lowerer, const Lanes& lanes) -> Extents;
auto lanes_of(const Value& value) -> Lanes;
/// The register that holds the value in these lanes and shape.
auto in_register(Lowerer& lowerer, const Value& value, const Lanes& lanes, const Extents& extents)
    -> MpcRegisterId;
/// The same of a scalar that is equal in all lanes, without any.
auto scalar_register(Lowerer& lowerer, const Value& value) -> MpcRegisterId;
auto range_of(const Lowerer& lowerer, const Affine& affine) -> std::pair<__int128, __int128>;
auto element(Lowerer& lowerer, const Value& array, std::vector<Value> indices) -> Value;
auto view(Lowerer& lowerer, MpcRegisterId reg, int64_t offset, Extents strides,
          const Extents& extents) -> MpcRegisterId;
auto tabulated(Lowerer& lowerer, const Value& body, Lane lane) -> Value;
void store(Lowerer& lowerer, kernel::VariableId variable, const std::vector<Value>& indices,
           uint64_t lenient, const Value& value, bool adds);

inline auto integer(int64_t number) -> Value {
  return literal_value(engine::kI64, static_cast<engine::Cell>(number));
}

inline auto zero(const kernel::Type& type) -> Value {
  return literal_value(type.element, 0, type.extents);
}

inline auto type_of(const Lowerer& lowerer, kernel::VariableId variable) -> const kernel::Type& {
  return lowerer.kernel.variables[variable].type;
}

inline auto is_secret_in(const Lowerer& lowerer, const Value& value) -> bool {
  return value.reg.has_value() && lowerer.emitter.is_secret(value.reg);
}

/// The extents of a value in lanes, those of the lanes first.
auto extents_in_lanes(const Lowerer& lowerer, const Lanes& lanes, const Extents& extents)
    -> Extents;

/// A new register for a variable that a loop carries, or a branch assigns.
auto new_carried(Lowerer& lowerer, kernel::VariableId variable, Value shape, bool is_secret)
    -> Carried;
/// The variables hold what is in their registers from now on.
void hold_carried(Lowerer& lowerer, const std::vector<Carried>& carried);

}  // namespace tacet::mpc_lower
