#include "compiler/device/loops/combine_iterations.h"

#include <algorithm>

#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/elements_as_scalars.h"
#include "compiler/device/loops/loop_body.h"
#include "compiler/device/loops/split_loop.h"

namespace tacet::loops {

using kernel::Block;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

namespace {

constexpr int kDeepest = 6;

/// How iterations of two loops, one right in the other, may be reordered.
struct Nest {
  bool is_exchangeable = false;
  bool is_inner_parallel = false;
};

class Combining {
 public:
  Combining(Kernel& kernel, const LeaveLoop& leave)
      : original_(kernel), kernel_(kernel), make_(kernel) {
    kernel::walk_statements(kernel, kernel.body, [&](StatementId id) {
      if (kernel::is_loop(kernel_.statements[id])) {
        loops_.push_back(id);
        if (leave(kernel_, id)) {
          left_.insert(id);
        }
      }
    });
  }

  auto run() -> std::vector<FileRange> {
    if (left_.size() < loops_.size()) {
      secrets_ = secret_variables(kernel_);
      Block body = kernel_.body;
      kernel_.body = run(body, 1);
    }
    return std::move(rewritten_);
  }

 private:
  /// `n_runs` is how often the block runs at most, if that is known.
  auto run(const Block& block, std::optional<int64_t> n_runs) -> Block {
    Block result;
    for (const StatementId id : block) {
      kernel::Statement statement = kernel_.statements[id];
      if (!left_.contains(id)) {
        if (const auto exchanged = exchanged_loops(id)) {
          rewritten_.push_back(statement.place);
          result.insert(result.end(), exchanged->begin(), exchanged->end());
          continue;
        }
      }
      const auto counted = counted_loop(kernel_, statement);
      std::optional<int64_t> n_inner = n_runs;
      if (kernel::is_loop(statement)) {
        n_inner = n_runs && counted && *n_runs * counted->n <= (int64_t{1} << 30)
                      ? std::optional(*n_runs * counted->n)
                      : std::nullopt;
      }
      kernel::visit_blocks(statement, [&](Block& inner) { inner = run(inner, n_inner); });
      kernel_.statements[id] = statement;
      auto loop = left_.contains(id) ? std::nullopt : counted_loop(kernel_, statement);
      if (loop) {
        loop->n_runs = n_runs;
        loop->used_outside = used_outside(id);
        if (const auto combined = combined_loop(*loop, 0)) {
          rewritten_.push_back(statement.place);
          result.insert(result.end(), combined->begin(), combined->end());
          continue;
        }
      }
      result.push_back(id);
    }
    return result;
  }

  auto combined_loop(const CountedLoop& loop, int depth) -> std::optional<Block> {
    if (depth >= kDeepest) {
      return std::nullopt;
    }
    std::optional<Block> split = split_loop(make_, loop, secrets_);
    std::optional<ScalarLoop> scalars;
    if (!split) {
      scalars = elements_as_scalars(make_, loop);
      if (scalars) {
        add_secrets();
        scalars->loop.used_outside.merge(variables_used(kernel_, scalars->behind));
        split = split_loop(make_, scalars->loop, secrets_);
      }
    }
    if (!split) {
      return std::nullopt;
    }
    // What is left may have more of it.
    Block result = scalars ? scalars->before : Block();
    for (size_t i = 0; i < split->size(); ++i) {
      auto rest = counted_loop(kernel_, kernel_.statements[(*split)[i]]);
      std::optional<Block> again;
      if (rest) {
        add_secrets();
        rest->n_runs = loop.n_runs;
        rest->used_outside = loop.used_outside;
        Block others = *split;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (scalars) {
          others.insert(others.end(), scalars->behind.begin(), scalars->behind.end());
        }
        rest->used_outside.merge(variables_used(kernel_, others));
        again = combined_loop(*rest, depth + 1);
      }
      if (again) {
        result.insert(result.end(), again->begin(), again->end());
      } else {
        result.push_back((*split)[i]);
      }
    }
    if (scalars) {
      result.insert(result.end(), scalars->behind.begin(), scalars->behind.end());
    }
    return result;
  }

  /// What all other statements use.
  auto used_outside(StatementId loop) const -> std::set<VariableId> {
    std::set<VariableId> used;
    add_used(kernel_.body, loop, used);
    return used;
  }
  void add_used(const Block& block, StatementId but, std::set<VariableId>& used) const {
    for (const StatementId id : block) {
      if (id == but) {
        continue;
      }
      kernel::Statement statement = kernel_.statements[id];
      std::vector<Block> inner;
      kernel::visit_blocks(statement,
                           [&](Block& each) { inner.push_back(std::exchange(each, {})); });
      kernel::visit_read(kernel_, statement, [&](VariableId variable) { used.insert(variable); });
      if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
        used.insert(store->array);
      }
      for (const Block& each : inner) {
        add_used(each, but, used);
      }
    }
  }

