#include "compiler/interpret/machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace tacet::interpret {

namespace {

/// A definition's memory: zero before, where to go on while it is evaluated, this afterwards.
constexpr Cell kEvaluated = ~Cell{0};
/// An address that an index outside made useless.
constexpr Cell kOutside = ~Cell{0};
/// The return address of the outermost frame.
constexpr Cell kHostFrame = ~Cell{0};

constexpr int64_t kStepsBetweenPolls = 1 << 16;
constexpr size_t kShownInnerCallers = 6;
constexpr size_t kShownOuterCallers = 2;

/// Cells that grow in place where the system can (large blocks are remapped, not copied).
class Stack {
 public:
  explicit Stack(uint64_t limit_bytes) : limit_(limit_bytes / sizeof(Cell)) {}
  ~Stack() { std::free(cells_); }
  Stack(const Stack&) = delete;
  auto operator=(const Stack&) -> Stack& = delete;

  [[nodiscard]] auto cells() const -> Cell* { return cells_; }
  [[nodiscard]] auto capacity() const -> uint64_t { return capacity_; }

  /// Makes room for `n` cells; false if the limit or the system forbids it.
  auto grow_to(uint64_t n) -> bool {
    if (n <= capacity_) {
      return true;
    }
    if (n > limit_) {
      return false;
    }
    uint64_t wanted = std::min(limit_, std::max(n + n / 2, uint64_t{1} << 12));
    void* grown = std::realloc(cells_, wanted * sizeof(Cell));
    if (grown == nullptr) {
      return false;
    }
    cells_ = static_cast<Cell*>(grown);
    capacity_ = wanted;
    return true;
  }

 private:
  Cell* cells_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t limit_;
};

class Machine {
 public:
  Machine(const Program& program, const MachineOptions& options)
      : program_(program), options_(options), stack_(options.memory_limit_bytes) {
    for (const ExternFunction& function : program.externs) {
      auto found = options.externs.find(function.name);
      externs_.push_back(found == options.externs.end() ? nullptr : &found->second);
    }
  }

  auto run(uint32_t function, std::span<const Cell> arguments) -> MachineResult;

 private:
  auto enter(const Function& function) -> bool;
  void execute();
  auto binary(const Instruction& at) -> bool;
  auto repeat(const Instruction& at) -> bool;
  auto repeat_unary(const Instruction& at, const Instruction& body) -> bool;
  void reduce(const Instruction& at, BinaryOperation operation);
  void rotate(const Instruction& at);
  auto call_extern(const ExternFunction& function, const HostFunction* host, Cell* at) -> bool;
  auto spend(uint64_t n_steps) -> bool;
  void fail(Fault fault, Cell left = 0, Cell right = 0);
  void fail(ArithmeticFault fault, Cell left, Cell right);
  void trace(Failure& failure) const;
  void note(uint32_t instruction);
  [[nodiscard]] auto index_of(const Function& function) const -> uint64_t {
    return static_cast<uint64_t>(&function - program_.functions.data());
  }
  [[nodiscard]] static auto frame_cells(const Function& function) -> uint64_t {
    return uint64_t{kHeaderCells} + function.n_slots + function.n_outgoing_cells;
  }

  const Program& program_;
  const MachineOptions& options_;
  std::vector<const HostFunction*> externs_;
  Stack stack_;
  uint64_t base_ = 0;     ///< the current frame, in cells from the stack's start
  uint64_t highest_ = 0;  ///< the most cells that were in use
  Cell* slots_ = nullptr;
  uint32_t pc_ = 0;
  const Function* function_ = nullptr;
  int64_t fuel_ = kStepsBetweenPolls;
  MachineResult result_;
};

/// Makes room for a frame at `base_` and starts the function in it.
auto Machine::enter(const Function& function) -> bool {
  uint64_t end = base_ + frame_cells(function);
  if (!stack_.grow_to(end)) {
    return false;
  }
  highest_ = std::max(highest_, end);
  slots_ = stack_.cells() + base_ + kHeaderCells;
  function_ = &function;
  std::fill_n(slots_ + function.first_memory, function.n_memories, Cell{0});
  pc_ = function.entry;
  return true;
}

auto Machine::run(uint32_t function, std::span<const Cell> arguments) -> MachineResult {
  const Function& entry = program_.functions[function];
  TACET_CHECK(arguments.size() == entry.n_parameter_cells, "wrong number of argument cells");
  if (!enter(entry)) {
    pc_ = entry.entry;
    result_.failure.fault = Fault::OutOfMemory;
    result_.failure.instruction = entry.entry;
    return result_;
  }
  std::copy(arguments.begin(), arguments.end(), slots_);
  slots_[-2] = kHostFrame;
  slots_[-1] = 0;
  execute();
  if (result_.is_done) {
    result_.results.assign(slots_, slots_ + entry.n_result_cells);
  } else {
    trace(result_.failure);
  }
  result_.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - fuel_);
  result_.peak_memory_bytes = highest_ * sizeof(Cell);
  return std::move(result_);
}

