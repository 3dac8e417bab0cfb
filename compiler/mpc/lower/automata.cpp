#include "compiler/mpc/lower/automata.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"

namespace tacet::mpc_lower {

using kernel::Block;
using kernel::ExprId;
using kernel::VariableId;
using types::Operator;

namespace {

constexpr int64_t kMostStates = 16;
/// A shorter chain takes no more rounds than a tree and its leaves.
constexpr int64_t kFewIterations = 12;

/// What a variable is compared with, in a body.
class ComparisonFinder {
 public:
  ComparisonFinder(const kernel::Kernel& kernel, VariableId variable)
      : kernel_(kernel), variable_(variable) {}

  /// Is it only compared with numbers from 0 on? The least number above them.
  auto run(const Block& body) -> std::optional<int64_t> {
    walk(body);
    return is_only_compared_ && n_states_ > 0 ? std::optional(n_states_) : std::nullopt;
  }

 private:
  [[nodiscard]] auto is_read(ExprId expr) const -> bool {
    const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[expr].node);
    return read != nullptr && read->variable == variable_;
  }

  void walk(const Block& block) {
    for (const kernel::StatementId id : block) {
      const kernel::Statement& statement = kernel_.statements[id];
      if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
        const auto* lower = std::get_if<kernel::Literal>(&kernel_.exprs[loop->lower].node);
        const auto* upper = std::get_if<kernel::Literal>(&kernel_.exprs[loop->upper].node);
        if (lower != nullptr && upper != nullptr && static_cast<int64_t>(lower->cell) >= 0) {
          ends_[loop->counter] = static_cast<int64_t>(upper->cell);
        }
      }
      kernel::visit_exprs(statement, [&](ExprId expr) { walk(expr); });
      kernel::visit_blocks(statement, [&](const Block& inner) { walk(inner); });
    }
  }

  void walk(ExprId id) {
    if (is_read(id)) {
      is_only_compared_ = false;
      return;
    }
    const kernel::Expr& expr = kernel_.exprs[id];
    if (const auto* tabulate = std::get_if<kernel::Tabulate>(&expr.node)) {
      ends_[tabulate->index] = expr.type.extents.front();
    }
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    if (binary != nullptr && (binary->op == Operator::Eq || binary->op == Operator::Neq) &&
        is_read(binary->left) != is_read(binary->right)) {
      compare(is_read(binary->left) ? binary->right : binary->left);
      return;
    }
    kernel::visit_exprs(expr, [&](ExprId inner) { walk(inner); });
  }

  void compare(ExprId with) {
    const kernel::Expr& expr = kernel_.exprs[with];
    std::optional<int64_t> end;
    if (const auto* literal = std::get_if<kernel::Literal>(&expr.node)) {
      const auto number = static_cast<int64_t>(literal->cell);
      end = number >= 0 && number < kMostStates ? std::optional(number + 1) : std::nullopt;
    } else if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
      const auto found = ends_.find(read->variable);
      end = found == ends_.end() ? std::nullopt : std::optional(found->second);
    }
    is_only_compared_ = is_only_compared_ && end;
    n_states_ = std::max(n_states_, end.value_or(0));
  }

  const kernel::Kernel& kernel_;
  VariableId variable_;
  std::map<VariableId, int64_t> ends_;  ///< of what counts from 0 or more
  int64_t n_states_ = 0;
  bool is_only_compared_ = true;
};

/// Writes the tree. Matrices are [n, d, d], by state before and state behind; state d - 1 stands
/// for all other numbers.
class Tree {
 public:
  Tree(Lowerer& lowerer, int64_t n_states)
      : emitter_(lowerer.emitter), n_states_(n_states), d_(n_states + 1) {}

