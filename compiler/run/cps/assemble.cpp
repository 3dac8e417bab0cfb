#include "compiler/run/cps/assemble.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "compiler/front/types/operation.h"
#include "compiler/run/cps/code_writer.h"
#include "engine/random/rng_state.h"

namespace tacet::cps {

using engine::CoordinatorFault;
using engine::CoordinatorInstruction;
using Machine = engine::CoordinatorOpcode;

auto n_elements(const Type& type) -> uint32_t {
  uint64_t n = 1;
  for (uint64_t extent : type.shape) {
    n *= extent;
  }
  return static_cast<uint32_t>(n);
}

auto n_cells(const Type& type) -> uint32_t {
  switch (type.kind) {
    case TypeKind::Value:
      return n_elements(type);
    case TypeKind::Reference:
    case TypeKind::MutableReference:
    case TypeKind::Variable:
    case TypeKind::Remote:
    case TypeKind::Encoder:
    case TypeKind::Future:
      return 1;
    case TypeKind::Event:
    case TypeKind::BufferSpace:
      return 0;
  }
  return 0;
}

/// Of the state of random draws.
static constexpr auto kRngCells = static_cast<uint32_t>(engine::kRngStateCells);

auto n_input_cells(const engine::CoordinatorKernel& kernel, uint32_t n_dims) -> uint32_t {
  uint32_t n = n_dims + (kernel.draws ? kRngCells : 0);
  for (uint32_t cells : kernel.input_cells) {
    n += cells;
  }
  return n;
}

namespace {

class Assembler {
 public:
  explicit Assembler(const Program& program) : program_(program) {}

  auto run() -> Assembled {
    out().n_devices = static_cast<uint32_t>(names::Device::Mpc) + 1;
    for (const Kernel& kernel : program_.kernels.values()) {
      add_kernel(kernel);
    }
    for (const Function& function : program_.functions.values()) {
      engine::CoordinatorFunction entry;
      entry.name = program_.text(function.name);
      entry.funclet = function.entry.index;
      for (const Port& port : program_.funclets[function.entry].results) {
        entry.n_result_cells += cells(port.type);
      }
      out().functions.push_back(std::move(entry));
    }
    for (const Funclet& funclet : program_.funclets.values()) {
      add_funclet(funclet);
    }
    return std::move(result_);
  }

 private:
  auto out() -> engine::CoordinatorProgram& { return result_.program; }
  auto cells(TypeId type) const -> uint32_t { return n_cells(program_.types[type]); }
  auto type(ValueId value) const -> const Type& {
    return program_.types[funclet_->values[value].type];
  }

  void add_kernel(const Kernel& kernel) {
    engine::CoordinatorKernel added;
    added.name = program_.text(kernel.name);
    added.draws = kernel.draws;
    for (TypeId parameter : kernel.parameters) {
      added.input_cells.push_back(cells(parameter));
      added.n_input_cells += added.input_cells.back();
    }
    for (TypeId result : kernel.results) {
      added.output_cells.push_back(cells(result));
      added.outputs.resize(added.outputs.size() + cells(result), program_.types[result].element);
    }
    out().kernels.push_back(std::move(added));
  }

  void add_funclet(const Funclet& funclet) {
    funclet_ = &funclet;
    slots_.assign(funclet.values.size(), 0);
    code_.begin_frame();
    draws_ = program_.functions[funclet.function].draws;
    code_.reserve(draws_ ? kRngCells : 0);
    engine::CoordinatorFunclet added;
    added.entry = static_cast<uint32_t>(out().instructions.size());
    added.function = funclet.function.index;
    for (uint32_t i = 0; i < funclet.n_parameters; ++i) {
      place({i});
    }
    added.n_parameter_cells = code_.n_cells();
    for (const Command& command : funclet.commands) {
      code_.set_source(command.source);
      add_command(command);
    }
    code_.set_source(funclet.tail.source);
    add_tail(funclet.tail);
    added.end = static_cast<uint32_t>(out().instructions.size());
    added.n_cells = code_.n_cells();
    out().funclets.push_back(added);
  }

  auto place(ValueId value) -> uint32_t {
    slots_[value.index] = code_.reserve(cells(funclet_->values[value].type));
    return slots_[value.index];
  }
  auto slot(ValueId value) const -> uint32_t { return slots_[value.index]; }

  void emit(Machine opcode, std::initializer_list<uint32_t> operands, uint8_t operation = 0,
            engine::ElementType type = {}) {
    code_.emit(opcode, operands, operation, type);
  }

  /// What is handed over. `state` are the first cells of it, if there are any.
  auto list(std::span<const ValueId> values, std::optional<uint32_t> state = {}) -> uint32_t {
    std::vector<engine::Move> moves;
    if (state) {
      moves.push_back({*state, kRngCells});
    }
    for (ValueId value : values) {
      moves.push_back({slot(value), cells(funclet_->values[value].type)});
    }
    return code_.list(moves);
  }
  auto list(Slice slice, std::optional<uint32_t> state = {}) -> uint32_t {
    return list(funclet_->operands_of(slice), state);
  }

