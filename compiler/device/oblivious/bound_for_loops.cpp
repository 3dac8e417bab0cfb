#include "compiler/device/oblivious/bound_for_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/oblivious/may_apply.h"
#include "compiler/device/oblivious/occurrences.h"
#include "compiler/device/oblivious/problems.h"
#include "compiler/device/oblivious/ranges.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/transform_expr.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

using namespace kernel;
using types::Operator;

namespace {

/// How many elements the accesses in `block` go through if `counter` is secret.
class ScanCost {
 public:
  ScanCost(const Kernel& kernel, VariableId counter) : kernel_(kernel), counter_(counter) {}

  auto of(const Block& block) -> int64_t {
    for (StatementId id : block) {
      const Statement& statement = kernel_.statements[id];
      if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
        indices(kernel_.variables[store->array].type, store->indices);
      }
      visit_exprs(statement, [&](ExprId expr) { add(expr); });
      visit_blocks(statement, [&](const Block& inner) { of(inner); });
    }
    return cost_;
  }

 private:
  void add(ExprId id) {
    const Expr& expr = kernel_.exprs[id];
    if (const auto* element = std::get_if<Element>(&expr.node)) {
      indices(kernel_.exprs[element->array].type, element->indices);
    }
    visit_exprs(expr, [&](ExprId operand) { add(operand); });
  }

  void indices(const Type& array, const std::vector<ExprId>& indices) {
    int64_t n = 1;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (reads(kernel_, indices[i], counter_)) {
        n *= array.extents[i];
      }
    }
    cost_ += n - 1;
  }

  const Kernel& kernel_;
  VariableId counter_;
  int64_t cost_ = 1;
};

class BoundForLoops {
 public:
  explicit BoundForLoops(Rewriting& rewriting)
      : rewriting_(rewriting),
        source_(rewriting.kernel),
        secrecy_(analyse_secrecy(source_)),
        ranges_(source_),
        kernel_(rewriting.kernel),
        writer_(kernel_) {}

  auto run() -> bool {
    kernel_.body = block(kernel_.body);
    return is_changed_;
  }

 private:
  /// A loop that is being rewritten. What it evaluates once is in variables or literals.
  struct Loop {
    StatementId id;
    For source;
    engine::ElementType type;
    Range lower, upper, step;      ///< what these can be
    std::optional<int64_t> max{};  ///< if it is a literal
    Block before{};                ///< the statements in front
  };

  auto block(const Block& block) -> Block {
    Block out;
    for (StatementId id : block) {
      replace_blocks(kernel_, id, [&](const Block& inner) { return this->block(inner); });
      const auto* loop = std::get_if<For>(&kernel_.statements[id].node);
      if (loop != nullptr && is_secret(id, *loop) && rewriting_.wanted(place(id))) {
        bound(id, out);
      } else {
        out.push_back(id);
      }
    }
    return out;
  }

  auto place(StatementId id) const -> FileRange { return kernel_.statements[id].place; }

  auto is_secret(StatementId id, const For& loop) const -> bool {
    return is_secret_step(id, loop) || secrecy_.is_secret(id, loop.lower) ||
           secrecy_.is_secret(id, loop.upper) || (loop.max && secrecy_.is_secret(id, *loop.max));
  }

  auto is_secret_step(StatementId id, const For& loop) const -> bool {
    return loop.step && secrecy_.is_secret(id, *loop.step);
  }

  void bound(StatementId id, Block& out) {
    writer_.set_place(place(id));
    const For source = std::get<For>(kernel_.statements[id].node);
    if (source.max && secrecy_.is_secret(id, *source.max)) {
      rewriting_.diagnostics.push_back(
          secret_max(source_, secrecy_, secrecy_.cause(id, *source.max), place(id)));
      out.push_back(id);
      return;
    }
    Loop loop = prepare(id, source);
    const bool is_counted = !secrecy_.is_secret(id, source.lower) && !is_secret_step(id, source);
    const bool is_bounded = is_counted ? count(loop) : iteration(loop);
    if (!is_bounded) {
      rewriting_.diagnostics.push_back(no_bound_of_for(source_, secrecy_, id, source));
      out.push_back(id);
      return;
    }
    is_changed_ = true;
    out.insert(out.end(), loop.before.begin(), loop.before.end());
  }

