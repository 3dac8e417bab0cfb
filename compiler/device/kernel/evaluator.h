#pragma once

#include <map>
#include <vector>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/evaluate.h"

/// Private to this folder.
namespace tacet::kernel {

/// A value while it is computed.
struct Data {
  std::vector<Cell> cells;
  std::vector<uint8_t> secret;  ///< by cell: 1 if it depends on a secret

  Data() = default;
  explicit Data(size_t n) : cells(n), secret(n) {}

  void taint(bool is_secret) {
    if (is_secret) {
      secret.assign(secret.size(), 1);
    }
  }
};

/// The state of `evaluate`.
class Evaluator {
 public:
  Evaluator(const Kernel& kernel, const EvaluationOptions& options)
      : kernel_(kernel), options_(options), held_(kernel.variables.size()) {}

  auto run(const std::vector<Value>& inputs) -> Evaluation;
  auto run(ExprId expr, const std::vector<std::pair<VariableId, Value>>& held)
      -> std::optional<Value>;

 private:
  enum class Flow : uint8_t { Next, Break, Continue, Return };

  /// A loop that is being run, and what a secret decided about it.
  struct Loop {
    bool is_left = false;      ///< whether it continues
    bool is_skipping = false;  ///< whether the rest of this iteration runs
  };

  /// Where indices lead in an array, counted in parts of the size of what is there.
  struct Place {
    uint64_t at = 0;
    bool is_inside = true;
    bool is_secret = false;
  };

  /// What a statement may do to the flow around it, whatever is inside of it.
  struct Jumps {
    bool breaks = false;
    bool continues = false;
    bool returns = false;
  };

  // evaluate.cpp
  auto run_block(const Block& block) -> Flow;
  auto run_statement(StatementId id) -> Flow;
  void assign(VariableId variable, Data value);
  void store(const StoreElement& node);
  auto branch(const If& node) -> Flow;
  auto count(const For& node) -> Flow;
  auto repeat(const While& node) -> Flow;
  /// One iteration; `Next` if the loop continues.
  auto iteration(const Block& body) -> Flow;
  auto begin_iteration(std::optional<Data>& limit, uint64_t& n_iterations, ExprId test) -> bool;
  void end_loop(const Block& body);
  void call(const Call& node);
  void region(const SecretRegion& node);
  void taint_written(const Block& block);
  auto jumps_of(const Block& block) -> Jumps;

  // evaluate_expression.cpp
  auto value(ExprId id) -> Data;
  auto scalar(ExprId id, bool& is_secret) -> Cell;
  /// A fault outside of the array, but not by an index whose bit in `lenient` is set.
  auto place_of(const std::vector<ExprId>& indices, const std::vector<int64_t>& extents,
                uint64_t lenient) -> Place;
  auto element(ExprId id, const Element& node) -> Data;
  auto unary(const Unary& node) -> Data;
  auto binary(ExprId id, const Binary& node) -> Data;
  auto short_circuit(const Binary& node) -> Data;
  auto select(const Select& node) -> Data;
  auto cast(ExprId id, const Cast& node) -> Data;
  auto tabulate(ExprId id, const Tabulate& node) -> Data;
  auto reduce(ExprId id, const Reduce& node) -> Data;
  auto rotate(ExprId id, const Rotate& node) -> Data;
  auto apply(ExprId id, const Apply& node) -> Data;
  auto draw(ExprId id, const Draw& node) -> Data;

  // shared
  [[nodiscard]] auto is_under_secret() const -> bool;
  auto variable(VariableId id) -> Data&;
  [[nodiscard]] auto cells_of(const Type& type) const -> size_t {
    return static_cast<size_t>(n_elements(type));
  }
  [[nodiscard]] auto type(ExprId id) const -> const Type& { return kernel_.exprs[id].type; }
  void record(Event::Kind kind, ExprId expr, Cell value, bool is_secret);
  void fail(Fault fault, ExprId expr, bool is_secret);
  [[nodiscard]] auto has_failed() const -> bool { return result_.fault.has_value(); }
  void spend(uint64_t n_steps);

  const Kernel& kernel_;
  const EvaluationOptions& options_;
  Evaluation result_;
  std::vector<Data> held_;  ///< by variable; empty while nothing was assigned
  std::vector<Loop> loops_;
  uint32_t n_secret_branches_ = 0;  ///< around what is being run
  bool has_left_ = false;           ///< a secret decides whether the function has returned
  StatementId statement_;
  std::vector<Data> returned_;
  std::map<const Block*, Jumps> jumps_;
};

}  // namespace tacet::kernel