void Machine::fail(Fault fault, Cell left, Cell right) {
  result_.failure.fault = fault;
  result_.failure.instruction = pc_;
  result_.failure.left = left;
  result_.failure.right = right;
}

void Machine::fail(ArithmeticFault fault, Cell left, Cell right) {
  fail(fault == ArithmeticFault::DivisionByZero ? Fault::DivisionByZero : Fault::ShiftOutOfRange,
       left, right);
}

void Machine::trace(Failure& failure) const {
  std::vector<uint32_t> outer;
  uint64_t n_calls = 0;
  uint64_t base = base_;
  while (stack_.cells() != nullptr && stack_.cells()[base] != kHostFrame) {
    auto caller = static_cast<uint32_t>(stack_.cells()[base]) - 1;
    base = stack_.cells()[base + 1];
    ++n_calls;
    if (failure.callers.size() < kShownInnerCallers) {
      failure.callers.push_back(caller);
      continue;
    }
    outer.push_back(caller);
    if (outer.size() > kShownOuterCallers) {
      outer.erase(outer.begin());
    }
  }
  failure.n_inner_callers = static_cast<uint32_t>(failure.callers.size());
  failure.callers.insert(failure.callers.end(), outer.begin(), outer.end());
  failure.n_calls_left_out = n_calls - failure.callers.size();
}

void Machine::note(uint32_t instruction) {
  std::vector<uint32_t>& notes = result_.notes;
  if (std::find(notes.begin(), notes.end(), instruction) == notes.end()) {
    notes.push_back(instruction);
  }
}

/// Counts work; now and then looks whether anyone wants the run to end. False if so.
auto Machine::spend(uint64_t n_steps) -> bool {
  fuel_ -= static_cast<int64_t>(n_steps);
  if (fuel_ > 0) [[likely]] {
    return true;
  }
  result_.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - fuel_);
  fuel_ = kStepsBetweenPolls;
  if (options_.progress) {
    options_.progress(result_.n_steps);
  }
  if (options_.cancellation.is_cancelled()) {
    fail(Fault::Cancelled);
    return false;
  }
  return true;
}

static auto binary_operation(Opcode opcode) -> BinaryOperation {
  return static_cast<BinaryOperation>(static_cast<unsigned>(opcode) -
                                      static_cast<unsigned>(Opcode::Add));
}

static auto is_binary(Opcode opcode) -> bool {
  return Opcode::Add <= opcode && opcode <= Opcode::NotEqual;
}

auto Machine::binary(const Instruction& at) -> bool {
  Cell left = slots_[at.operands[1]];
  Cell right = slots_[at.operands[2]];
  ArithmeticResult result = evaluate(binary_operation(at.opcode), at.type, left, right);
  if (result.fault != ArithmeticFault::None) [[unlikely]] {
    fail(result.fault, left, right);
    return false;
  }
  slots_[at.operands[0]] = result.value;
  return true;
}

static auto evaluate_unary(const Instruction& at, Cell operand) -> Cell {
  switch (at.opcode) {
    case Opcode::Negate:
      return evaluate(UnaryOperation::Negate, at.type, operand);
    case Opcode::Not:
      return evaluate(UnaryOperation::Not, at.type, operand);
    case Opcode::Complement:
      return evaluate(UnaryOperation::Complement, at.type, operand);
    case Opcode::Move:
      return operand;
    case Opcode::Cast:
      return cast({static_cast<ElementKind>(at.operands[2]), static_cast<uint8_t>(at.operands[3])},
                  at.type, operand);
    default:
      TACET_CHECK(false, "not an operator of one operand");
  }
}

auto Machine::repeat_unary(const Instruction& at, const Instruction& body) -> bool {
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    slots_[body.operands[0] + i] =
        evaluate_unary(body, slots_[body.operands[1] + i * at.operands[1]]);
  }
  return true;
}

auto Machine::repeat(const Instruction& at) -> bool {
  const Instruction& body = program_.instructions[pc_ + 1];
  if (!spend(at.operands[0])) {
    return false;
  }
  ++pc_;  // a fault is the operator's
  if (!is_binary(body.opcode)) {
    return repeat_unary(at, body);
  }
  BinaryOperation operation = binary_operation(body.opcode);
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    Cell left = slots_[body.operands[1] + i * at.operands[1]];
    Cell right = slots_[body.operands[2] + i * at.operands[2]];
    ArithmeticResult result = evaluate(operation, body.type, left, right);
    if (result.fault != ArithmeticFault::None) [[unlikely]] {
      fail(result.fault, left, right);
      return false;
    }
    slots_[body.operands[0] + i] = result.value;
  }
  return true;
}