  /// What follows in all iterations, [n, d] numbers; from what there was before.
  auto run(MpcRegisterId follows, MpcRegisterId before, int64_t n, ElementType element)
      -> MpcRegisterId {
    MpcRegisterId matrices = one_hot(follows, n, element);
    matrices = view(matrices, 0, {n - 1, d_, d_}, {d_ * d_, d_, 1});
    const MpcRegisterId all = product(matrices, n - 1);
    // The state before the last iteration, as a row of truth values.
    const MpcRegisterId first = one_hot_row(before, element);
    const MpcRegisterId rows = view(first, 0, {d_, d_}, {0, 1});
    const MpcRegisterId columns = view(all, 0, {d_, d_}, {1, d_});
    const MpcRegisterId state = sum(conjunction(rows, columns, {d_, d_}), {d_}, 1);
    const MpcRegisterId weights = emitter_.emit(MpcOpcode::Cast, element, {d_}, {state});
    const MpcRegisterId last = view(follows, (n - 1) * d_, {d_}, {1});
    return emitter_.emit(MpcOpcode::Dot, element, {}, {weights, last});
  }

 private:
  auto view(MpcRegisterId of, int64_t offset, const Extents& extents, const Extents& strides)
      -> MpcRegisterId {
    std::vector<int64_t> numbers{offset};
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    return emitter_.emit(MpcOpcode::View, emitter_.type(of).element, extents, {of},
                         std::move(numbers));
  }
  auto iota(const Extents& extents, std::vector<int64_t> numbers, ElementType element)
      -> MpcRegisterId {
    return emitter_.emit(MpcOpcode::Iota, element, extents, {}, std::move(numbers));
  }
  auto conjunction(MpcRegisterId a, MpcRegisterId b, const Extents& extents) -> MpcRegisterId {
    return emitter_.emit(MpcOpcode::Land, engine::kBool, extents, {a, b});
  }
  auto sum(MpcRegisterId of, const Extents& extents, int64_t axis) -> MpcRegisterId {
    return emitter_.emit(MpcOpcode::ReduceXor, engine::kBool, extents, {of}, {axis});
  }

  /// Numbers [n, d] as rows in which the one of the number is true.
  auto one_hot(MpcRegisterId numbers, int64_t n, ElementType element) -> MpcRegisterId {
    const Extents shape{n, d_, n_states_};
    const MpcRegisterId known =
        emitter_.emit(MpcOpcode::Eq, engine::kBool, shape,
                      {view(numbers, 0, shape, {d_, 1, 0}), iota(shape, {0, 0, 0, 1}, element)});
    const MpcRegisterId other =
        emitter_.emit(MpcOpcode::Not, engine::kBool, {n, d_}, {sum(known, {n, d_}, 2)});
    const Extents whole{n, d_, d_};
    MpcRegisterId matrices = emitter_.emit(MpcOpcode::Constant, engine::kBool, whole, {}, {0});
    matrices = emitter_.emit(MpcOpcode::Place, engine::kBool, whole,
                             {matrices, iota(shape, {0, d_ * d_, d_, 1}, engine::kI64), known});
    return emitter_.emit(MpcOpcode::Place, engine::kBool, whole,
                         {matrices, iota({n, d_}, {n_states_, d_ * d_, d_}, engine::kI64), other});
  }

  auto one_hot_row(MpcRegisterId number, ElementType element) -> MpcRegisterId {
    const MpcRegisterId known = emitter_.emit(MpcOpcode::Eq, engine::kBool, {n_states_},
                                              {number, iota({n_states_}, {0, 1}, element)});
    const MpcRegisterId other =
        emitter_.emit(MpcOpcode::Not, engine::kBool, {}, {sum(known, {}, 0)});
    return emitter_.emit(MpcOpcode::Concat, engine::kBool, {d_}, {known, other});
  }

