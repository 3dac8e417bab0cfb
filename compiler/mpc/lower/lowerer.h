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

/// The state of `lower`.
class Lowerer {
 public:
  Lowerer(kernel::Kernel kernel, const LowerOptions& options);

  auto run() -> Lowering;

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

  // lower_statement.cpp
  auto run(const Block& block) -> Flow;
  auto run(kernel::StatementId id) -> Flow;
  auto run(const kernel::Assign& assign) -> Flow;
  auto run(const kernel::StoreElement& store) -> Flow;
  auto run(const kernel::If& branch) -> Flow;
  auto run(const kernel::For& loop) -> Flow;
  auto run(const kernel::While& loop) -> Flow;
  auto run(const kernel::Break& exit) -> Flow;
  auto run(const kernel::Continue& exit) -> Flow;
  auto run(const kernel::Return& statement) -> Flow;
  auto run(const kernel::Call& call) -> Flow;
  auto run(const kernel::Reveal& reveal) -> Flow;
  auto run(const kernel::SecretRegion& region) -> Flow;
  auto run(const kernel::Separator& separator) -> Flow;
  void assign(kernel::VariableId variable, Value value);
  auto branch(const Value& condition, const Block& then, const Block& otherwise) -> Flow;
  void masked(const Value& condition, const Block& then, const Block& otherwise);
  auto negated(const Value& condition) -> Value;

  // lower_loop.cpp
  /// first, first + step, … : n iterations that are known.
  struct Iterations {
    Value first;
    int64_t step = 1;
    int64_t n = 0;
  };
  auto known_iterations(const kernel::For& loop, const Value& lower, const Value& upper)
      -> std::optional<Iterations>;
  auto counter(const Iterations& iterations, ElementType element, const Affine& iteration) -> Value;
  auto run_together(const kernel::For& loop, const Iterations& iterations) -> bool;
  auto run_triangle(const kernel::For& loop, const Value& lower, const Value& upper) -> bool;
  void finish_lane(const IndependentIterations& iterations, Lane lane, const Env& before);
  void forgive_step(Value& step, std::optional<Value>& max);
  auto unrolled(const kernel::For& loop, const Iterations& iterations) -> Flow;
  /// Writes a loop: `head` and `body` for each try at the types of what is carried.
  void run_loop(const Block& body, const std::set<kernel::VariableId>& read_besides,
                const std::function<Flow()>& head, FirstIteration first = FirstIteration::Perhaps);
  auto carried_by(const Block& body, const std::set<kernel::VariableId>& read_besides) const
      -> std::vector<kernel::VariableId>;
  void assign_carried(const std::vector<Carried>& carried);
  auto widened(const Value& shape, const std::optional<Value>& value) const -> Value;

  // lower_expr.cpp
  auto value(kernel::ExprId expr) -> Value;
  auto value(const kernel::Literal& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Read& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Element& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Unary& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Binary& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Select& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Cast& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::ArrayLiteral& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Tabulate& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Reduce& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Rotate& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Apply& node, kernel::ExprId expr) -> Value;
  auto value(const kernel::Draw& node, kernel::ExprId expr) -> Value;
  auto drawable(const Value& n) -> Value;
  auto ordered(const kernel::Apply& node, kernel::ExprId expr, const Value& first) -> Value;
  auto extremum(const kernel::Select& node) -> std::optional<Value>;
  auto unfailing(MpcOpcode op, const Value& right) -> Value;
  auto total(MpcOpcode op, const Value& left, const Value& right, kernel::ExprId expr) -> Value;
  auto guarded_value(const Value& condition, kernel::ExprId expr) -> Value;
  auto choice(const Value& condition, kernel::ExprId then, kernel::ExprId otherwise) -> Value;
  /// What is added to the element `store` names, of a value that adds to it.
  auto added(kernel::ExprId expr, const kernel::StoreElement& store) -> Value;

  // operations.cpp
  auto binary(MpcOpcode op, const Value& left, const Value& right) -> Value;
  auto folded(MpcOpcode op, const Value& left, const Value& right) -> std::optional<Value>;
  auto affine_result(MpcOpcode op, const Value& left, const Value& right) -> std::optional<Value>;
  auto unary(MpcOpcode op, const Value& operand) -> Value;
  auto cast(const Value& operand, ElementType to) -> Value;
  auto select(const Value& condition, const Value& then, const Value& otherwise) -> Value;
  auto element_wise(MpcOpcode op, ElementType element, std::vector<Value> operands) -> Value;
  auto reduced(MpcOpcode op, const Value& value, size_t dimension) -> Value;
  auto reduced_lane(MpcOpcode op, const Value& value, Lane lane) -> Value;
  auto integer(int64_t number) const -> Value {
    return literal_value(engine::kI64, static_cast<engine::Cell>(number));
  }