  /// Where the state of random draws is that this function continues with.
  auto own_state() const -> std::optional<uint32_t> {
    return draws_ ? std::optional(0U) : std::nullopt;
  }
  /// The same of what is called, if that draws: the own one and which call it is.
  auto state_of_call(bool callee_draws, uint32_t call) -> std::optional<uint32_t> {
    if (!callee_draws) {
      return std::nullopt;
    }
    const uint32_t state = code_.reserve(kRngCells);
    emit(Machine::SplitDraws, {state, 0, call});
    return state;
  }

  auto edge(const Target& target) -> uint32_t {
    const uint32_t arguments = list(target.arguments, own_state());
    out().edges.push_back({target.funclet.index, arguments});
    return static_cast<uint32_t>(out().edges.size() - 1);
  }

  auto message(NameId text) -> uint32_t {
    out().messages.emplace_back(program_.text(text));
    return static_cast<uint32_t>(out().messages.size() - 1);
  }

  void cast(ValueId from, ValueId to) {
    const Type& source = type(from);
    const Type& target = type(to);
    emit(Machine::Cast,
         {place(to), slot(from), n_elements(target), source.shape.empty() ? 0U : 1U,
          static_cast<uint32_t>(source.element.kind) |
              static_cast<uint32_t>(source.element.fraction_bits) << 8},
         0, target.element);
  }

  void add_command(const Command& command) {
    const std::span<const ValueId> operands = funclet_->operands_of(command.operands);
    const ValueId result{command.results.begin};
    switch (command.opcode) {
      case Opcode::Undefined:
        emit(Machine::Zero, {place(result), cells(funclet_->values[result].type)});
        return;
      case Opcode::Constant:
        constant(command, result);
        return;
      case Opcode::Unary:
        emit(Machine::Unary, {place(result), slot(operands[0]), n_elements(type(result))},
             static_cast<uint8_t>(types::unary_operation(command.op)), type(operands[0]).element);
        return;
      case Opcode::Binary:
        binary(command, operands, result);
        return;
      case Opcode::Cast:
      case Opcode::Convert:
        cast(operands[0], result);
        return;
      case Opcode::Array:
        array(operands, result);
        return;
      case Opcode::Index:
        index(operands, result);
        return;
      case Opcode::Compute:
        compute(command);
        return;
      case Opcode::Copy:
      case Opcode::Assume:
      case Opcode::Borrow:
        slots_[result.index] = slot(operands[0]);
        return;
      case Opcode::Allocate:
        emit(Machine::Allocate, {place(result), n_elements(type(result))});
        return;
      case Opcode::Release:
        emit(Machine::Release, {slot(operands[0]), n_elements(type(operands[0]))});
        return;
      case Opcode::Load:
        emit(Machine::Load, {place(result), slot(operands[0]), n_elements(type(result))});
        return;
      case Opcode::Store:
        emit(Machine::Store, {slot(operands[0]), slot(operands[1]), n_elements(type(operands[1]))});
        return;
      case Opcode::Run:
        run_kernel(command);
        return;
      case Opcode::EncodeBegin:
        emit(Machine::EncodeBegin, {place(result), static_cast<uint32_t>(command.device)});
        return;
      case Opcode::EncodeCopy:
        emit(Machine::EncodeCopy,
             {place(result), slot(operands[0]), slot(operands[1]),
              cells(funclet_->values[operands[1]].type), command.is_public ? 1U : 0U});
        return;
      case Opcode::EncodeRun:
        encode_run(command, operands);
        return;
      case Opcode::Submit:
        emit(Machine::Submit, {place(result), slot(operands[0])});
        return;
      case Opcode::Await:
        emit(Machine::Await, {slot(operands[0])});
        return;
      case Opcode::Fetch:
        emit(Machine::Fetch,
             {place(result), slot(operands[0]), cells(funclet_->values[result].type)});
        return;
      case Opcode::Fail:
        fail(command);
        return;
    }
  }

  void constant(const Command& command, ValueId result) {
    const auto first = static_cast<uint32_t>(out().constants.size());
    out().constants.insert(out().constants.end(), funclet_->cells.begin() + command.cells.begin,
                           funclet_->cells.begin() + command.cells.end);
    emit(Machine::Constant, {place(result), first, command.cells.size()});
  }

  void binary(const Command& command, std::span<const ValueId> operands, ValueId result) {
    const uint32_t strides =
        (type(operands[0]).shape.empty() ? 0U : 1U) | (type(operands[1]).shape.empty() ? 0U : 2U);
    emit(Machine::Binary,
         {place(result), slot(operands[0]), slot(operands[1]), n_elements(type(result)), strides},
         static_cast<uint8_t>(types::binary_operation(command.op)), type(operands[0]).element);
  }