void Machine::reduce(const Instruction& at, BinaryOperation operation) {
  const Cell* source = slots_ + at.operands[1];
  uint64_t n_outer = at.operands[2];
  uint64_t n_reduced = at.operands[3];
  uint64_t n_inner = at.operands[4];
  Cell identity = operation == BinaryOperation::Add ? Cell{0} : one(at.type);
  for (uint64_t outer = 0; outer < n_outer; ++outer) {
    for (uint64_t inner = 0; inner < n_inner; ++inner) {
      Cell total = identity;
      for (uint64_t k = 0; k < n_reduced; ++k) {
        total =
            evaluate(operation, at.type, total, source[(outer * n_reduced + k) * n_inner + inner])
                .value;
      }
      slots_[at.operands[0] + outer * n_inner + inner] = total;
    }
  }
}

void Machine::rotate(const Instruction& at) {
  uint64_t n = at.operands[3];
  uint64_t width = at.operands[4];
  if (n == 0) {
    return;
  }
  auto amount = static_cast<int64_t>(slots_[at.operands[2]]) % static_cast<int64_t>(n);
  uint64_t first = static_cast<uint64_t>(amount < 0 ? amount + static_cast<int64_t>(n) : amount);
  const Cell* source = slots_ + at.operands[1];
  Cell* target = slots_ + at.operands[0];
  std::copy_n(source + first * width, (n - first) * width, target);
  std::copy_n(source, first * width, target + (n - first) * width);
}

auto Machine::call_extern(const ExternFunction& function, const HostFunction* host, Cell* at)
    -> bool {
  if (host == nullptr) {
    fail(Fault::MissingExtern, pc_);
    return false;
  }
  std::vector<int64_t> inputs(function.n_input_cells);
  std::transform(at, at + inputs.size(), inputs.begin(),
                 [](Cell cell) { return static_cast<int64_t>(cell); });
  std::vector<int64_t> outputs(function.outputs.size());
  int status = (*host)(inputs, outputs);
  if (status != 0) {
    fail(Fault::FailedExtern, static_cast<Cell>(static_cast<int64_t>(status)));
    return false;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    // Nothing forces a host to stay in the range of a type.
    ElementType type = function.outputs[i];
    auto cell = static_cast<Cell>(outputs[i]);
    at[i] = type.kind == ElementKind::Bool ? Cell{cell != 0} : wrapped(type.kind, cell);
  }
  return true;
}

