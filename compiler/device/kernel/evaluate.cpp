#include "compiler/device/kernel/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/device/kernel/evaluator.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using engine::BinaryOperation;
using engine::kI64;

auto evaluate(const Kernel& kernel, const std::vector<Value>& inputs,
              const EvaluationOptions& options) -> Evaluation {
  return Evaluator(kernel, options).run(inputs);
}

auto Evaluator::run(const std::vector<Value>& inputs) -> Evaluation {
  TACET_CHECK(inputs.size() == kernel_.parameters.size(), "wrong number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const VariableId parameter = kernel_.parameters[i];
    TACET_CHECK(inputs[i].type == kernel_.variables[parameter].type, "an input of another type");
    Data& data = variable(parameter);
    data.cells = inputs[i].cells;
    data.taint(kernel_.variables[parameter].visibility == types::Visibility::Secret);
  }
  run_block(kernel_.body);
  if (!has_failed()) {
    TACET_CHECK(returned_.size() == kernel_.results.size(), "a kernel without a return");
    for (size_t i = 0; i < returned_.size(); ++i) {
      result_.results.push_back({kernel_.results[i].type, std::move(returned_[i].cells)});
      result_.are_secret.emplace_back(returned_[i].secret.begin(), returned_[i].secret.end());
    }
  }
  return std::move(result_);
}

auto evaluate(const Kernel& kernel, ExprId expr,
              const std::vector<std::pair<VariableId, Value>>& held,
              const engine::PublicRandomKey& key) -> std::optional<Value> {
  const EvaluationOptions options{.call = {}, .random_key = key, .records_events = false};
  return Evaluator(kernel, options).run(expr, held);
}

auto Evaluator::run(ExprId expr, const std::vector<std::pair<VariableId, Value>>& held)
    -> std::optional<Value> {
  for (const auto& [id, value] : held) {
    variable(id).cells = value.cells;
  }
  Data data = value(expr);
  return has_failed() ? std::nullopt : std::optional(Value{type(expr), std::move(data.cells)});
}

auto Evaluator::is_under_secret() const -> bool {
  return n_secret_branches_ > 0 || has_left_ ||
         std::any_of(loops_.begin(), loops_.end(),
                     [](const Loop& loop) { return loop.is_left || loop.is_skipping; });
}

auto Evaluator::variable(VariableId id) -> Data& {
  Data& data = held_[id.index];
  if (data.cells.empty()) {
    data = Data(cells_of(kernel_.variables[id].type));
  }
  return data;
}

void Evaluator::record(Event::Kind kind, ExprId expr, Cell value, bool is_secret) {
  if (options_.records_events && !has_failed()) {
    result_.events.push_back({kind, statement_, expr, value, is_secret || is_under_secret()});
  }
}

void Evaluator::fail(Fault fault, ExprId expr, bool is_secret) {
  if (!has_failed()) {
    record(Event::Kind::Fault, expr, static_cast<Cell>(fault), is_secret);
    result_.fault = fault;
  }
}

void Evaluator::spend(uint64_t n_steps) {
  result_.n_steps += n_steps;
  if (result_.n_steps > options_.max_steps) {
    fail(Fault::OutOfSteps, {}, false);
  }
}

auto Evaluator::run_block(const Block& block) -> Flow {
  for (const StatementId id : block) {
    const Flow flow = run_statement(id);
    if (flow != Flow::Next) {
      return flow;
    }
  }
  return Flow::Next;
}

/// After a fault everything returns.
auto Evaluator::run_statement(StatementId id) -> Flow {
  const StatementId outer = statement_;
  statement_ = id;
  spend(1);
  const auto& node = kernel_.statements[id].node;
  Flow flow = Flow::Next;
  if (has_failed()) {
    return Flow::Return;
  }
  if (const auto* assigned = std::get_if<Assign>(&node)) {
    assign(assigned->variable, value(assigned->value));
  } else if (const auto* stored = std::get_if<StoreElement>(&node)) {
    store(*stored);
  } else if (const auto* branching = std::get_if<If>(&node)) {
    flow = branch(*branching);
  } else if (const auto* counting = std::get_if<For>(&node)) {
    flow = count(*counting);
  } else if (const auto* repeating = std::get_if<While>(&node)) {
    flow = repeat(*repeating);
  } else if (std::holds_alternative<Break>(node)) {
    flow = Flow::Break;
  } else if (std::holds_alternative<Continue>(node)) {
    flow = Flow::Continue;
  } else if (const auto* returning = std::get_if<Return>(&node)) {
    returned_.clear();
    for (const ExprId given : returning->values) {
      returned_.push_back(value(given));
      returned_.back().taint(is_under_secret());
    }
    flow = Flow::Return;
  } else if (const auto* calling = std::get_if<Call>(&node)) {
    call(*calling);
  } else if (const auto* revealing = std::get_if<Reveal>(&node)) {
    Data revealed = value(revealing->value);
    record(Event::Kind::Reveal, revealing->value, 0, false);
    revealed.secret.assign(revealed.secret.size(), 0);
    assign(revealing->variable, std::move(revealed));
  } else if (const auto* closed = std::get_if<SecretRegion>(&node)) {
    region(*closed);
  }
  statement_ = outer;
  return has_failed() ? Flow::Return : flow;
}