  void array(std::span<const ValueId> operands, ValueId result) {
    uint32_t at = place(result);
    for (ValueId operand : operands) {
      const uint32_t n = cells(funclet_->values[operand].type);
      emit(Machine::Move, {at, slot(operand), n});
      at += n;
    }
  }

  void index(std::span<const ValueId> operands, ValueId result) {
    const Type& array = type(operands[0]);
    const auto extent = static_cast<uint32_t>(array.shape.front());
    emit(Machine::Index,
         {place(result), slot(operands[0]), slot(operands[1]), extent, n_elements(type(result))});
  }

  void run_kernel(const Command& command) {
    count_inputs(command);
    const std::optional<uint32_t> state = state_of_call(draws(command), command.draw);
    const uint32_t inputs = list(command.operands, state);
    emit(Machine::Run, {place_all(command.results), command.kernel.index, inputs});
  }

  void encode_run(const Command& command, std::span<const ValueId> operands) {
    count_inputs(command);
    const std::optional<uint32_t> state = state_of_call(draws(command), command.draw);
    const uint32_t grid = list(operands.subspan(1, command.n_dims), state);
    const uint32_t inputs = list(operands.subspan(1 + command.n_dims));
    emit(Machine::EncodeRun,
         {place_all(command.results), slot(operands[0]), command.kernel.index, grid, inputs});
  }

  void fail(const Command& command) {
    const CoordinatorFault fault = command.reason == FailReason::Hole ? CoordinatorFault::Hole
                                   : command.reason == FailReason::Unsupported
                                       ? CoordinatorFault::Unsupported
                                       : CoordinatorFault::DanglingReference;
    emit(Machine::Fail, {static_cast<uint32_t>(fault), message(command.text)});
  }

  auto place_all(Slice results) -> uint32_t {
    const uint32_t first = code_.n_cells();
    for (uint32_t i = results.begin; i < results.end; ++i) {
      place({i});
    }
    return first;
  }

  void count_inputs(const Command& command) {
    engine::CoordinatorKernel& kernel = out().kernels[command.kernel.index];
    kernel.n_input_cells = n_input_cells(kernel, command.n_dims);
  }

  auto draws(const Command& command) const -> bool {
    return program_.kernels[command.kernel].draws;
  }

  void compute(const Command& command) {
    const Formula& formula = program_.formulas[command.formula];
    std::vector<Type> types;
    std::vector<uint32_t> slots;
    for (ValueId operand : funclet_->operands_of(command.operands)) {
      types.push_back(type(operand));
      slots.push_back(slot(operand));
    }
    slots_[command.results.begin] = assemble_formula(program_, formula, types, slots, code_);
  }

  auto join(const Target& target, uint32_t n_result_cells, bool is_call) -> uint32_t {
    if (!target.funclet.has_value()) {
      return engine::kNone;
    }
    engine::Join join;
    join.funclet = target.funclet.index;
    join.kept = list(target.arguments, own_state());
    join.n_result_cells = n_result_cells;
    // The instruction that is about to be added.
    join.call = is_call ? static_cast<uint32_t>(out().instructions.size()) : engine::kNone;
    out().joins.push_back(join);
    return static_cast<uint32_t>(out().joins.size() - 1);
  }

  auto result_cells(FuncletId funclet) const -> uint32_t {
    uint32_t n = 0;
    for (const Port& port : program_.funclets[funclet].results) {
      n += cells(port.type);
    }
    return n;
  }

  void add_tail(const Tail& tail) {
    switch (tail.kind) {
      case TailKind::Return:
        emit(Machine::Return, {list(tail.arguments)});
        return;
      case TailKind::Jump:
        emit(Machine::Jump, {edge(tail.targets[0])});
        return;
      case TailKind::Yield:
        emit(Machine::Yield, {edge(tail.targets[0])});
        return;
      case TailKind::Select: {
        const uint32_t on_true = edge(tail.targets[0]);
        const uint32_t on_false = edge(tail.targets[1]);
        const uint32_t waits = join(tail.join, result_cells(tail.targets[0].funclet), false);
        emit(Machine::Select, {slot(tail.condition), on_true, on_false, waits});
        return;
      }
      case TailKind::Call: {
        const std::optional<uint32_t> state =
            state_of_call(program_.functions[tail.callee].draws, tail.draw);
        const uint32_t arguments = list(tail.arguments, state);
        const uint32_t waits =
            join(tail.join, result_cells(program_.functions[tail.callee].entry), true);
        emit(Machine::Call, {tail.callee.index, arguments, waits});
        return;
      }
    }
  }

  const Program& program_;
  Assembled result_;
  const Funclet* funclet_ = nullptr;
  bool draws_ = false;  ///< does its function? Then its first cells say which call it is
  std::vector<uint32_t> slots_;
  CodeWriter code_{result_};
};

}  // namespace

auto assemble(const Program& program) -> Assembled {
  return Assembler(program).run();
}

}  // namespace tacet::cps
