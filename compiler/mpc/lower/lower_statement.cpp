#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/secret_regions.h"
#include "compiler/mpc/lower/forward_values.h"
#include "compiler/mpc/lower/lowerer.h"

/// Statements of kernels: assignments name values, stores place them, branches on what is public
/// are branches of the program.
namespace tacet::mpc_lower {

Lowerer::Lowerer(kernel::Kernel kernel, const LowerOptions& options)
    : kernel_(std::move(kernel)),
      options_(options),
      analysis_(kernel_),
      ranges_(kernel_),
      env_(kernel_.variables.size()) {}

void Lowerer::stick(FileRange place, std::string_view message, std::string_view note) {
  if (!stuck_) {
    stuck_ = Stuck{place, std::string(message), std::string(note)};
  }
}

auto Lowerer::party(const std::string& name) -> engine::MpcPartyId {
  if (name.empty()) {
    return {};
  }
  for (size_t i = 0; i < program_.parties.size(); ++i) {
    if (program_.parties[i] == name) {
      return {static_cast<uint32_t>(i)};
    }
  }
  program_.parties.push_back(name);
  return {static_cast<uint32_t>(program_.parties.size() - 1)};
}

auto Lowerer::run(const Block& block) -> Flow {
  for (const kernel::StatementId id : block) {
    if (stuck_ || run(id) == Flow::Left) {
      return Flow::Left;
    }
  }
  return Flow::Next;
}

auto Lowerer::run(kernel::StatementId id) -> Flow {
  const kernel::Statement& statement = kernel_.statements[id];
  place_ = statement.place;
  set_place(place_);
  return std::visit([&](const auto& node) { return run(node); }, statement.node);
}

/// Under a mask other lanes keep what they had.
void Lowerer::assign(kernel::VariableId variable, Value value) {
  if (stuck_) {
    return;
  }
  if (mask_) {
    value = select(*mask_, value, held(variable));
  }
  env_[variable.index] = std::move(value);
}

auto Lowerer::run(const kernel::Assign& node) -> Flow {
  assign(node.variable, value(node.value));
  return Flow::Next;
}

auto Lowerer::run(const kernel::StoreElement& node) -> Flow {
  bool adds = false;
  for (const OpenLane& lane : lanes_) {
    adds = adds ||
           (lane.iterations != nullptr && lane.iterations->is(node.array, IterationEffect::Summed));
  }
  const Value given = adds ? added(node.value, node) : value(node.value);
  std::vector<Value> indices;
  for (const kernel::ExprId index : node.indices) {
    indices.push_back(value(index));
  }
  if (!stuck_) {
    store(node.array, indices, node.lenient, given, adds);
  }
  return Flow::Next;
}

auto Lowerer::negated(const Value& condition) -> Value {
  return unary(MpcOpcode::Not, condition);
}

auto Lowerer::run(const kernel::If& node) -> Flow {
  const Value condition = value(node.condition);
  if (stuck_) {
    return Flow::Left;
  }
  if (condition.literal) {
    return run(*condition.literal != 0 ? node.then : node.otherwise);
  }
  if (is_secret(condition)) {
    stick(place_, "a branch on a secret");
    return Flow::Left;
  }
  if (!lanes_.empty() && (mask_ || !lanes_of(condition).empty())) {
    masked(condition, node.then, node.otherwise);
    return Flow::Next;
  }
  return branch(condition, node.then, node.otherwise);
}

/// In each lane only one of the arms takes effect.
void Lowerer::masked(const Value& condition, const Block& then, const Block& otherwise) {
  for (const Block* block : {&then, &otherwise}) {
    const kernel::Effects effects = kernel::effects_of(kernel_, *block);
    if (effects.reveals) {
      stick(place_, "a branch that differs between iterations");
      return;
    }
  }
  const std::optional<Value> before = mask_;
  const Value first = before ? binary(MpcOpcode::Land, *before, condition) : condition;
  const Value negative = negated(condition);
  const Value second = before ? binary(MpcOpcode::Land, *before, negative) : negative;
  mask_ = first;
  run(then);
  mask_ = second;
  run(otherwise);
  mask_ = before;
}

auto Lowerer::widened(const Value& shape, const std::optional<Value>& value) const -> Value {
  Value result = shape;
  if (value) {
    result.lanes = united(shape.lanes, lanes_of(*value));
  }
  return result;
}

namespace {

/// A register for what a variable holds after the arms that reach their ends.
auto merged_variable(Lowerer& lowerer, kernel::VariableId variable, const Lowerer::Env (&after)[2],
                     const Lowerer::Flow (&flows)[2]) -> Lowerer::Carried {
  Value shape = lowerer.zero(lowerer.type(variable));
  bool is_secret = false;
  for (size_t k = 0; k < 2; ++k) {
    if (flows[k] == Lowerer::Flow::Next) {
      const std::optional<Value>& value = after[k][variable.index];
      shape = lowerer.widened(shape, value);
      is_secret = is_secret || (value && lowerer.is_secret(*value));
    }
  }
  return new_carried(lowerer, variable, std::move(shape), is_secret);
}

}  // namespace

/// Variables that the arms leave with different values get registers, which both arms assign.
auto Lowerer::branch(const Value& condition, const Block& then, const Block& otherwise) -> Flow {
  const Block* blocks[2] = {&then, &otherwise};
  const Env before = env_;
  const size_t at = emitter_.n_code();
  Env after[2];
  Flow flows[2];
  size_t ends[2];
  emitter_.control(MpcOpcode::If, {condition.reg});
  for (size_t k = 0; k < 2; ++k) {
    env_ = before;
    flows[k] = run(*blocks[k]);
    after[k] = std::move(env_);
    ends[k] = emitter_.n_code();
    emitter_.control(k == 0 ? MpcOpcode::Else : MpcOpcode::End);
  }
  env_ = before;
  if (stuck_ || (flows[0] == Flow::Left && flows[1] == Flow::Left)) {
    return Flow::Left;
  }
  std::set<kernel::VariableId> written;
  for (const Block* block : blocks) {
    written.merge(kernel::variables_written(kernel_, *block));
  }
  std::vector<Carried> merged;
  std::vector<MpcInstruction> definitions;
  for (const kernel::VariableId variable : written) {
    merged.push_back(merged_variable(*this, variable, after, flows));
    definitions.push_back({.op = MpcOpcode::Constant, .result = merged.back().reg, .numbers = {0}});
  }
  for (size_t k = 2; k-- > 0;) {
    if (flows[k] == Flow::Left) {
      continue;
    }
    const size_t begin = emitter_.n_code();
    env_ = std::move(after[k]);
    emitter_.begin_tail();
    assign_carried(merged);
    emitter_.end_tail(begin, ends[k]);
  }
  emitter_.insert(at, std::move(definitions));
  env_ = before;
  hold_carried(*this, merged);
  return Flow::Next;
}

auto Lowerer::run(const kernel::Return& node) -> Flow {
  std::vector<Value> values;
  for (const kernel::ExprId expr : node.values) {
    values.push_back(value(expr));
  }
  if (stuck_) {
    return Flow::Left;
  }
  if (!early_results_.empty()) {
    for (size_t i = 0; i < values.size(); ++i) {
      emitter_.assign(early_results_[i], MpcOpcode::Copy,
                      {in_register(values[i], {}, values[i].extents)});
    }
    emitter_.control(MpcOpcode::Stop);
  }
  results_ = std::move(values);
  return Flow::Left;
}

auto Lowerer::run(const kernel::Call& node) -> Flow {
  stick(place_, fmt::format("a call of `{}`", node.name),
        "all parties run one program, which has no calls: write recursion as a loop "
        "(`for i in 0..n max 64`), and pass the result of an extern as a parameter");
  return Flow::Left;
}

auto Lowerer::run(const kernel::Reveal& node) -> Flow {
  Value given = value(node.value);
  if (stuck_) {
    return Flow::Left;
  }
  if (mask_) {
    stick(place_, "a `reveal` in a branch that differs between iterations");
    return Flow::Left;
  }
  if (!is_secret(given)) {
    assign(node.variable, std::move(given));
    return Flow::Next;
  }
  if (!node.receiver.empty()) {
    // Only one party knows it: it stays a secret, and is shown where it is a result.
    given.receiver = party(node.receiver);
    assign(node.variable, std::move(given));
    return Flow::Next;
  }
  Value shown = given;
  shown.reg = emitter_.emit(MpcOpcode::Reveal, given.element, emitter_.type(given.reg).extents,
                            {given.reg});
  assign(node.variable, std::move(shown));
  return Flow::Next;
}

auto Lowerer::name_of(kernel::VariableId variable) const -> const std::string& {
  const auto found = outside_.find(variable);
  return found == outside_.end() ? kernel_.variables[variable].name : name_of(found->second);
}

auto Lowerer::run(const kernel::SecretRegion& node) -> Flow {
  for (const auto& port : node.outputs) {
    outside_[port.inner] = port.outer;
  }
  for (const auto& port : node.inputs) {
    outside_[port.inner] = port.outer;
    env_[port.inner.index] = held(port.outer);
  }
  const Flow flow = run(node.body);
  for (const auto& port : node.outputs) {
    env_[port.outer.index] = held(port.inner);
  }
  return flow;
}

auto Lowerer::run(const kernel::Separator&) -> Flow {
  return Flow::Next;
}

/// May the function end anywhere but at the end of its body?
static auto returns_early(const kernel::Kernel& kernel) -> bool {
  size_t n = 0;
  kernel::walk_statements(kernel, kernel.body, [&](kernel::StatementId id) {
    n += std::holds_alternative<kernel::Return>(kernel.statements[id].node) ? 1 : 0;
  });
  const bool ends = !kernel.body.empty() && std::holds_alternative<kernel::Return>(
                                                kernel.statements[kernel.body.back()].node);
  return n != 1 || !ends;
}

/// There are no shares of floating-point numbers, nor of nothing.
void Lowerer::refuse_types() {
  constexpr std::string_view kMessage = "a floating-point number";
  constexpr std::string_view kNote = "use fixed point: `fxp<n>` has `n` fraction bits";
  for (const kernel::Variable& variable : kernel_.variables.values()) {
    if (engine::is_float(variable.type.element.kind)) {
      stick(variable.place, kMessage, kNote);
    }
    const Extents& extents = variable.type.extents;
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
      stick(variable.place, "an empty array");
    }
  }
  // What nothing reads may be a constant before it became what it meets.
  std::set<kernel::ExprId> seen;
  const std::function<void(kernel::ExprId)> visit = [&](kernel::ExprId id) {
    if (!seen.insert(id).second) {
      return;
    }
    const kernel::Expr& expr = kernel_.exprs[id];
    if (engine::is_float(expr.type.element.kind)) {
      stick(expr.place, kMessage, kNote);
    }
    kernel::visit_exprs(expr, visit);
  };
  kernel::walk_statements(kernel_, kernel_.body, [&](kernel::StatementId id) {
    kernel::visit_exprs(kernel_.statements[id], visit);
  });
}

