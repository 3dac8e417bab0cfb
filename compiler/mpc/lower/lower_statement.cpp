#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lane_recurrences.h"
#include "compiler/mpc/lower/lowerer.h"

/// Statements of kernels: assignments name values, stores place them, branches on what is public
/// are branches of the program.
namespace tacet::mpc_lower {

Lowerer::Lowerer(kernel::Kernel kernel_, const LowerOptions& options_)
    : kernel(std::move(kernel_)),
      options(options_),
      analysis(kernel),
      ranges(kernel),
      env(kernel.variables.size()) {}

static auto run(Lowerer& lowerer, kernel::StatementId id) -> Flow;
static auto run(Lowerer& lowerer, const kernel::Assign& assign) -> Flow;
static auto run(Lowerer& lowerer, const kernel::StoreElement& store) -> Flow;
static auto run(Lowerer& lowerer, const kernel::If& branch) -> Flow;
static void masked(Lowerer& lowerer, const Value& condition, const Block& then,
                   const Block& otherwise);
static auto branch(Lowerer& lowerer, const Value& condition, const Block& then,
                   const Block& otherwise) -> Flow;
static auto run(Lowerer& lowerer, const kernel::Return& statement) -> Flow;
static auto run(Lowerer& lowerer, const kernel::Call& call) -> Flow;
static auto run(Lowerer& lowerer, const kernel::Reveal& reveal) -> Flow;
static auto run(Lowerer& lowerer, const kernel::SecretRegion& region) -> Flow;
static auto run(Lowerer& /*lowerer*/, const kernel::Separator& separator) -> Flow;

void stick(Lowerer& lowerer, FileRange place, std::string_view message, std::string_view note) {
  if (!lowerer.stuck) {
    lowerer.stuck = Stuck{place, std::string(message), std::string(note)};
  }
}

auto party_named(Lowerer& lowerer, const std::string& name) -> engine::MpcPartyId {
  if (name.empty()) {
    return {};
  }
  for (size_t i = 0; i < lowerer.program.parties.size(); ++i) {
    if (lowerer.program.parties[i] == name) {
      return {static_cast<uint32_t>(i)};
    }
  }
  lowerer.program.parties.push_back(name);
  return {static_cast<uint32_t>(lowerer.program.parties.size() - 1)};
}

auto run(Lowerer& lowerer, const Block& block) -> Flow {
  for (const kernel::StatementId id : block) {
    if (lowerer.stuck || run(lowerer, id) == Flow::Left) {
      return Flow::Left;
    }
  }
  return Flow::Next;
}

static auto run(Lowerer& lowerer, kernel::StatementId id) -> Flow {
  const kernel::Statement& statement = lowerer.kernel.statements[id];
  lowerer.place = statement.place;
  set_place(lowerer, lowerer.place);
  return std::visit([&](const auto& node) { return run(lowerer, node); }, statement.node);
}

/// Under a mask other lanes keep what they had.
static void assign(Lowerer& lowerer, kernel::VariableId variable, Value value) {
  if (lowerer.stuck) {
    return;
  }
  if (lowerer.mask) {
    value = select(lowerer, *lowerer.mask, value, held_by(lowerer, variable));
  }
  lowerer.env[variable.index] = std::move(value);
}

static auto run(Lowerer& lowerer, const kernel::Assign& node) -> Flow {
  if (carry(lowerer, node)) {
    return Flow::Next;
  }
  assign(lowerer, node.variable, value_of(lowerer, node.value));
  return Flow::Next;
}

static auto run(Lowerer& lowerer, const kernel::StoreElement& node) -> Flow {
  bool adds = false;
  for (const OpenLane& lane : lowerer.lanes) {
    adds = adds ||
           (lane.iterations != nullptr && lane.iterations->is(node.array, IterationEffect::Summed));
  }
  const Value given = adds ? added(lowerer, node.value, node) : value_of(lowerer, node.value);
  std::vector<Value> indices;
  for (const kernel::ExprId index : node.indices) {
    indices.push_back(value_of(lowerer, index));
  }
  if (!lowerer.stuck) {
    store(lowerer, node.array, indices, node.lenient, given, adds);
  }
  return Flow::Next;
}

auto negated(Lowerer& lowerer, const Value& condition) -> Value {
  return unary(lowerer, MpcOpcode::Not, condition);
}

static auto run(Lowerer& lowerer, const kernel::If& node) -> Flow {
  const Value condition = value_of(lowerer, node.condition);
  if (lowerer.stuck) {
    return Flow::Left;
  }
  if (condition.literal) {
    return run(lowerer, *condition.literal != 0 ? node.then : node.otherwise);
  }
  if (is_secret_in(lowerer, condition)) {
    stick(lowerer, lowerer.place, "a branch on a secret");
    return Flow::Left;
  }
  if (!lowerer.lanes.empty() && (lowerer.mask || !lanes_of(condition).empty())) {
    masked(lowerer, condition, node.then, node.otherwise);
    return Flow::Next;
  }
  return branch(lowerer, condition, node.then, node.otherwise);
}

/// In each lane only one of the arms takes effect.
static void masked(Lowerer& lowerer, const Value& condition, const Block& then,
                   const Block& otherwise) {
  for (const Block* block : {&then, &otherwise}) {
    const kernel::Effects effects = kernel::effects_of(lowerer.kernel, *block);
    if (effects.reveals) {
      stick(lowerer, lowerer.place, "a branch that differs between iterations");
      return;
    }
  }
  const std::optional<Value> before = lowerer.mask;
  const Value first = before ? binary(lowerer, MpcOpcode::Land, *before, condition) : condition;
  const Value negative = negated(lowerer, condition);
  const Value second = before ? binary(lowerer, MpcOpcode::Land, *before, negative) : negative;
  lowerer.mask = first;
  run(lowerer, then);
  lowerer.mask = second;
  run(lowerer, otherwise);
  lowerer.mask = before;
}

auto widened(const Value& shape, const std::optional<Value>& value) -> Value {
  Value result = shape;
  if (value) {
    result.lanes = united(shape.lanes, lanes_of(*value));
  }
  return result;
}

namespace {

/// A register for what a variable holds after the arms that reach their ends.
auto merged_variable(Lowerer& lowerer, kernel::VariableId variable, const Env (&after)[2],
                     const Flow (&flows)[2]) -> Carried {
  Value shape = zero(type_of(lowerer, variable));
  bool is_secret = false;
  for (size_t k = 0; k < 2; ++k) {
    if (flows[k] == Flow::Next) {
      const std::optional<Value>& value = after[k][variable.index];
      shape = widened(shape, value);
      is_secret = is_secret || (value && is_secret_in(lowerer, *value));
    }
  }
  return new_carried(lowerer, variable, std::move(shape), is_secret);
}

}  // namespace

/// Variables that the arms leave with different values get registers, which both arms assign.
static auto branch(Lowerer& lowerer, const Value& condition, const Block& then,
                   const Block& otherwise) -> Flow {
  const Block* blocks[2] = {&then, &otherwise};
  const Env before = lowerer.env;
  const size_t at = lowerer.emitter.n_code();
  Env after[2];
  Flow flows[2];
  size_t ends[2];
  lowerer.emitter.control(MpcOpcode::If, {condition.reg});
  for (size_t k = 0; k < 2; ++k) {
    lowerer.env = before;
    flows[k] = run(lowerer, *blocks[k]);
    after[k] = std::move(lowerer.env);
    ends[k] = lowerer.emitter.n_code();
    lowerer.emitter.control(k == 0 ? MpcOpcode::Else : MpcOpcode::End);
  }
  lowerer.env = before;
  if (lowerer.stuck || (flows[0] == Flow::Left && flows[1] == Flow::Left)) {
    return Flow::Left;
  }
  std::set<kernel::VariableId> written;
  for (const Block* block : blocks) {
    written.merge(kernel::variables_written(lowerer.kernel, *block));
  }
  std::vector<Carried> merged;
  std::vector<MpcInstruction> definitions;
  for (const kernel::VariableId variable : written) {
    merged.push_back(merged_variable(lowerer, variable, after, flows));
    definitions.push_back({.op = MpcOpcode::Constant, .result = merged.back().reg, .numbers = {0}});
  }
  for (size_t k = 2; k-- > 0;) {
    if (flows[k] == Flow::Left) {
      continue;
    }
    const size_t begin = lowerer.emitter.n_code();
    lowerer.env = std::move(after[k]);
    lowerer.emitter.begin_tail();
    assign_carried(lowerer, merged);
    lowerer.emitter.end_tail(begin, ends[k]);
  }
  lowerer.emitter.insert(at, std::move(definitions));
  lowerer.env = before;
  hold_carried(lowerer, merged);
  return Flow::Next;
}

static auto run(Lowerer& lowerer, const kernel::Return& node) -> Flow {
  std::vector<Value> values;
  for (const kernel::ExprId expr : node.values) {
    values.push_back(value_of(lowerer, expr));
  }
  if (lowerer.stuck) {
    return Flow::Left;
  }
  if (!lowerer.early_results.empty()) {
    for (size_t i = 0; i < values.size(); ++i) {
      lowerer.emitter.assign(lowerer.early_results[i], MpcOpcode::Copy,
                             {in_register(lowerer, values[i], {}, values[i].extents)});
    }
    lowerer.emitter.control(MpcOpcode::Stop);
  }
  lowerer.results = std::move(values);
  return Flow::Left;
}

static auto run(Lowerer& lowerer, const kernel::Call& node) -> Flow {
  stick(lowerer, lowerer.place, fmt::format("a call of `{}`", node.name),
        "all parties run one program, which has no calls: write recursion as a loop "
        "(`for i in 0..n max 64`), and pass the result of an extern as a parameter");
  return Flow::Left;
}

static auto run(Lowerer& lowerer, const kernel::Reveal& node) -> Flow {
  Value given = value_of(lowerer, node.value);
  if (lowerer.stuck) {
    return Flow::Left;
  }
  if (lowerer.mask) {
    stick(lowerer, lowerer.place, "a `reveal` in a branch that differs between iterations");
    return Flow::Left;
  }
  if (!is_secret_in(lowerer, given)) {
    assign(lowerer, node.variable, std::move(given));
    return Flow::Next;
  }
  if (!node.receiver.empty()) {
    // Only one party knows it: it stays a secret, and is shown where it is a result.
    given.receiver = party_named(lowerer, node.receiver);
    assign(lowerer, node.variable, std::move(given));
    return Flow::Next;
  }
  Value shown = given;
  shown.reg = lowerer.emitter.emit(MpcOpcode::Reveal, given.element,
                                   lowerer.emitter.type(given.reg).extents, {given.reg});
  assign(lowerer, node.variable, std::move(shown));
  return Flow::Next;
}

auto name_of(const Lowerer& lowerer, kernel::VariableId variable) -> const std::string& {
  const auto found = lowerer.outside.find(variable);
  return found == lowerer.outside.end() ? lowerer.kernel.variables[variable].name
                                        : name_of(lowerer, found->second);
}

static auto run(Lowerer& lowerer, const kernel::SecretRegion& node) -> Flow {
  for (const auto& port : node.outputs) {
    lowerer.outside[port.inner] = port.outer;
  }
  for (const auto& port : node.inputs) {
    lowerer.outside[port.inner] = port.outer;
    lowerer.env[port.inner.index] = held_by(lowerer, port.outer);
  }
  const Flow flow = run(lowerer, node.body);
  for (const auto& port : node.outputs) {
    lowerer.env[port.outer.index] = held_by(lowerer, port.inner);
  }
  return flow;
}

static auto run(Lowerer& /*lowerer*/, const kernel::Separator&) -> Flow {
  return Flow::Next;
}

}  // namespace tacet::mpc_lower