  /// Of n matrices in order, [d, d].
  auto product(MpcRegisterId matrices, int64_t n) -> MpcRegisterId {
    const int64_t size = d_ * d_;
    while (n > 1) {
      const int64_t half = n / 2;
      const Extents terms{half, d_, d_, d_};
      const MpcRegisterId earlier = view(matrices, 0, terms, {2 * size, d_, 0, 1});
      const MpcRegisterId later = view(matrices, size, terms, {2 * size, 0, 1, d_});
      MpcRegisterId joined = sum(conjunction(earlier, later, terms), {half, d_, d_}, 3);
      if (n % 2 != 0) {
        const MpcRegisterId last = view(matrices, (n - 1) * size, {1, d_, d_}, {size, d_, 1});
        joined =
            emitter_.emit(MpcOpcode::Concat, engine::kBool, {half + 1, d_, d_}, {joined, last});
      }
      matrices = joined;
      n = (n + 1) / 2;
    }
    return view(matrices, 0, {d_, d_}, {d_, 1});
  }

  Emitter& emitter_;
  int64_t n_states_;
  int64_t d_;
};

}  // namespace

auto find_automaton(const Lowerer& lowerer, const kernel::For& loop) -> std::optional<Automaton> {
  const kernel::Kernel& kernel = lowerer.kernel;
  const kernel::Effects effects = kernel::effects_of(kernel, loop.body);
  if (effects.calls || effects.returns || effects.breaks || effects.may_not_end ||
      effects.reveals) {
    return std::nullopt;
  }
  const std::set<VariableId> exposed = lowerer.analysis.exposed(loop.body);
  std::optional<VariableId> state;
  for (const VariableId variable : kernel::variables_written(kernel, loop.body)) {
    if (variable == loop.counter ||
        (!exposed.contains(variable) && !lowerer.analysis.is_read_outside(variable, loop.body))) {
      continue;
    }
    const kernel::Type& type = kernel.variables[variable].type;
    if (state || !type.extents.empty() || !engine::is_integer(type.element.kind) ||
        !exposed.contains(variable)) {
      return std::nullopt;
    }
    state = variable;
  }
  const std::optional<int64_t> n_states =
      state ? ComparisonFinder(kernel, *state).run(loop.body) : std::nullopt;
  return n_states && *n_states <= kMostStates ? std::optional(Automaton{*state, *n_states})
                                              : std::nullopt;
}

auto run_automaton(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations,
                   const Value& counter) -> bool {
  const std::optional<Automaton> automaton =
      iterations.n >= kFewIterations && lowerer.lanes.size() == 1 && !lowerer.mask
          ? find_automaton(lowerer, loop)
          : std::nullopt;
  if (!automaton) {
    return false;
  }
  const int64_t d = automaton->n_states + 1;
  if (iterations.n / 2 * d * d * d > lowerer.options.most_lanes) {
    return false;
  }
  const ElementType element = type_of(lowerer, automaton->state).element;
  const MpcRegisterId before = scalar_register(lowerer, held_by(lowerer, automaton->state));
  const Lane of_iteration = 0;
  const Lane of_state = 1;
  lowerer.lanes.push_back({.extent = d});
  Value state{.element = element};
  state.affine = Affine{.offset = 0, .terms = {{of_state, 1}}};
  lowerer.env[automaton->state.index] = state;
  lowerer.env[loop.counter.index] = counter;
  run(lowerer, loop.body);
  MpcRegisterId follows;
  if (!lowerer.stuck) {
    follows =
        in_register(lowerer, held_by(lowerer, automaton->state), {of_iteration, of_state}, {});
  }
  lowerer.lanes.pop_back();
  if (lowerer.stuck) {
    return false;
  }
  for (const VariableId variable : kernel::variables_written(lowerer.kernel, loop.body)) {
    lowerer.env[variable.index].reset();
  }
  lowerer.env[loop.counter.index].reset();
  Value result{.element = element};
  result.reg = Tree(lowerer, automaton->n_states).run(follows, before, iterations.n, element);
  lowerer.env[automaton->state.index] = result;
  return true;
}

}  // namespace tacet::mpc_lower