  auto prepare(StatementId id, const For& source) -> Loop {
    const engine::ElementType type = kernel_.variables[source.counter].type.element;
    Loop loop{id, source, type, ranges_.of(source.lower), ranges_.of(source.upper), {1, 1}};
    if (source.step) {
      loop.step = ranges_.of(*source.step);
      loop.source.step = once(loop, *source.step, "step");
    }
    if (source.max) {
      loop.max = literal_value(kernel_, *source.max);
      loop.source.max = once(loop, *source.max, "most");
    }
    loop.source.upper = once(loop, source.upper, "end");
    return loop;
  }

  /// `expr` if it is a literal or a variable that the body leaves alone; else a variable that holds
  /// it from before the loop.
  auto once(Loop& loop, ExprId expr, std::string_view name) -> ExprId {
    if (std::holds_alternative<Literal>(kernel_.exprs[expr].node)) {
      return expr;
    }
    if (const auto* read = std::get_if<Read>(&kernel_.exprs[expr].node);
        read != nullptr && !variables_written(kernel_, loop.source.body).contains(read->variable)) {
      return expr;
    }
    const VariableId held = writer_.variable(name, kernel_.exprs[expr].type);
    loop.before.push_back(writer_.assign(held, expr));
    return writer_.read(held);
  }

  auto integer(const Loop& loop, __int128 value) -> ExprId {
    return writer_.integer(static_cast<int64_t>(value), loop.type);
  }

  auto compare(Operator op, ExprId left, ExprId right) -> ExprId {
    return writer_.binary(op, left, right);
  }

  /// So many iterations at most from `lower` to `upper`.
  static auto iterations(__int128 lower, __int128 upper, __int128 step) -> __int128 {
    return upper <= lower ? 0 : (upper - lower + step - 1) / step;
  }

  void replace(Loop& loop, std::string what, std::optional<int64_t> iterations, int64_t comparisons,
               StatementId made) {
    loop.before.push_back(made);
    const int64_t n = iterations.value_or(loop.max.value_or(0));
    rewriting_.rewrites.push_back(
        {RewriteKind::Loop, place(loop.id), std::move(what), {n * comparisons, 0, n}});
  }

  // ---- the counter is public: only where it ends is secret ----

  auto count(Loop& loop) -> bool {
    const Range type = range_of_type(loop.type);
    const __int128 step = std::max<__int128>(loop.step.lower, 1);
    const __int128 by_range = iterations(loop.lower.lower, loop.upper.upper, step);
    const bool from_range = by_range <= kMostIterations;
    if (!from_range && !loop.source.max) {
      return false;
    }
    For counted = loop.source;
    counted.lower = loop.source.lower;
    const auto lower = literal_value(kernel_, counted.lower);
    if (loop.max && lower && loop.step.lower == loop.step.upper && loop.step.lower >= 1 &&
        *lower + static_cast<__int128>(std::max<int64_t>(*loop.max, 0)) * loop.step.upper <=
            type.upper) {
      const __int128 end = *lower + std::max<int64_t>(*loop.max, 0) * loop.step.upper;
      counted.upper = integer(loop, std::min(end, std::max<__int128>(loop.upper.upper, *lower)));
      counted.max.reset();
    } else {
      counted.upper = integer(loop, loop.upper.upper);
      if (from_range && loop.max && by_range <= *loop.max) {
        counted.max.reset();
      }
    }
    const ExprId continues =
        compare(Operator::Lt, writer_.read(counted.counter), loop.source.upper);
    counted.body = {writer_.branch(continues, std::move(counted.body))};
    std::optional<int64_t> n = loop.max;
    if (from_range) {
      n = std::min(static_cast<int64_t>(by_range), n.value_or(kMostIterations));
    }
    replace(loop, iterations_text(n), n, 1, writer_.statement(std::move(counted)));
    return true;
  }

  static auto iterations_text(std::optional<int64_t> n) -> std::string {
    return n ? fmt::format("{} iterations, independent of the secret", *n)
             : "`max` iterations, independent of the secret";
  }

  // ---- where it starts, or how far it goes, is secret ----