/// Numbers with more bits behind the point have no room for their products in 64 bits.
static constexpr unsigned kMostOfNarrow = 20;

static auto needs_wide_ring(const kernel::Kernel& kernel) -> bool {
  const auto has_wide = [](const auto& store) {
    return std::any_of(store.values().begin(), store.values().end(), [](const auto& value) {
      return value.type.element.kind == engine::ElementKind::Fxp &&
             value.type.element.fraction_bits > kMostOfNarrow;
    });
  };
  return has_wide(kernel.variables) || has_wide(kernel.exprs);
}

void Lowerer::set_place(FileRange place) {
  if (places_.empty() || places_.back() != place) {
    places_.push_back(place);
  }
  emitter_.set_line(static_cast<uint32_t>(places_.size()));
}

/// From numbers of places to lines.
void Lowerer::finish_places() {
  for (MpcInstruction& instruction : program_.code) {
    if (instruction.line > 0) {
      instruction.line = options_.line_of ? options_.line_of(places_[instruction.line - 1]) : 0;
    }
  }
}

auto Lowerer::diagnostic_of(const FixedFinding& finding) const -> Diagnostic {
  const FileRange place = finding.line > 0  ? places_[finding.line - 1]
                          : places_.empty() ? place_
                                            : places_.front();
  Diagnostic diagnostic = make_diagnostic(finding.code, place, finding.message);
  diagnostic.severity = finding.severity;
  diagnostic.notes.push_back(finding.note);
  return diagnostic;
}

