#include "compiler/mpc/lower/spread_reductions.h"

#include <algorithm>
#include <bit>
#include <map>

#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/independent_iterations.h"

namespace tacet::mpc_lower {

using engine::ElementType;
using kernel::Block;
using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;
using types::Operator;

namespace {

constexpr int64_t kLongestRow = 256;
/// Fewer updates are a short chain, which often ends with what it waits for; a row ends log2 n
/// steps later.
constexpr int64_t kFewUpdates = 48;
/// How many iterations a loop is expected to make whose bounds are not known.
constexpr int64_t kUnknown = 16;

/// What updates a variable in a loop, and how often.
struct Updates {
  std::vector<StatementId> statements{};
  int64_t n = 0;
  bool are_plain = true;  ///< assignments in loops that depend on themselves, and in branches
};

class Spreading {
 public:
  explicit Spreading(kernel::Kernel& kernel) : kernel_(kernel), analysis_(kernel), make_(kernel) {}

  /// The regions in a block.
  void run(const Block& block) {
    for (const StatementId id : block) {
      const kernel::Statement statement = kernel_.statements[id];
      if (const auto* region = std::get_if<kernel::SecretRegion>(&statement.node)) {
        Block body = spread(region->body);
        std::get<kernel::SecretRegion>(kernel_.statements[id].node).body = std::move(body);
      } else {
        kernel::visit_blocks(statement, [&](const Block& inner) { run(inner); });
      }
    }
  }

 private:
  auto spread(const Block& block) -> Block;
  void spread(StatementId id, Block& before, Block& behind);
  void spread(VariableId variable, IterationEffect effect, const Updates& updates, Block& before,
              Block& behind);
  void update_blocks(StatementId id);
  void find(VariableId variable, const Block& block, int64_t n, Updates& updates) const;
  [[nodiscard]] auto n_iterations(const kernel::For& loop) const -> int64_t;
  [[nodiscard]] auto is_independent(const kernel::For& loop) const -> bool {
    return !loop.step && analysis_.of(loop, 1).has_value();
  }
  auto with_element(ExprId value, VariableId variable, ExprId element) -> ExprId;

  kernel::Kernel& kernel_;
  IterationAnalysis analysis_;
  kernel::Builder make_;
  std::map<StatementId, Block> updated_;  ///< by update of a variable: that of its row
};

/// Does a chain of these updates take rounds, and may they be reordered?
auto is_spread(IterationEffect effect, ElementType element) -> bool {
  return effect == IterationEffect::Min || effect == IterationEffect::Max ||
         effect == IterationEffect::And || effect == IterationEffect::Or ||
         (effect == IterationEffect::Product && engine::is_integer(element.kind));
}

auto Spreading::n_iterations(const kernel::For& loop) const -> int64_t {
  const auto* lower = std::get_if<kernel::Literal>(&kernel_.exprs[loop.lower].node);
  const auto* upper = std::get_if<kernel::Literal>(&kernel_.exprs[loop.upper].node);
  if (lower == nullptr || upper == nullptr || loop.step) {
    return kUnknown;
  }
  return std::clamp<int64_t>(static_cast<int64_t>(upper->cell) - static_cast<int64_t>(lower->cell),
                             0, kLongestRow);
}

/// Updates in a block that is run `n` times.
void Spreading::find(VariableId variable, const Block& block, int64_t n, Updates& updates) const {
  for (const StatementId id : block) {
    const kernel::Statement& statement = kernel_.statements[id];
    if (!kernel::variables_written(kernel_, Block{id}).contains(variable)) {
      continue;
    }
    if (std::holds_alternative<kernel::Assign>(statement.node)) {
      updates.statements.push_back(id);
      updates.n = std::min(kLongestRow, updates.n + n);
    } else if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
      updates.are_plain = updates.are_plain && !is_independent(*loop);
      find(variable, loop->body, std::min(kLongestRow, n * n_iterations(*loop)), updates);
    } else if (const auto* branch = std::get_if<kernel::If>(&statement.node)) {
      find(variable, branch->then, n, updates);
      find(variable, branch->otherwise, n, updates);
    } else {
      updates.are_plain = false;
    }
  }
}

/// A value in which an element is read instead of a variable.
auto Spreading::with_element(ExprId value, VariableId variable, ExprId element) -> ExprId {
  kernel::Expr expr = kernel_.exprs[value];
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    return read->variable == variable ? element : value;
  }
  if (!kernel::variables_read(kernel_, value).contains(variable)) {
    return value;
  }
  kernel::visit_exprs(expr, [&](ExprId& part) { part = with_element(part, variable, element); });
  return kernel_.exprs.add(std::move(expr));
}

