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

/// The state of `lift`.
class Lifter {
 public:
  /// For one of the kernel's results.
  Lifter(const kernel::Kernel& kernel, size_t result, const engine::PublicRandomKey& key);

  auto run() -> Lifting;

 private:
  /// Arrays for the fractions that the text says; all fixed-point numbers must have as many bits.
  void add_fractions();
  /// Sticks where a value is not arithmetic, if it is of fixed-point numbers.
  void check_fixed(TermId value);
  using Block = kernel::Block;
  using Env = std::vector<VariableState>;  ///< by variable
  /// How a block ends.
  enum class Flow : uint8_t { Next, Break, Continue, Return };

  /// Why the kernel, or a loop as a dimension, is no array program.
  struct Stuck {
    DiagnosticCode code = DiagnosticCode::T6001;
    FileRange place{};
    std::string message;
    std::string note;
  };

  /// A loop while its iterations are put together.
  struct Iterations {
    DimId dim{};
    int64_t n = 0;  ///< of iterations
    Env after{};    ///< one iteration, from what is carried
    std::vector<uint32_t> written{};
    uint32_t first_carried = 0;    ///< of the first that is written; others follow
    std::vector<uint32_t> open{};  ///< those whose value in an iteration is being found
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

  /// An expression that is known for the run's key, as a function of indices: those that its
  /// variables are, one after the other.
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

  // draw_values.cpp
  void find_draws();
  /// The term of what is made of draws and counters alone; nothing of anything else.
  auto drawn(kernel::ExprId expr, const std::vector<Index>& at) -> std::optional<TermId>;
  auto drawn_value(uint32_t number, std::vector<int64_t> indices)
      -> const std::optional<kernel::Value>&;
  auto drawn_element(uint32_t number, const std::vector<int64_t>& indices) -> int64_t;
  auto value(const kernel::Draw& draw, kernel::ExprId expr, const std::vector<Index>& at) -> TermId;

  // run_statement.cpp
  auto run(const Block& block) -> Flow;
  auto run(const kernel::Assign& assign, FileRange place) -> Flow;
  auto run(const kernel::StoreElement& store, FileRange place) -> Flow;
  auto run(const kernel::If& branch, FileRange place) -> Flow;
  auto run(const kernel::While& loop, FileRange place) -> Flow;
  auto run(const kernel::Return& statement, FileRange place) -> Flow;
  auto run(const kernel::SecretRegion& region, FileRange place) -> Flow;
  auto run(const kernel::Call& call, FileRange place) -> Flow;
  auto run(const kernel::Reveal& reveal, FileRange place) -> Flow;
  auto run(const kernel::Break&, FileRange) -> Flow { return Flow::Break; }
  auto run(const kernel::Continue&, FileRange) -> Flow { return Flow::Continue; }
  auto run(const kernel::Separator&, FileRange) -> Flow { return Flow::Next; }
  auto run_either(TermId condition, const Block& then, const Block& otherwise, FileRange place)
      -> Flow;
  auto merged(TermId condition, const ArrayState& before, const ArrayState& then,
              const ArrayState& otherwise, kernel::VariableId variable) -> ArrayState;
  auto merged_writes(TermId condition, const ArrayState& before,
                     const std::array<const ArrayState*, 2>& sides,
                     const std::vector<int64_t>& extents) -> std::optional<ArrayState>;
  void store_all(kernel::VariableId variable, const std::vector<DimId>& dims, TermId value);

  // run_loop.cpp
  auto run(const kernel::For& loop, FileRange place) -> Flow;
  auto run_iterations(const kernel::For& loop, const Index& first, int64_t step, int64_t n,
                      std::optional<Index> upper, FileRange place) -> Flow;
  auto run_together(const kernel::For& loop, const Index& first, int64_t step, int64_t n,
                    const std::optional<Index>& upper, FileRange place) -> bool;
  void check_levels(uint32_t most, FileRange place);
  auto run_iteration(const kernel::For& loop, const Index& counter,
                     const std::optional<Index>& upper, FileRange place) -> Flow;