  // place_values.cpp
  auto lane_extents(const Lanes& lanes) const -> Extents;
  auto lanes_of(const Value& value) const -> Lanes;
  /// The register that holds the value in these lanes and shape.
  auto in_register(const Value& value, const Lanes& lanes, const Extents& extents) -> MpcRegisterId;
  /// The same of a scalar that is equal in all lanes, without any.
  auto scalar_register(const Value& value) -> MpcRegisterId;
  auto with_lanes(const Value& value, const Lanes& lanes) -> Value;
  auto range_of(const Affine& affine) const -> std::pair<__int128, __int128>;
  auto is_inside(const Value& index, int64_t extent) const -> bool;
  auto element(const Value& array, std::vector<Value> indices) -> Value;
  /// Places in `array`, row by row with its lanes, of what `indices` and `inner` name: -1 where a
  /// lenient index or `mask` says so, -2 where another one is outside.
  struct Places {
    Lanes lanes;
    Extents inner;
    std::optional<Affine> affine{};  ///< where all is inside: of the first inner element
    Value value{};                   ///< else
  };
  auto places(const Value& array, const std::vector<Value>& indices, uint64_t lenient,
              const std::optional<Value>& mask, Lanes lanes) -> Places;
  /// The strides of affine places: along the lanes, then along what is within.
  static auto affine_strides(const Places& at) -> Extents;
  auto view(MpcRegisterId reg, int64_t offset, Extents strides, const Extents& extents)
      -> MpcRegisterId;
  auto tabulated(const Value& body, Lane lane) -> Value;
  void store(kernel::VariableId variable, const std::vector<Value>& indices, uint64_t lenient,
             const Value& value, bool adds);

  /// Instructions carry the number of their place until the program is done.
  void set_place(FileRange place);
  void finish_places();
  auto diagnostic_of(const FixedFinding& finding) const -> Diagnostic;
  /// The name of a variable, or of what it stands for outside of its region.
  auto name_of(kernel::VariableId variable) const -> const std::string&;
  void refuse_types();
  /// Sticks where the numbers of a format have no room for what is computed with secrets.
  void refuse_format(MpcOpcode op, const std::vector<MpcRegisterId>& operands);
  void stick(FileRange place, std::string_view message, std::string_view note = "");
  auto zero(const kernel::Type& type) const -> Value {
    return literal_value(type.element, 0, type.extents);
  }
  auto held(kernel::VariableId variable) const -> Value;
  auto type(kernel::VariableId variable) const -> const kernel::Type& {
    return kernel_.variables[variable].type;
  }
  auto party(const std::string& name) -> engine::MpcPartyId;
  auto is_secret(const Value& value) const -> bool {
    return value.reg.has_value() && emitter_.is_secret(value.reg);
  }

  const kernel::Kernel kernel_;
  const LowerOptions& options_;
  IterationAnalysis analysis_;
  oblivious::Ranges ranges_;
  Emitter emitter_;
  engine::MpcProgram program_;
  Env env_;
  std::map<kernel::VariableId, kernel::VariableId> outside_;  ///< what regions' variables stand for
  std::vector<OpenLane> lanes_;
  std::vector<OpenLoop> loops_;
  std::optional<Value> mask_;   ///< a public truth value: where statements take effect
  std::optional<Value> guard_;  ///< the same of the expression that is being evaluated
  FileRange place_{};
  std::vector<FileRange> places_;  ///< by their numbers, from 1
  std::optional<Stuck> stuck_;
  std::vector<Value> results_;
  std::vector<MpcRegisterId> early_results_;  ///< where a `return` may stand anywhere
};

/// The extents of a value in lanes, those of the lanes first.
auto extents_in_lanes(const Lowerer& lowerer, const Lanes& lanes, const Extents& extents)
    -> Extents;

/// A new register for a variable that a loop carries, or a branch assigns.
auto new_carried(Lowerer& lowerer, kernel::VariableId variable, Value shape, bool is_secret)
    -> Lowerer::Carried;
/// The variables hold what is in their registers from now on.
void hold_carried(Lowerer& lowerer, const std::vector<Lowerer::Carried>& carried);

}  // namespace tacet::mpc_lower