/// Runs from `pc_` until the outermost function returns or something fails.
void Machine::execute() {
  for (;;) {
    const Instruction& at = program_.instructions[pc_];
    const uint32_t* operands = at.operands;
    switch (at.opcode) {
      case Opcode::Const:
        slots_[operands[0]] = uint64_t{operands[1]} | uint64_t{operands[2]} << 32;
        break;
      case Opcode::Add:
        if (is_integer(at.type.kind)) [[likely]] {
          slots_[operands[0]] = wrapped(at.type.kind, slots_[operands[1]] + slots_[operands[2]]);
          break;
        }
        if (!binary(at)) {
          return;
        }
        break;
      case Opcode::Sub:
        if (is_integer(at.type.kind)) [[likely]] {
          slots_[operands[0]] = wrapped(at.type.kind, slots_[operands[1]] - slots_[operands[2]]);
          break;
        }
        if (!binary(at)) {
          return;
        }
        break;
      case Opcode::Mul:
      case Opcode::Div:
      case Opcode::Rem:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Shl:
      case Opcode::Shr:
      case Opcode::ShrArithmetic:
      case Opcode::Less:
      case Opcode::LessEqual:
      case Opcode::Greater:
      case Opcode::GreaterEqual:
      case Opcode::Equal:
      case Opcode::NotEqual:
        if (!binary(at)) {
          return;
        }
        break;
      case Opcode::Negate:
      case Opcode::Not:
      case Opcode::Complement:
      case Opcode::Cast:
        slots_[operands[0]] = evaluate_unary(at, slots_[operands[1]]);
        break;
      case Opcode::Move:
        if (operands[2] == 1) [[likely]] {
          slots_[operands[0]] = slots_[operands[1]];
        } else {
          std::memmove(slots_ + operands[0], slots_ + operands[1], operands[2] * sizeof(Cell));
        }
        break;
      case Opcode::Zero:
        std::fill_n(slots_ + operands[0], operands[1], Cell{0});
        break;
      case Opcode::Repeat:
        if (!repeat(at)) {
          return;
        }
        break;
      case Opcode::Sum:
      case Opcode::Product:
        if (!spend(uint64_t{operands[2]} * operands[3] * operands[4])) {
          return;
        }
        reduce(at, at.opcode == Opcode::Sum ? BinaryOperation::Add : BinaryOperation::Mul);
        break;
      case Opcode::Rotate:
        rotate(at);
        break;
      case Opcode::Index:
      case Opcode::CheckIndex: {
        Cell index = slots_[operands[1]];
        Cell& address = slots_[operands[0]];
        if (index < operands[2]) [[likely]] {
          address = address == kOutside ? kOutside : address * operands[2] + index;
        } else if (at.opcode == Opcode::CheckIndex) {
          fail(Fault::IndexOutOfRange, index, operands[2]);
          return;
        } else {
          address = kOutside;
        }
        break;
      }
      case Opcode::Fetch: {
        Cell address = slots_[operands[2]];
        if (address == kOutside) {
          std::fill_n(slots_ + operands[0], operands[3], Cell{0});
        } else {
          std::memmove(slots_ + operands[0], slots_ + operands[1] + address * operands[3],
                       operands[3] * sizeof(Cell));
        }
        break;
      }
      case Opcode::Put: {
        Cell address = slots_[operands[1]];
        if (address != kOutside) {
          std::memmove(slots_ + operands[0] + address * operands[3], slots_ + operands[2],
                       operands[3] * sizeof(Cell));
        }
        break;
      }
      case Opcode::Reference:
        slots_[operands[0]] = base_ + kHeaderCells + operands[1];
        break;
      case Opcode::Load:
        std::memmove(slots_ + operands[0], stack_.cells() + slots_[operands[1]],
                     operands[2] * sizeof(Cell));
        break;
      case Opcode::Store:
        std::memmove(stack_.cells() + slots_[operands[0]], slots_ + operands[1],
                     operands[2] * sizeof(Cell));
        break;
      case Opcode::CheckReference:
        if (slots_[operands[0]] >= base_) {
          fail(Fault::DanglingReference);
          return;
        }
        break;
      case Opcode::Jump:
        pc_ = operands[0];
        continue;
      case Opcode::JumpIf:
        if (slots_[operands[0]] != 0) {
          pc_ = operands[1];
          continue;
        }
        break;
      case Opcode::JumpUnless:
        if (slots_[operands[0]] == 0) {
          pc_ = operands[1];
          continue;
        }
        break;
      case Opcode::Loop:
        if (!spend(1)) {
          return;
        }
        pc_ = operands[0];
        continue;
      case Opcode::Force: {
        Cell& memory = slots_[operands[0]];
        if (memory == kEvaluated) {
          break;
        }
        if (memory != 0) {
          fail(Fault::CyclicDefinition);
          return;
        }
        memory = pc_ + 1;
        pc_ = operands[1];
        continue;
      }
      case Opcode::Done:
        pc_ = static_cast<uint32_t>(slots_[operands[0]]);
        slots_[operands[0]] = kEvaluated;
        continue;
      case Opcode::Call: {
        const Function& callee = program_.functions[operands[0]];
        uint64_t caller = base_;
        uint64_t frame = base_ + kHeaderCells + function_->n_slots;
        if (!spend(1)) {
          return;
        }
        base_ = frame;
        Cell return_to = uint64_t{pc_ + 1} | index_of(*function_) << 32;
        if (!enter(callee)) {
          base_ = caller;
          fail(Fault::OutOfMemory);
          return;
        }
        slots_[-2] = return_to;
        slots_[-1] = caller;
        continue;
      }
      case Opcode::TailCall: {
        const Function& callee = program_.functions[operands[0]];
        if (!spend(1)) {
          return;
        }
        std::memmove(slots_, slots_ + function_->n_slots + kHeaderCells,
                     callee.n_parameter_cells * sizeof(Cell));
        if (!enter(callee)) {
          fail(Fault::OutOfMemory);
          return;
        }
        continue;
      }
      case Opcode::CallExtern: {
        if (!call_extern(program_.externs[operands[0]], externs_[operands[0]],
                         slots_ + function_->n_slots + kHeaderCells)) {
          return;
        }
        break;
      }
      case Opcode::Return: {
        std::memmove(slots_, slots_ + operands[0], operands[1] * sizeof(Cell));
        if (slots_[-2] == kHostFrame) {
          result_.is_done = true;
          return;
        }
        pc_ = static_cast<uint32_t>(slots_[-2]);
        function_ = &program_.functions[slots_[-2] >> 32];
        base_ = slots_[-1];
        slots_ = stack_.cells() + base_ + kHeaderCells;
        continue;
      }
      case Opcode::Fail:
        fail(static_cast<Fault>(operands[0]), operands[1]);
        return;
      case Opcode::Note:
        note(pc_);
        break;
    }
    ++pc_;
  }
}

}  // namespace

auto run_program(const Program& program, uint32_t function, std::span<const Cell> arguments,
                 const MachineOptions& options) -> MachineResult {
  return Machine(program, options).run(function, arguments);
}

}  // namespace tacet::interpret