  // join_iterations.cpp
  auto join(Iterations& iterations) -> bool;
  auto final_scalar(Iterations& iterations, uint32_t variable) -> std::optional<TermId>;
  /// What a carried scalar holds in the iteration.
  auto scalar_in_iteration(Iterations& iterations, uint32_t variable) -> std::optional<TermId>;
  auto scalar_in_iteration(Iterations& iterations, uint32_t variable, TermId before, TermId carried)
      -> std::optional<TermId>;
  auto final_array(Iterations& iterations, uint32_t variable) -> std::optional<ArrayState>;
  auto final_write(Iterations& iterations, uint32_t variable, const Write& write)
      -> std::optional<Write>;
  /// With what is carried found out, but for what `keep` says.
  auto resolved(Iterations& iterations, TermId term, std::optional<TermId> keep)
      -> std::optional<TermId>;
  auto is_untouched(const Iterations& iterations, uint32_t variable, const std::vector<Index>& at)
      -> bool;
  auto are_apart(const Iterations& iterations, const std::vector<Index>& left,
                 const std::vector<Index>& right) -> bool;
  /// What it holds when an iteration begins.
  static auto carried_by(const Iterations& iterations, uint32_t variable) -> uint32_t;
  auto split(array::Operator op, TermId term, TermId carried) -> std::optional<TermId>;
  auto contains(TermId term, TermId carried) const -> bool;
  auto contains(const Iterations& iterations, TermId term) const -> bool;

  // join_choices.cpp
  auto joined_choices(Iterations& iterations, uint32_t variable, std::optional<Index> here)
      -> std::optional<TermId>;
  auto update_of(TermId term, TermId carried) -> std::optional<Update>;
  auto with_value(TermId term, TermId carried, int64_t value) -> TermId;
  auto set_by(const Iterations& iterations, uint32_t variable) -> std::optional<TermId>;
  auto support_of(TermId term) -> TermId;
  auto negated(TermId truth) -> TermId;
  auto changes_once(const Iterations& iterations, const Update& update) -> bool;
  [[nodiscard]] auto is_bit(TermId term) const -> bool;
  auto stored(Iterations& iterations, TermId value, bool is_truth) -> TermId;
  auto with_stored(const Iterations& iterations, TermId term) -> TermId;
  auto over_iterations(const Iterations& iterations, array::Operator op, TermId term, Which which,
                       const Index& here) -> std::optional<TermId>;

  // join_extremes.cpp
  auto joined_extreme(Iterations& iterations, uint32_t variable) -> std::optional<TermId>;
  auto compared_in_iteration(TermId after, TermId carried) -> std::optional<Extreme>;
  auto extreme_of(bool is_greatest, array::Width width, TermId a, TermId b) -> TermId;
  /// Of `all`, which has values along `dim`; nothing if it cannot be halved.
  auto extreme_along(Iterations& iterations, bool is_greatest, array::Width width, TermId all,
                     DimId dim) -> std::optional<TermId>;