void Evaluator::assign(VariableId variable, Data value) {
  value.taint(is_under_secret());
  held_[variable.index] = std::move(value);
}

void Evaluator::store(const StoreElement& node) {
  const Data stored = value(node.value);
  const Place place =
      place_of(node.indices, kernel_.variables[node.array].type.extents, node.lenient);
  if (has_failed()) {
    return;
  }
  Data& array = variable(node.array);
  if (place.is_inside) {
    const size_t first = place.at * stored.cells.size();
    std::copy(stored.cells.begin(), stored.cells.end(),
              array.cells.begin() + static_cast<std::ptrdiff_t>(first));
    for (size_t i = 0; i < stored.cells.size(); ++i) {
      array.secret[first + i] = is_under_secret() ? 1 : stored.secret[i];
    }
  }
  array.taint(place.is_secret);
}

auto Evaluator::jumps_of(const Block& block) -> Jumps {
  const auto known = jumps_.find(&block);
  if (known != jumps_.end()) {
    return known->second;
  }
  Jumps jumps;
  for (const StatementId id : block) {
    const auto& node = kernel_.statements[id].node;
    const bool is_loop = kernel::is_loop(kernel_.statements[id]);
    jumps.breaks |= std::holds_alternative<Break>(node);
    jumps.continues |= std::holds_alternative<Continue>(node);
    jumps.returns |= std::holds_alternative<Return>(node);
    visit_blocks(kernel_.statements[id], [&](const Block& inner) {
      const Jumps inside = jumps_of(inner);
      jumps.breaks |= inside.breaks && !is_loop;
      jumps.continues |= inside.continues && !is_loop;
      jumps.returns |= inside.returns;
    });
  }
  jumps_.emplace(&block, jumps);
  return jumps;
}

void Evaluator::taint_written(const Block& block) {
  for (const VariableId written : variables_written(kernel_, block)) {
    variable(written).taint(true);
  }
}

auto Evaluator::branch(const If& node) -> Flow {
  bool is_secret = false;
  const bool condition = scalar(node.condition, is_secret) != 0;
  record(Event::Kind::Branch, node.condition, condition ? 1 : 0, is_secret);
  if (has_failed()) {
    return Flow::Return;
  }
  n_secret_branches_ += is_secret ? 1 : 0;
  const Flow flow = run_block(condition ? node.then : node.otherwise);
  n_secret_branches_ -= is_secret ? 1 : 0;
  if (!is_secret && !is_under_secret()) {
    return flow;
  }
  for (const Block* arm : {&node.then, &node.otherwise}) {
    if (is_secret) {
      taint_written(*arm);
    }
    const Jumps jumps = jumps_of(*arm);
    has_left_ = has_left_ || jumps.returns;
    if (!loops_.empty()) {
      loops_.back().is_left |= jumps.breaks;
      loops_.back().is_skipping |= jumps.continues;
    }
  }
  return flow;
}

auto Evaluator::iteration(const Block& body) -> Flow {
  loops_.back().is_skipping = false;
  const Flow flow = run_block(body);
  if (loops_.back().is_skipping) {
    // Whatever followed the jump may not have run, jumps included.
    const Jumps jumps = jumps_of(body);
    taint_written(body);
    loops_.back().is_left |= jumps.breaks;
    has_left_ = has_left_ || jumps.returns;
    loops_.back().is_skipping = false;
  }
  return flow == Flow::Continue ? Flow::Next : flow;
}

/// Runs before each iteration of a loop, with its `max` if it has one: counts it.
auto Evaluator::begin_iteration(std::optional<Data>& limit, uint64_t& n_iterations, ExprId test)
    -> bool {
  spend(1);
  if (has_failed()) {
    return false;
  }
  if (limit) {
    const bool is_below =
        static_cast<int64_t>(n_iterations) < static_cast<int64_t>(limit->cells[0]);
    record(Event::Kind::Branch, test, is_below ? 1 : 0, limit->secret[0] != 0);
    loops_.back().is_left |= limit->secret[0] != 0;
    if (!is_below) {
      result_.was_cut_short = true;
      return false;
    }
  }
  ++n_iterations;
  return true;
}

void Evaluator::end_loop(const Block& body) {
  if (loops_.back().is_left) {
    taint_written(body);
    has_left_ = has_left_ || jumps_of(body).returns;
  }
  loops_.pop_back();
}