/// What a parameter may hold.
static auto cells_of(const kernel::Variable& parameter) -> CellRange {
  const CellRange all = oblivious::range_of_type(parameter.type.element);
  if (!parameter.bound || parameter.bound->lower >= parameter.bound->upper) {
    return all;
  }
  return {std::max(all.lower, WideInteger{parameter.bound->lower}),
          std::min(all.upper, WideInteger{parameter.bound->upper} - 1)};
}

namespace {

auto type_of(const kernel::Type& type, types::Visibility visibility) -> MpcType {
  const bool is_secret = visibility == types::Visibility::Secret;
  return {is_secret ? MpcVisibility::Secret : MpcVisibility::Public, type.element, type.extents};
}

/// The bounds of the parameters.
auto add_parameters(Lowerer& lowerer) -> FixedRanges::Bounds {
  FixedRanges::Bounds bounds;
  for (const kernel::VariableId id : lowerer.kernel_.parameters) {
    const kernel::Variable& parameter = lowerer.kernel_.variables[id];
    Value value{.element = parameter.type.element, .extents = parameter.type.extents};
    value.reg =
        lowerer.emitter_.new_input(parameter.name, type_of(parameter.type, parameter.visibility));
    lowerer.program_.inputs.push_back({value.reg, lowerer.party(parameter.owner)});
    bounds.emplace(value.reg, cells_of(parameter));
    lowerer.env_[id.index] = std::move(value);
  }
  return bounds;
}

void add_early_results(Lowerer& lowerer) {
  for (const kernel::Result& result : lowerer.kernel_.results) {
    lowerer.early_results_.push_back(
        lowerer.emitter_.new_register("result", type_of(result.type, result.visibility)));
    lowerer.emitter_.assign(lowerer.early_results_.back(), MpcOpcode::Constant, {}, {0});
  }
}

auto output_name(const kernel::Kernel& kernel, size_t i) -> std::string {
  if (!kernel.results[i].name.empty()) {
    return kernel.results[i].name;
  }
  return kernel.results.size() == 1 ? "out" : fmt::format("out{}", i);
}

void add_output(Lowerer& lowerer, size_t i) {
  const kernel::Result& result = lowerer.kernel_.results[i];
  engine::MpcOutput output{.name = output_name(lowerer.kernel_, i), .reg = {}};
  output.receiver = lowerer.party(result.receiver);
  if (!lowerer.early_results_.empty()) {
    output.reg = lowerer.early_results_[i];
  } else if (i < lowerer.results_.size()) {
    const Value& value = lowerer.results_[i];
    output.reg = lowerer.in_register(value, {}, value.extents);
    const bool is_shown = result.visibility == types::Visibility::Public;
    if (is_shown && lowerer.is_secret(value) && !output.receiver.has_value()) {
      output.receiver = value.receiver;
      if (!output.receiver.has_value()) {
        lowerer.stick(lowerer.place_, "a result computed from a value revealed to only one party",
                      "reveal the value to all parties with `reveal(e)`");
      }
    }
  }
  lowerer.program_.outputs.push_back(std::move(output));
}

auto diagnostic_of(const Lowerer::Stuck& stuck) -> Diagnostic {
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T6030, stuck.place,
                      fmt::format("this does not run on secret shares: {}", stuck.message));
  if (!stuck.note.empty()) {
    diagnostic.notes.push_back(stuck.note);
  }
  return diagnostic;
}

}  // namespace

auto Lowerer::run() -> Lowering {
  program_.fixed_ring_bits = needs_wide_ring(kernel_) ? 128 : 64;
  refuse_types();
  const FixedRanges::Bounds bounds = add_parameters(*this);
  if (returns_early(kernel_)) {
    add_early_results(*this);
  }
  run(kernel_.body);
  for (size_t i = 0; i < kernel_.results.size() && !stuck_; ++i) {
    add_output(*this, i);
  }
  Lowering lowering;
  if (stuck_) {
    lowering.diagnostics.push_back(mpc_lower::diagnostic_of(*stuck_));
    return lowering;
  }
  emitter_.finish(program_);
  bool is_right = true;
  for (const FixedFinding& finding : fit_fixed_point(program_, bounds, options_)) {
    lowering.diagnostics.push_back(diagnostic_of(finding));
    is_right = is_right && lowering.diagnostics.back().severity != Severity::Error;
  }
  if (is_right) {
    finish_places();
    lowering.program = std::move(program_);
  }
  return lowering;
}

auto lower(const kernel::Kernel& kernel, const LowerOptions& options) -> Lowering {
  return Lowerer(oblivious::with_secret_regions(forward_values(kernel)), options).run();
}

}  // namespace tacet::mpc_lower