  /// Variables that were added may hold secrets: all of them are taken to.
  void add_secrets() {
    for (; n_variables_ < kernel_.variables.size(); ++n_variables_) {
      secrets_.insert(VariableId{static_cast<uint32_t>(n_variables_)});
    }
  }

  /// A loop around another one, the other way round, if the inner one is a tree then.
  auto exchanged_loops(StatementId id) -> std::optional<Block> {
    const kernel::Statement statement = kernel_.statements[id];
    const auto outer = counted_loop(kernel_, statement);
    if (!outer || outer->node.body.size() != 1) {
      return std::nullopt;
    }
    const StatementId inner_id = outer->node.body.front();
    const kernel::Statement inner_statement = kernel_.statements[inner_id];
    const auto* inner = std::get_if<kernel::For>(&inner_statement.node);
    const auto is_literal = [&](kernel::ExprId expr) {
      return std::holds_alternative<kernel::Literal>(kernel_.exprs[expr].node);
    };
    if (inner == nullptr || inner->step || inner->max || inner->is_lenient ||
        !is_literal(inner->lower) || !is_literal(inner->upper)) {
      return std::nullopt;
    }
    CountedLoop moved = *outer;
    moved.node.body = inner->body;
    moved.n_runs.reset();
    moved.used_outside = used_outside(id);
    const auto combined = combined_loop(moved, 0);
    if (!combined) {
      return std::nullopt;
    }
    const Nest nest = nest_of(id, inner_id);
    if (!nest.is_exchangeable || !nest.is_inner_parallel) {
      return std::nullopt;
    }
    kernel::Statement result = inner_statement;
    std::get<kernel::For>(result.node).body = *combined;
    return Block{kernel_.statements.add(std::move(result))};
  }

  /// By the dependences of the kernel as it was: what is in these loops is not changed yet.
  auto nest_of(StatementId outer, StatementId inner) -> Nest {
    const auto place_in = [&](StatementId id) {
      return static_cast<size_t>(std::find(loops_.begin(), loops_.end(), id) - loops_.begin());
    };
    const size_t of_outer = place_in(outer);
    const size_t of_inner = place_in(inner);
    const dependences::Dependences all = dependences::find_dependences(original_);
    if (!all.given_up.empty() || all.loops.size() != loops_.size()) {
      return {};
    }
    const LoopBody body(original_, std::get<kernel::For>(original_.statements[inner].node).body);
    std::set<std::string> own;  // of an iteration alone
    for (const VariableId variable : body.written) {
      if (!body.exposed.contains(variable)) {
        own.insert(original_.variables[variable].name);
      }
    }
    const size_t depth = all.loops[of_outer].depth;
    Nest nest{true, true};
    for (const dependences::Dependence& each : all.found) {
      if ((each.loop != of_outer && each.loop != of_inner) || own.contains(each.variable)) {
        continue;
      }
      constexpr int64_t kNegative = -1;
      const bool is_inner_known = each.distances.size() > depth + 1;
      const int64_t low =
          is_inner_known ? each.distances[depth + 1].low.value_or(kNegative) : kNegative;
      const int64_t high = is_inner_known ? each.distances[depth + 1].high.value_or(1) : 1;
      nest.is_exchangeable = nest.is_exchangeable && (each.loop == of_inner || low >= 0);
      nest.is_inner_parallel = nest.is_inner_parallel && low == 0 && high == 0;
    }
    return nest;
  }

  const Kernel original_;
  Kernel& kernel_;
  kernel::Builder make_;
  std::vector<StatementId> loops_;  ///< in the order of the text
  std::set<StatementId> left_;
  std::set<VariableId> secrets_;
  size_t n_variables_ = kernel_.variables.size();
  std::vector<FileRange> rewritten_;
};

}  // namespace

auto combine_iterations(Kernel kernel, const LeaveLoop& leave) -> Combined {
  Combined result{.kernel = std::move(kernel)};
  result.loops = Combining(result.kernel, leave).run();
  if (!result.loops.empty()) {
    kernel::expect_verified(result.kernel, "combine_iterations");
  }
  return result;
}

}  // namespace tacet::loops