auto Evaluator::count(const For& node) -> Flow {
  const engine::ElementType element = kernel_.variables[node.counter].type.element;
  bool is_secret = false;
  Cell at = scalar(node.lower, is_secret);
  const Cell upper = scalar(node.upper, is_secret);
  Cell step = engine::one(element);
  if (node.step) {
    bool is_step_secret = false;
    step = scalar(*node.step, is_step_secret);
    is_secret = is_secret || is_step_secret;
    if (!node.is_lenient &&
        engine::evaluate(BinaryOperation::Greater, element, step, 0).value == 0) {
      fail(Fault::BadStep, *node.step, is_step_secret);
    }
  }
  std::optional<Data> limit = node.max ? std::optional(value(*node.max)) : std::nullopt;
  loops_.push_back({is_secret, false});
  uint64_t n_iterations = 0;
  Flow flow = Flow::Next;
  while (!has_failed()) {
    const bool continues = engine::evaluate(BinaryOperation::Less, element, at, upper).value != 0;
    record(Event::Kind::Branch, node.upper, continues ? 1 : 0, is_secret);
    if (!continues || !begin_iteration(limit, n_iterations, node.upper)) {
      break;
    }
    Data counter(1);
    counter.cells[0] = at;
    counter.taint(is_secret);
    assign(node.counter, std::move(counter));
    flow = iteration(node.body);
    const Cell next = engine::evaluate(BinaryOperation::Add, element, at, step).value;
    const bool grows = engine::evaluate(BinaryOperation::Greater, element, next, at).value != 0;
    if (flow != Flow::Next || !grows) {
      break;
    }
    at = next;
  }
  end_loop(node.body);
  return flow == Flow::Return ? flow : Flow::Next;
}

auto Evaluator::repeat(const While& node) -> Flow {
  std::optional<Data> limit = node.max ? std::optional(value(*node.max)) : std::nullopt;
  loops_.push_back({});
  uint64_t n_iterations = 0;
  Flow flow = Flow::Next;
  bool is_first = true;
  while (!has_failed()) {
    if (is_first && node.tests_last) {
      ++n_iterations;
      spend(1);
    } else {
      bool is_secret = false;
      const bool continues = scalar(node.condition, is_secret) != 0;
      record(Event::Kind::Branch, node.condition, continues ? 1 : 0, is_secret);
      loops_.back().is_left |= is_secret;
      if (has_failed() || !continues || !begin_iteration(limit, n_iterations, node.condition)) {
        break;
      }
    }
    is_first = false;
    flow = iteration(node.body);
    if (flow != Flow::Next) {
      break;
    }
  }
  end_loop(node.body);
  return flow == Flow::Return ? flow : Flow::Next;
}

void Evaluator::call(const Call& node) {
  std::vector<Value> arguments;
  bool is_secret = false;
  for (const ExprId argument : node.arguments) {
    Data data = value(argument);
    is_secret =
        is_secret || std::find(data.secret.begin(), data.secret.end(), 1) != data.secret.end();
    arguments.push_back({type(argument), std::move(data.cells)});
  }
  record(Event::Kind::Call, {}, 0, false);
  if (has_failed()) {
    return;
  }
  std::optional<std::vector<Value>> results;
  if (options_.call) {
    results = options_.call(node, arguments);
  }
  if (!results) {
    fail(Fault::FailedCall, {}, is_secret);
    return;
  }
  TACET_CHECK(results->size() == node.results.size(), "a call with other results");
  for (size_t i = 0; i < node.results.size(); ++i) {
    TACET_CHECK((*results)[i].type == kernel_.variables[node.results[i]].type,
                "a result of another type");
    Data data((*results)[i].cells.size());
    data.cells = std::move((*results)[i].cells);
    data.taint(is_secret);
    assign(node.results[i], std::move(data));
  }
}

void Evaluator::region(const SecretRegion& node) {
  for (const SecretRegion::Port& port : node.inputs) {
    assign(port.inner, variable(port.outer));
  }
  run_block(node.body);
  for (const SecretRegion::Port& port : node.outputs) {
    assign(port.outer, variable(port.inner));
  }
}

auto event_text(const Kernel& kernel, const Event& event) -> std::string {
  std::string text;
  switch (event.kind) {
    case Event::Kind::Branch:
      text = event.value != 0 ? "branch: taken" : "branch: not taken";
      break;
    case Event::Kind::Address:
      text = fmt::format("address: {}", static_cast<int64_t>(event.value));
      break;
    case Event::Kind::Call:
      text = "call";
      break;
    case Event::Kind::Reveal:
      text = "reveal";
      break;
    case Event::Kind::Fault:
      text = fmt::format("fault {}", event.value);
      break;
  }
  const FileRange place = event.expr.has_value()        ? kernel.exprs[event.expr].place
                          : event.statement.has_value() ? kernel.statements[event.statement].place
                                                        : FileRange{};
  return fmt::format("{} at {}..{}{}", text, place.range.begin, place.range.end,
                     event.depends_on_secret ? ", by a secret" : "");
}

}  // namespace tacet::kernel