  // evaluate_expr.cpp
  auto value(kernel::ExprId expr, const std::vector<Index>& at) -> TermId;
  auto value(const kernel::Literal& literal, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Read& read, kernel::ExprId expr, const std::vector<Index>& at) -> TermId;
  auto value(const kernel::Element& element, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Unary& unary, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Binary& binary, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Select& select, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Cast& cast, kernel::ExprId expr, const std::vector<Index>& at) -> TermId;
  auto value(const kernel::ArrayLiteral& literal, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Tabulate& tabulate, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Reduce& reduce, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Rotate& rotate, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto value(const kernel::Apply& apply, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto operand(kernel::ExprId expr, const std::vector<Index>& at) -> TermId;

  // evaluate_order.cpp
  auto extreme_of_array(const kernel::Apply& apply, const std::vector<Index>& at) -> TermId;
  auto ordered(const kernel::Apply& apply, kernel::ExprId expr, const std::vector<Index>& at)
      -> TermId;
  auto rank_of(TermId key, array::Width width, DimId at) -> std::optional<TermId>;

  /// A number of the text that no secret says; wrapped to its type.
  auto index(kernel::ExprId expr) -> std::optional<Index>;
  /// The same of a place in arrays whose extents are at most `extent`: outside may be any number.
  auto address(kernel::ExprId expr, int64_t extent) -> std::optional<Index>;
  auto index_of(TermId term, engine::ElementKind kind) -> std::optional<Index>;
  auto refuse_index(kernel::ExprId expr, TermId term) -> std::optional<Index>;
  auto arithmetic(types::Operator op, engine::ElementType type, TermId left, TermId right,
                  FileRange place) -> TermId;
  auto shifted(types::Operator op, array::Width width, TermId left, TermId right, FileRange place)
      -> TermId;

  // check_faults.cpp
  struct PublicFault {
    DiagnosticCode code = DiagnosticCode::T8001;
    FileRange place{};
    std::string certain;   ///< what is wrong if it is sure to happen
    std::string possible;  ///< and if that is not known
    std::string hint;
  };

  template <class Run>
  void where(TermId condition, const Run& run);
  /// Sticks unless evaluating the expression is never a fault that everybody may know.
  void check_faults(kernel::ExprId expr);
  void check_operand(const kernel::Binary& binary, FileRange place);
  auto is_known_nonzero(TermId term) const -> bool;
  void check_store(const kernel::StoreElement& store, const std::vector<Index>& at);
  /// Sticks unless `fault`, a truth value, is 0 wherever the text is reached.
  void rule_out(TermId fault, const PublicFault& what);

  // read_array.cpp
  auto read(kernel::VariableId variable, const std::vector<Index>& at) -> TermId;
  auto read(const ArrayState& state, const std::vector<int64_t>& extents,
            const std::vector<Index>& at) -> std::optional<TermId>;
  /// The same of what it holds now, as an array of the program if need be.
  auto find(kernel::VariableId variable, const std::vector<Index>& at) -> std::optional<TermId>;
  auto is_dear_by_element(kernel::VariableId variable, const std::vector<Index>& at) -> bool;
  /// What a write gives an element; nothing if it does not touch it, and no value if that is
  /// unknown.
  struct Touch {
    Meeting meeting = Meeting::Perhaps;
    TermId value{};
  };
  auto touch(const Write& write, const std::vector<Index>& at) -> Touch;
  /// An array of the program with what the variable holds.
  auto materialise(kernel::VariableId variable) -> bool;
  auto value_of_state(const ArrayState& state, const std::vector<Index>& at) -> TermId;
  auto written_value(const Write& write, const std::vector<Index>& at, TermId below) -> TermId;
  static void substitute_array(Terms& terms, const Substitution& by, ArrayState& state,
                               bool& fails);

  // reroll.cpp
  auto rerolled(std::vector<Write> writes) -> std::vector<Write>;
  auto family(std::span<const Write> writes) -> std::optional<Write>;
  auto pattern_of(TermId first, TermId second, DimId dim) -> std::optional<TermId>;
  auto rerolled_sums(TermId term) -> TermId;

  auto refuse_fraction(FileRange place) -> TermId;
  auto with_cases_as_sums(TermId root) -> TermId;
  auto stick(FileRange place, std::string_view what, std::string_view note,
             DiagnosticCode code = DiagnosticCode::T6001) -> TermId;
  [[nodiscard]] auto type(kernel::VariableId variable) const -> const kernel::Type& {
    return kernel_.variables[variable].type;
  }
  [[nodiscard]] auto state(kernel::VariableId variable) -> VariableState& {
    return env_[variable.index];
  }
  auto new_dims(const std::vector<int64_t>& extents, std::string_view name) -> std::vector<DimId>;
  static auto along(const std::vector<DimId>& dims) -> std::vector<Index>;
  template <class Names>
  void add_reciprocal(const kernel::Binary& division, FileRange place, Names& names);

  const kernel::Kernel& kernel_;
  size_t n_steps_ = 0;
  size_t result_;
  Terms terms_;
  array::Program inputs_;  ///< without statements
  std::map<engine::Cell, uint32_t>
      fractions_;  ///< arrays, by what fixed-point numbers are stored as
  /// Arrays of what is 1 by a fixed-point number, by what that is stored as.
  std::map<engine::Cell, uint32_t> reciprocals_;
  std::vector<Computed> computed_;
  Env env_;
  std::vector<DimId> around_;  ///< of the loops that are being run together
  uint32_t n_carried_ = 0;
  std::optional<Stuck> stuck_;
  TermId reached_;                  ///< 1 where the text is reached that is run now
  std::optional<TermId> returned_;  ///< a scalar, or an array along `result_dims_`
  std::vector<DimId> result_dims_;
  engine::PublicRandomKey random_key_;
  bool has_draws_ = false;
  std::vector<DrawnValue> drawn_;
  std::map<std::pair<uint32_t, std::vector<int64_t>>, std::optional<kernel::Value>> drawn_values_;
  std::optional<FileRange> failed_draw_;
};

}  // namespace tacet::lift