void Spreading::spread(VariableId variable, IterationEffect effect, const Updates& updates,
                       Block& before, Block& behind) {
  const std::string name = kernel_.variables[variable].name;
  const ElementType element = kernel_.variables[variable].type.element;
  const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(updates.n)));
  make_.set_place(kernel_.statements[updates.statements[0]].place);

  const VariableId row = make_.mutable_variable(name, kernel::Type{element, {length}});
  const VariableId at = make_.mutable_variable("at", kernel::Type{engine::kI64, {}});
  const VariableId index =
      make_.variable("k", kernel::Type{engine::kI64, {}}, kernel::VariableKind::Index);
  const ExprId neutral = make_.literal(element, neutral_cell(effect, element));
  before.push_back(make_.assign(row, make_.tabulate(index, length, neutral)));
  before.push_back(make_.assign(at, make_.integer(0)));

  for (const StatementId id : updates.statements) {
    const kernel::Assign update = std::get<kernel::Assign>(kernel_.statements[id].node);
    const ExprId value =
        with_element(update.value, variable, make_.element(make_.read(row), {make_.read(at)}));
    const ExprId last = make_.integer(length - 1);
    const ExprId one = make_.integer(1);
    const ExprId next =
        make_.binary(Operator::And, make_.binary(Operator::Add, make_.read(at), one), last);
    updated_[id] = {make_.statement(kernel::StoreElement{row, {make_.read(at)}, value}),
                    make_.assign(at, next)};
  }

  const VariableId counter =
      make_.variable("k", kernel::Type{engine::kI64, {}}, kernel::VariableKind::Counter);
  const ExprId one = make_.element(make_.read(row), {make_.read(counter)});
  const ExprId held = make_.read(variable);
  const ExprId joined =
      effect == IterationEffect::Min   ? make_.apply(engine::Function::Min, {held, one})
      : effect == IterationEffect::Max ? make_.apply(engine::Function::Max, {held, one})
      : effect == IterationEffect::And ? make_.binary(Operator::Land, held, one)
      : effect == IterationEffect::Or  ? make_.binary(Operator::Lor, held, one)
                                       : make_.binary(Operator::Mul, held, one);
  behind.push_back(make_.statement(kernel::For{.counter = counter,
                                               .lower = make_.integer(0),
                                               .upper = make_.integer(length),
                                               .body = {make_.assign(variable, joined)}}));
}

/// What goes in front of a loop and behind it, once its reductions have rows.
void Spreading::spread(StatementId id, Block& before, Block& behind) {
  const kernel::For loop = std::get<kernel::For>(kernel_.statements[id].node);
  if (is_independent(loop)) {
    return;
  }
  for (const VariableId variable : kernel::variables_written(kernel_, loop.body)) {
    if (!kernel_.variables[variable].type.extents.empty()) {
      continue;
    }
    const auto effect = analysis_.reduction_of(variable, loop.body);
    if (!effect || !is_spread(*effect, kernel_.variables[variable].type.element)) {
      continue;
    }
    Updates updates;
    find(variable, loop.body, n_iterations(loop), updates);
    if (updates.are_plain && updates.n >= kFewUpdates) {
      spread(variable, *effect, updates, before, behind);
    }
  }
}

/// Puts the new updates in place of the old ones.
void Spreading::update_blocks(StatementId id) {
  kernel::Statement statement = kernel_.statements[id];
  kernel::visit_blocks(statement, [&](Block& block) {
    Block result;
    for (const StatementId inner : block) {
      const auto found = updated_.find(inner);
      if (found != updated_.end()) {
        result.insert(result.end(), found->second.begin(), found->second.end());
      } else {
        update_blocks(inner);
        result.push_back(inner);
      }
    }
    block = std::move(result);
  });
  kernel_.statements[id] = std::move(statement);
}

auto Spreading::spread(const Block& block) -> Block {
  Block result;
  for (const StatementId id : block) {
    Block behind;
    if (std::holds_alternative<kernel::For>(kernel_.statements[id].node)) {
      spread(id, result, behind);
    }
    update_blocks(id);
    kernel::Statement statement = kernel_.statements[id];
    kernel::visit_blocks(statement, [&](Block& inner) { inner = spread(inner); });
    kernel_.statements[id] = std::move(statement);
    result.push_back(id);
    result.insert(result.end(), behind.begin(), behind.end());
  }
  return result;
}

}  // namespace

auto spread_reductions(kernel::Kernel kernel) -> kernel::Kernel {
  const Block body = kernel.body;
  Spreading(kernel).run(body);
  return kernel;
}

}  // namespace tacet::mpc_lower
