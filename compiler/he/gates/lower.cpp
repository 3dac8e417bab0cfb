#include "compiler/he/gates/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/he/gates/lowering.h"

namespace tacet::gates {

using kernel::Block;
using kernel::StatementId;
using kernel::VariableId;

namespace {

enum class Flow : uint8_t { Next, Break, Continue, Return };

auto run(KernelLowering& lowering, const Block& block) -> Flow;

constexpr uint64_t kMostSteps = 100'000'000;

/// `[1][0]` for the `at`-th element of an array.
auto index_text(const std::vector<int64_t>& extents, size_t at) -> std::string {
  std::string text;
  for (size_t k = extents.size(); k-- > 0;) {
    const auto extent = static_cast<size_t>(extents[k]);
    text.insert(0, fmt::format("[{}]", at % extent));
    at /= extent;
  }
  return text;
}

auto input_format(const kernel::Variable& parameter) -> Format {
  const engine::ElementType type = parameter.type.element;
  return parameter.bound ? format_of(*parameter.bound, type)
                         : Format{width_of(type), signedness_of(type)};
}

/// Before any is made: a circuit has more gates than bits that its inputs have.
auto has_too_many_bits(const KernelLowering& lowering) -> bool {
  double n = 0;
  for (const VariableId id : lowering.kernel.parameters) {
    const kernel::Variable& parameter = lowering.kernel.variables[id];
    const bool is_known = lowering.options.known.count(id) != 0;
    n += is_known ? 0
                  : static_cast<double>(n_cells(parameter.type)) *
                        static_cast<double>(input_format(parameter).width);
  }
  return n > static_cast<double>(lowering.options.most_gates);
}

void stick_at_size(KernelLowering& lowering, FileRange place) {
  stick(lowering, place,
        fmt::format("the circuit needs more than {} gates", lowering.options.most_gates),
        "give loops smaller limits, narrower types or ranges (`x: secret u8 in 0..100`)",
        DiagnosticCode::T6003);
}

void add_inputs(KernelLowering& lowering) {
  if (has_too_many_bits(lowering)) {
    stick_at_size(lowering, lowering.kernel.variables[lowering.kernel.parameters.front()].place);
    return;
  }
  for (const VariableId id : lowering.kernel.parameters) {
    const kernel::Variable& parameter = lowering.kernel.variables[id];
    const engine::ElementType type = parameter.type.element;
    if (!parameter.owner.empty() && parameter.owner != "client" && parameter.owner != "server") {
      stick(lowering, parameter.place,
            fmt::format("a value from party `{}` is not supported on `he`", parameter.owner),
            "under encryption, values come from the client, which holds the key, or from the "
            "server");
      return;
    }
    if (engine::is_float(type.kind)) {
      stick(lowering, parameter.place, "circuits of bits have no floating-point numbers",
            "use `fxp` or integers");
      return;
    }
    Value& held = lowering.held[id.index];
    if (const auto given = lowering.options.known.find(id); given != lowering.options.known.end()) {
      for (const engine::Cell cell : given->second) {
        held.cells.push_back(word_of(cell, type));
      }
      continue;
    }
    const Format format = input_format(parameter);
    for (size_t i = 0; i < n_cells(parameter.type); ++i) {
      const Word bits = lowering.build.input(parameter.name + index_text(parameter.type.extents, i),
                                             format.width);
      held.cells.push_back(resized(bits, width_of(type), format.signedness));
    }
  }
}

void add_outputs(KernelLowering& lowering) {
  for (size_t i = 0; i < lowering.returned.size(); ++i) {
    const kernel::Result& result = lowering.kernel.results[i];
    const std::string name = !result.name.empty()            ? result.name
                             : lowering.returned.size() == 1 ? "out"
                                                             : fmt::format("out{}", i);
    for (size_t at = 0; at < lowering.returned[i].cells.size(); ++at) {
      lowering.build.output(name + index_text(result.type.extents, at),
                            std::move(lowering.returned[i].cells[at]));
    }
  }
}

void store(KernelLowering& lowering, const kernel::StoreElement& node) {
  check_indices(lowering, node);
  const Value stored = value(lowering, node.value);
  const kernel::Type& type = lowering.kernel.variables[node.array].type;
  const Place place =
      place_of(lowering, node.indices, indices_of(lowering, node.indices), type.extents);
  Value& array = variable(lowering, node.array);
  const size_t n = stored.cells.size();
  if (place.hot.empty()) {
    if (place.is_inside) {
      std::copy(stored.cells.begin(), stored.cells.end(),
                array.cells.begin() + static_cast<std::ptrdiff_t>(place.first * n));
    }
    return;
  }
  for (size_t at = 0; at < place.hot.size(); ++at) {
    for (size_t i = 0; i < n; ++i) {
      Word& cell = array.cells[at * n + i];
      cell = select(lowering.build, place.hot[at], stored.cells[i], cell);
    }
  }
}

auto run(KernelLowering& lowering, const kernel::If& node, FileRange /*place*/) -> Flow {
  const auto condition = known(lowering, node.condition, "a branch");
  return condition ? run(lowering, *condition != 0 ? node.then : node.otherwise) : Flow::Return;
}

/// One iteration; `Next` if the loop continues.
auto iteration(KernelLowering& lowering, const Block& body) -> Flow {
  const Flow flow = run(lowering, body);
  return flow == Flow::Continue ? Flow::Next : flow;
}

auto run(KernelLowering& lowering, const kernel::For& node, FileRange place) -> Flow {
  using engine::BinaryOperation;
  const engine::ElementType type = lowering.kernel.variables[node.counter].type.element;
  const auto lower = known(lowering, node.lower, "the start of a loop");
  const auto upper = known(lowering, node.upper, "the end of a loop");
  const auto step =
      node.step ? known(lowering, *node.step, "the step of a loop") : engine::one(type);
  const auto most = node.max ? known(lowering, *node.max, "the limit of a loop")
                             : std::optional<engine::Cell>(INT64_MAX);
  if (!lower || !upper || !step || !most) {
    return Flow::Return;
  }
  LoopScope loop(lowering);
  Flow flow = Flow::Next;
  engine::Cell at = *lower;
  for (int64_t n = 0; n < static_cast<int64_t>(*most) &&
                      engine::evaluate(BinaryOperation::Less, type, at, *upper).value != 0 &&
                      may_continue(lowering, place);
       ++n) {
    loop.next();
    lowering.held[node.counter.index] = {{word_of(at, type)}};
    flow = iteration(lowering, node.body);
    const engine::Cell next = engine::evaluate(BinaryOperation::Add, type, at, *step).value;
    if (flow != Flow::Next ||
        engine::evaluate(BinaryOperation::Greater, type, next, at).value == 0) {
      break;
    }
    at = next;
  }
  return flow == Flow::Return ? flow : Flow::Next;
}

auto run(KernelLowering& lowering, const kernel::While& node, FileRange place) -> Flow {
  const auto most = node.max ? known(lowering, *node.max, "the limit of a loop")
                             : std::optional<engine::Cell>(INT64_MAX);
  if (!most) {
    return Flow::Return;
  }
  LoopScope loop(lowering);
  int64_t n_iterations = 0;
  for (bool is_first = true; may_continue(lowering, place); is_first = false) {
    loop.next();
    if (is_first && node.tests_last) {
      ++n_iterations;
    } else {
      const auto condition = known(lowering, node.condition, "the condition of a loop");
      if (!condition) {
        return Flow::Return;
      }
      if (*condition == 0 || n_iterations >= static_cast<int64_t>(*most)) {
        break;
      }
      ++n_iterations;
    }
    const Flow flow = iteration(lowering, node.body);
    if (flow != Flow::Next) {
      return flow == Flow::Return ? flow : Flow::Next;
    }
  }
  return Flow::Next;
}

auto run(KernelLowering& lowering, const kernel::Assign& node, FileRange /*place*/) -> Flow {
  lowering.held[node.variable.index] = value(lowering, node.value);
  return Flow::Next;
}

auto run(KernelLowering& lowering, const kernel::StoreElement& node, FileRange /*place*/) -> Flow {
  store(lowering, node);
  return Flow::Next;
}

auto run(KernelLowering& /*lowering*/, const kernel::Break& /*node*/, FileRange /*place*/) -> Flow {
  return Flow::Break;
}

auto run(KernelLowering& /*lowering*/, const kernel::Continue& /*node*/, FileRange /*place*/)
    -> Flow {
  return Flow::Continue;
}

auto run(KernelLowering& lowering, const kernel::Return& node, FileRange /*place*/) -> Flow {
  lowering.returned.clear();
  for (const kernel::ExprId given : node.values) {
    lowering.returned.push_back(value(lowering, given));
  }
  return Flow::Return;
}

auto run(KernelLowering& lowering, const kernel::Call& node, FileRange place) -> Flow {
  stick(lowering, place, fmt::format("a call of `{}` is not supported on `he`", node.name),
        "only what is inlined can be computed under encryption");
  return Flow::Return;
}

auto run(KernelLowering& lowering, const kernel::Reveal& /*node*/, FileRange place) -> Flow {
  stick(lowering, place, "`reveal` is not supported on `he`",
        "only the client sees values, when it decrypts the result");
  return Flow::Return;
}

auto run(KernelLowering& lowering, const kernel::SecretRegion& node, FileRange /*place*/) -> Flow {
  for (const kernel::SecretRegion::Port& port : node.inputs) {
    lowering.held[port.inner.index] = variable(lowering, port.outer);
  }
  const Flow flow = run(lowering, node.body);
  for (const kernel::SecretRegion::Port& port : node.outputs) {
    lowering.held[port.outer.index] = variable(lowering, port.inner);
  }
  return flow;
}

auto run(KernelLowering& /*lowering*/, const kernel::Separator& /*node*/, FileRange /*place*/)
    -> Flow {
  return Flow::Next;
}

auto run(KernelLowering& lowering, const Block& block) -> Flow {
  for (const StatementId id : block) {
    const kernel::Statement& statement = lowering.kernel.statements[id];
    if (!may_continue(lowering, statement.place)) {
      return Flow::Return;
    }
    const OriginScope scope(lowering, origin_of(lowering.kernel, id));
    const Flow flow = std::visit(
        [&](const auto& node) { return run(lowering, node, statement.place); }, statement.node);
    if (flow != Flow::Next) {
      return flow;
    }
  }
  return Flow::Next;
}

}  // namespace

auto format_of(const kernel::Bound& bound, engine::ElementType type) -> Format {
  const Signedness signedness = bound.lower < 0 ? Signedness::Signed : Signedness::Unsigned;
  const auto fits = [&](size_t n) {
    const types::Wide power = types::Wide{1} << (signedness == Signedness::Signed ? n - 1 : n);
    return bound.lower >= (signedness == Signedness::Signed ? -power : 0) && bound.upper <= power;
  };
  size_t n = 1;
  while (n < width_of(type) && !fits(n)) {
    ++n;
  }
  return {n, n < width_of(type) ? signedness : signedness_of(type)};
}

auto signedness_of(engine::ElementType type) -> Signedness {
  const bool has_sign =
      engine::is_signed_integer(type.kind) || type.kind == engine::ElementKind::Fxp;
  return has_sign ? Signedness::Signed : Signedness::Unsigned;
}

auto width_of(engine::ElementType type) -> size_t {
  return engine::bit_width(type.kind);
}

auto n_cells(const kernel::Type& type) -> size_t {
  size_t n = 1;
  for (const int64_t extent : type.extents) {
    n *= static_cast<size_t>(extent);
  }
  return n;
}

auto known_cell(const Word& word, engine::ElementType type) -> std::optional<engine::Cell> {
  if (!std::all_of(word.begin(), word.end(), [](Signal bit) { return bit.is_constant(); })) {
    return std::nullopt;
  }
  const Word whole = resized(word, 64, signedness_of(type));
  engine::Cell cell = 0;
  for (size_t k = 0; k < whole.size(); ++k) {
    cell |= (whole[k] == kTrue ? engine::Cell{1} : engine::Cell{0}) << k;
  }
  return cell;
}

auto word_of(engine::Cell cell, engine::ElementType type) -> Word {
  return constant(cell, width_of(type));
}

auto variable(KernelLowering& lowering, VariableId id) -> Value& {
  Value& held = lowering.held[id.index];
  if (held.cells.empty()) {
    const kernel::Type& type = lowering.kernel.variables[id].type;
    held.cells.assign(n_cells(type), word_of(0, type.element));
  }
  return held;
}

void stick(KernelLowering& lowering, FileRange place, std::string message, std::string note,
           DiagnosticCode code) {
  if (!lowering.problem) {
    lowering.problem = make_diagnostic(code, place, std::move(message));
    lowering.problem->notes.push_back(std::move(note));
  }
}

auto may_continue(KernelLowering& lowering, FileRange place) -> bool {
  if (++lowering.n_steps > kMostSteps ||
      lowering.build.graph().gates.size() > lowering.options.most_gates) {
    stick_at_size(lowering, place);
  }
  return !lowering.problem;
}

auto word(KernelLowering& lowering, kernel::ExprId id) -> Word {
  Value scalar = value(lowering, id);
  return scalar.cells.empty() ? word_of(0, lowering.kernel.exprs[id].type.element)
                              : std::move(scalar.cells[0]);
}

auto known(KernelLowering& lowering, kernel::ExprId id, const std::string& what)
    -> std::optional<engine::Cell> {
  const kernel::Expr& expr = lowering.kernel.exprs[id];
  const std::optional<engine::Cell> cell = known_cell(word(lowering, id), expr.type.element);
  if (!cell) {
    stick(lowering, expr.place,
          fmt::format("{} depends on a number that is not known when the circuit is made", what),
          "write the number itself, or declare it `secret`; a loop then needs a `max`");
  }
  return lowering.problem ? std::nullopt : cell;
}

auto origin_of(const kernel::Kernel& kernel, StatementId id) -> uint32_t {
  return static_cast<uint32_t>(kernel.exprs.size()) + 1 + id.index;
}

OriginScope::OriginScope(KernelLowering& lowering, uint32_t origin)
    : lowering_(lowering), outer_(lowering.build.origin()) {
  lowering.build.set_origin(origin);
  uint64_t& last = lowering.last_iterations[origin];
  lowering.origins[origin].n_iterations += last != lowering.iteration ? 1 : 0;
  last = lowering.iteration;
}

static void find_places(KernelLowering& lowering) {
  const kernel::Kernel& kernel = lowering.kernel;
  lowering.origins.resize(1 + kernel.exprs.size() + kernel.statements.size());
  lowering.last_iterations.resize(lowering.origins.size(), 0);
  for (uint32_t i = 0; i < kernel.exprs.size(); ++i) {
    const kernel::ExprId id{i};
    lowering.origins[origin_of(id)].place = kernel.exprs[id].place;
  }
  for (uint32_t i = 0; i < kernel.statements.size(); ++i) {
    const StatementId id{i};
    lowering.origins[origin_of(kernel, id)].place = kernel.statements[id].place;
  }
}

auto lower(const kernel::Kernel& kernel, const LoweringOptions& options) -> Lowering {
  KernelLowering lowering{.kernel = kernel, .options = options};
  lowering.held.resize(kernel.variables.size());
  lowering.formats.resize(kernel.exprs.size());
  find_places(lowering);
  add_inputs(lowering);
  if (!lowering.problem) {
    run(lowering, kernel.body);
  }
  if (lowering.problem) {
    return {.graph = std::nullopt,
            .origins = {},
            .tables = {},
            .diagnostics = {std::move(*lowering.problem)}};
  }
  add_outputs(lowering);
  std::vector<TableRead> tables;
  for (auto& [id, table] : lowering.tables) {
    if (!table.values.empty()) {
      tables.push_back(std::move(table));
    }
  }
  return {.graph = without_unused(lowering.build.take()),
          .origins = std::move(lowering.origins),
          .tables = std::move(tables),
          .diagnostics = {}};
}

}  // namespace tacet::gates