  auto iteration(Loop& loop) -> bool {
    const __int128 all = loop.upper.upper - loop.lower.lower;
    const bool has_range = all <= kMostIterations;
    if (!has_range && !loop.source.max) {
      return false;
    }
    const int64_t scan = ScanCost(kernel_, loop.source.counter).of(loop.source.body);
    const int64_t least_step = static_cast<int64_t>(std::max<__int128>(loop.step.lower, 1));
    const __int128 most = iterations(loop.lower.lower, loop.upper.upper, least_step);
    const __int128 n = std::min(most, static_cast<__int128>(loop.max.value_or(kMostIterations)));
    const bool needs_max = loop.source.max && (!loop.max || *loop.max < most);
    const bool can_count_to_max =
        loop.step == Range{1, 1} || (has_phase(loop) && loop.max && *loop.max <= kMostIterations &&
                                     loop.step.upper <= kMostIterations);
    if (has_range && (!needs_max || can_count_to_max) && all <= n * scan) {
      all_numbers(loop, static_cast<int64_t>(std::max<__int128>(all, 0)), needs_max);
    } else {
      own_counter(loop, has_range ? std::optional(static_cast<int64_t>(most)) : std::nullopt);
    }
    return true;
  }

  static auto has_known_step(const Loop& loop) -> bool {
    return loop.step.lower == loop.step.upper && loop.step.lower >= 1;
  }

  /// Is it known by a remainder alone which numbers the counter has?
  static auto has_phase(const Loop& loop) -> bool {
    return has_known_step(loop) && loop.lower.upper - loop.lower.lower <= INT64_MAX &&
           loop.lower.upper <= INT64_MAX;
  }

  /// Whether the counter has this number, by how far it starts from the least one: no iteration has
  /// to wait for another.
  auto is_in_phase(Loop& loop, ExprId at, ExprId lower) -> ExprId {
    const bool fits = loop.lower.upper - loop.lower.lower <= range_of_type(loop.type).upper;
    const engine::ElementType type = fits ? loop.type : engine::kI64;
    const auto distance = [&](ExprId from) {
      const auto least = static_cast<int64_t>(loop.lower.lower);
      const ExprId here = fits ? from : writer_.cast(from, type);
      const ExprId step = writer_.integer(static_cast<int64_t>(loop.step.upper), type);
      return compare(Operator::Mod,
                     least == 0 ? here : compare(Operator::Sub, here, writer_.integer(least, type)),
                     step);
    };
    const VariableId phase = writer_.variable("phase", {type, {}});
    loop.before.push_back(writer_.assign(phase, distance(lower)));
    return compare(Operator::Eq, distance(at), writer_.read(phase));
  }

  /// The counter runs through all numbers that it may have.
  void all_numbers(Loop& loop, int64_t n, bool needs_max) {
    For counted = loop.source;
    const ExprId at = writer_.read(counted.counter);
    const ExprId lower = once(loop, loop.source.lower, "start");
    const bool has_next = loop.step != Range{1, 1} && !has_phase(loop);
    ExprId continues;
    if (!has_next) {
      continues = compare(Operator::Geq, at, lower);
      if (loop.step != Range{1, 1}) {
        continues = writer_.both(is_in_phase(loop, at, lower), continues);
      }
    } else {
      const VariableId next = writer_.mutable_variable("next", {loop.type, {}});
      loop.before.push_back(writer_.assign(next, lower));
      continues = compare(Operator::Eq, at, writer_.read(next));
      counted.body.insert(
          counted.body.begin(),
          writer_.assign(next, compare(Operator::Add, writer_.read(next), *loop.source.step)));
    }
    continues = writer_.both(continues, compare(Operator::Lt, at, loop.source.upper));
    if (needs_max) {
      // No iteration is behind `max`: so far is the counter from its start.
      const ExprId from = writer_.cast(lower, engine::kI64);
      const ExprId done = compare(Operator::Sub, writer_.cast(at, engine::kI64), from);
      const ExprId most =
          loop.step == Range{1, 1}
              ? writer_.cast(*loop.source.max, engine::kI64)
              : writer_.integer(*loop.max * static_cast<int64_t>(loop.step.upper), engine::kI64);
      continues = writer_.both(continues, compare(Operator::Lt, done, most));
    }
    counted.lower = integer(loop, loop.lower.lower);
    counted.upper = integer(loop, loop.lower.lower + n);
    counted.step.reset();
    counted.max.reset();
    counted.body = {writer_.branch(continues, std::move(counted.body))};
    const int64_t comparisons =
        2 + (needs_max ? 1 : 0) + (loop.step.upper > 1 && !has_next ? 1 : 0);
    replace(loop, iterations_text(n), n, comparisons, writer_.statement(std::move(counted)));
  }

  /// The number of iterations that nothing but the bounds and a literal `max` says.
  static auto known_iterations(const Loop& loop, std::optional<int64_t> most)
      -> std::optional<int64_t> {
    const bool is_most = most && (!loop.source.max || (loop.max && *most < *loop.max));
    const std::optional<int64_t> n = is_most ? most : loop.max;
    return n ? std::optional(std::max<int64_t>(*n, 0)) : std::nullopt;
  }

  /// Iteration t has the start and t steps: no iteration has to wait for another.
  void counted_from_start(Loop& loop, int64_t n) {
    const VariableId at = loop.source.counter;
    kernel_.variables[at].kind = VariableKind::Local;
    const ExprId start = once(loop, loop.source.lower, "start");
    const VariableId iteration = writer_.counter("iteration", loop.type);
    const ExprId far = loop.step.upper == 1 ? writer_.read(iteration)
                                            : compare(Operator::Mul, writer_.read(iteration),
                                                      integer(loop, loop.step.upper));
    const ExprId continues = compare(Operator::Lt, writer_.read(at), loop.source.upper);
    replace(loop, iterations_text(n), n, 1,
            writer_.loop(iteration, integer(loop, 0), integer(loop, n),
                         {writer_.assign(at, compare(Operator::Add, start, far)),
                          writer_.branch(continues, std::move(loop.source.body))}));
  }

  /// A variable counts, and stands still once it is at its end.
  void own_counter(Loop& loop, std::optional<int64_t> most) {
    const std::optional<int64_t> n = known_iterations(loop, most);
    if (has_known_step(loop) && n &&
        loop.lower.upper + *n * loop.step.upper <= range_of_type(loop.type).upper) {
      return counted_from_start(loop, *n);
    }
    const VariableId at = loop.source.counter;
    Variable& variable = kernel_.variables[at];
    variable.kind = VariableKind::Local;
    variable.is_mutable = true;
    loop.before.push_back(writer_.assign(at, loop.source.lower));
    ExprId continues = compare(Operator::Lt, writer_.read(at), loop.source.upper);
    const ExprId step = loop.source.step.value_or(integer(loop, 1));
    const ExprId next = compare(Operator::Add, writer_.read(at), step);
    Block body = loop.source.body;
    if (loop.step.lower >= 1 &&
        loop.upper.upper - 1 + loop.step.upper <= range_of_type(loop.type).upper) {
      body.push_back(writer_.assign(at, next));
    } else {
      // A step over the end of the type is the last one.
      const VariableId running = writer_.mutable_variable("running", {engine::kBool, {}});
      const VariableId after = writer_.variable("after", {loop.type, {}});
      loop.before.push_back(writer_.assign(running, writer_.truth(true)));
      continues = writer_.both(writer_.read(running), continues);
      body.push_back(writer_.assign(after, next));
      body.push_back(
          writer_.assign(running, compare(Operator::Gt, writer_.read(after), writer_.read(at))));
      body.push_back(writer_.assign(at, writer_.read(after)));
    }
    const ExprId iterations = n ? writer_.integer(*n) : *loop.source.max;
    const engine::ElementType counted = kernel_.exprs[iterations].type.element;
    const VariableId iteration = writer_.counter("iteration", counted);
    replace(loop, iterations_text(n), n, 1,
            writer_.loop(iteration, writer_.integer(0, counted), iterations,
                         {writer_.branch(continues, std::move(body))}));
  }

  Rewriting& rewriting_;
  const Kernel source_;  ///< what the analyses speak of
  const Secrecy secrecy_;
  Ranges ranges_;
  Kernel& kernel_;
  Writer writer_;
  bool is_changed_ = false;
};

}  // namespace

auto bound_for_loops(Rewriting& rewriting) -> bool {
  return may_bound_for_loops(rewriting) && BoundForLoops(rewriting).run();
}

}  // namespace tacet::oblivious
