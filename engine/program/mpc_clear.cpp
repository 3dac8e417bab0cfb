#include "engine/program/mpc_clear.h"

#include <algorithm>

#include "base/check.h"
#include "engine/program/function.h"
#include "engine/program/mpc_draw.h"

namespace tacet::engine {
namespace {

__extension__ using Wide = __int128;

auto binary_operation(MpcOpcode op) -> BinaryOperation {
  using B = BinaryOperation;
  constexpr B kOperations[] = {
      B::Add,     B::Sub,          B::Mul,           B::Div,      B::Rem, B::Less, B::LessEqual,
      B::Greater, B::GreaterEqual, B::Equal,         B::NotEqual, B::And, B::Or,   B::Xor,
      B::Shl,     B::Shr,          B::ShrArithmetic, B::And,      B::Or};
  return kOperations[static_cast<size_t>(op)];
}

/// offset + the sum of stride · index, of each element of `result`.
void strided(const std::vector<int64_t>& numbers, ElementKind kind, MpcClear& result) {
  const std::vector<int64_t>& extents = result.type.extents;
  std::vector<int64_t> at(extents.size(), 0);
  auto number = static_cast<uint64_t>(numbers[0]);
  for (Cell& cell : result.cells) {
    cell = wrapped(kind, number);
    for (size_t d = at.size(); d-- > 0;) {
      const auto stride = static_cast<uint64_t>(numbers[d + 1]);
      number += stride;
      if (++at[d] < extents[d]) {
        break;
      }
      number -= stride * static_cast<uint64_t>(extents[d]);
      at[d] = 0;
    }
  }
}

class Computation {
 public:
  Computation(const MpcInstruction& instruction, std::span<const MpcClear* const> operands,
              MpcClear& result, const RngState& place)
      : instruction_(instruction), operands_(operands), result_(result), place_(place) {}

  auto run() -> MpcRunFault;

 private:
  [[nodiscard]] auto operand(size_t k) const -> const MpcClear& { return *operands_[k]; }
  /// Of a scalar its only element.
  [[nodiscard]] auto cell(size_t k, size_t i) const -> Cell {
    const MpcCells& cells = operand(k).cells;
    return cells[cells.size() == 1 ? 0 : i];
  }
  [[nodiscard]] auto element() const -> ElementType { return operand(0).type.element; }
  [[nodiscard]] auto size() const -> size_t { return result_.cells.size(); }

  void binary();
  auto binary(size_t i) -> Cell;
  auto guarded(BinaryOperation operation, Cell left, Cell right) -> Cell;
  auto product(Cell left, Cell right) -> Cell;
  void reduce();
  auto joined(Cell left, Cell right) -> Cell;
  void inner_products();
  void view();
  void place();
  void by_places();
  void function(Function function);
  void draws();

  const MpcInstruction& instruction_;
  std::span<const MpcClear* const> operands_;
  MpcClear& result_;
  const RngState& place_;
  MpcRunFault fault_ = MpcRunFault::None;
};

auto Computation::guarded(BinaryOperation operation, Cell left, Cell right) -> Cell {
  if (operand(1).type.is_secret()) {
    const bool is_shift = operation == BinaryOperation::Shl || operation == BinaryOperation::Shr ||
                          operation == BinaryOperation::ShrArithmetic;
    const bool is_division = operation == BinaryOperation::Div || operation == BinaryOperation::Rem;
    if (is_shift) {
      right &= bit_width(element().kind) - 1;
    } else if (is_division && right == 0) {
      right = one(element());
    }
  }
  const ArithmeticResult result = evaluate(operation, element(), left, right);
  if (result.fault != ArithmeticFault::None) {
    fault_ = result.fault == ArithmeticFault::DivisionByZero ? MpcRunFault::DivisionByZero
                                                             : MpcRunFault::ShiftOutOfRange;
  }
  return result.value;
}

/// An integer beside a fixed-point number multiplies it as it is.
auto Computation::product(Cell left, Cell right) -> Cell {
  return operand(0).type.element == operand(1).type.element
             ? evaluate(BinaryOperation::Mul, element(), left, right).value
             : left * right;
}

auto Computation::binary(size_t i) -> Cell {
  const Cell left = cell(0, i);
  const Cell right = cell(1, i);
  if (instruction_.op == MpcOpcode::Mul) {
    return product(left, right);
  }
  return guarded(binary_operation(instruction_.op), left, right);
}

/// The common cases of public arithmetic on indices, without a call for each element.
void Computation::binary() {
  const bool is_word = element().kind == ElementKind::I64 && operand(1).type.element == element();
  const auto each = [&](auto fn) {
    for (size_t i = 0; i < size(); ++i) {
      result_.cells[i] = fn(cell(0, i), cell(1, i));
    }
  };
  if (is_word && instruction_.op == MpcOpcode::Add) {
    each([](Cell a, Cell b) { return a + b; });
  } else if (is_word && instruction_.op == MpcOpcode::Mul) {
    each([](Cell a, Cell b) { return a * b; });
  } else {
    for (size_t i = 0; i < size(); ++i) {
      result_.cells[i] = binary(i);
    }
  }
}

auto Computation::joined(Cell left, Cell right) -> Cell {
  const auto is_less = [&] {
    return evaluate(BinaryOperation::Less, element(), left, right).value != 0;
  };
  switch (instruction_.op) {
    case MpcOpcode::Product:
      return evaluate(BinaryOperation::Mul, element(), left, right).value;
    case MpcOpcode::ReduceMin:
    case MpcOpcode::Min:
      return is_less() ? left : right;
    case MpcOpcode::ReduceMax:
    case MpcOpcode::Max:
      return is_less() ? right : left;
    case MpcOpcode::ReduceAnd:
      return left & right;
    case MpcOpcode::ReduceOr:
      return left | right;
    case MpcOpcode::ReduceXor:
      return left ^ right;
    default:
      return evaluate(BinaryOperation::Add, element(), left, right).value;
  }
}

void Computation::reduce() {
  const std::vector<int64_t>& extents = operand(0).type.extents;
  const auto axis = static_cast<size_t>(instruction_.numbers[0]);
  size_t inner = 1;
  for (size_t d = axis + 1; d < extents.size(); ++d) {
    inner *= static_cast<size_t>(extents[d]);
  }
  const auto extent = static_cast<size_t>(extents[axis]);
  for (size_t i = 0; i < size(); ++i) {
    const size_t first = i / inner * inner * extent + i % inner;
    Cell cell = operand(0).cells[first];
    for (size_t k = 1; k < extent; ++k) {
      cell = joined(cell, operand(0).cells[first + k * inner]);
    }
    result_.cells[i] = cell;
  }
}

/// Sums of exact products, rounded down once.
void Computation::inner_products() {
  const ElementType x = operand(0).type.element;
  const ElementType y = operand(1).type.element;
  const auto bits = x == y ? x.fraction_bits : uint8_t{0};
  const bool is_matmul = instruction_.op == MpcOpcode::Matmul;
  const auto k = static_cast<size_t>(operand(0).type.extents.back());
  const auto n = is_matmul ? static_cast<size_t>(operand(1).type.extents[1]) : size_t{1};
  for (size_t i = 0; i < size(); ++i) {
    const size_t row = is_matmul ? i / n * k : i * k;
    Wide sum = 0;
    for (size_t j = 0; j < k; ++j) {
      const size_t other = is_matmul ? j * n + i % n : i * k + j;
      sum += static_cast<Wide>(static_cast<int64_t>(operand(0).cells[row + j])) *
             static_cast<int64_t>(operand(1).cells[other]);
    }
    result_.cells[i] = wrapped(result_.type.element.kind, static_cast<uint64_t>(sum >> bits));
  }
}

void Computation::view() {
  strided(instruction_.numbers, ElementKind::I64, result_);
  for (Cell& cell : result_.cells) {
    cell = operand(0).cells[cell];
  }
}

void Computation::place() {
  result_.cells = operand(0).cells;
  const MpcCells& places = operand(1).cells;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < result_.cells.size()) {
      Cell& cell = result_.cells[places[i]];
      cell = instruction_.op == MpcOpcode::Place
                 ? operand(2).cells[i]
                 : evaluate(BinaryOperation::Add, element(), cell, operand(2).cells[i]).value;
    } else if (places[i] != ~Cell{0}) {
      fault_ = MpcRunFault::PlaceOutside;
    }
  }
}

/// Rows along the first dimension; places outside read 0 and write nothing.
void Computation::by_places() {
  const MpcCells& x = operand(0).cells;
  const auto n_rows = static_cast<size_t>(operand(0).type.extents[0]);
  const size_t width = x.size() / n_rows;
  const MpcCells& places = operand(1).cells;
  if (instruction_.op == MpcOpcode::ScatterSecret) {
    result_.cells = x;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < n_rows) {
        std::copy_n(operand(2).cells.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    result_.cells.begin() + static_cast<std::ptrdiff_t>(places[i] * width));
      }
    }
    return;
  }
  for (size_t i = 0; i < size(); ++i) {
    const Cell row = places[i / width];
    result_.cells[i] = row < n_rows ? x[row * width + i % width] : 0;
  }
}

/// As the language has it, exactly.
void Computation::function(Function function) {
  const bool has_second = operands_.size() > 1;
  evaluate(function, element(), operand(0).cells,
           has_second ? std::span<const Cell>(operand(1).cells) : std::span<const Cell>(),
           result_.cells);
}

/// Each element at its place.
void Computation::draws() {
  const std::optional<MpcDraw> draw = find_draw(instruction_.numbers, operands_.size());
  TACET_CHECK(draw.has_value(), "a draw that was not validated");
  const bool is_permutation = draw->function == DrawFunction::Permutation;
  const size_t width =
      is_permutation ? static_cast<size_t>(result_.type.extents.back()) : size_t{1};
  const bool has_arguments = draw->n_words < operands_.size();
  const ElementType type =
      has_arguments ? operand(draw->n_words).type.element : result_.type.element;
  const RngState place = place_.split(draw->bits);
  std::vector<uint64_t> words(draw->n_words);
  std::vector<Cell> arguments(operands_.size() - draw->n_words);
  for (size_t i = 0; i * width < size(); ++i) {
    for (size_t k = 0; k < operands_.size(); ++k) {
      (k < words.size() ? words[k] : arguments[k - words.size()]) = cell(k, i);
    }
    PublicRandomStream stream(place.split({}, words));
    const auto drawn =
        engine::draw(draw->function, type, arguments, static_cast<uint32_t>(width), stream);
    if (!drawn) {
      fault_ = MpcRunFault::EmptyDraw;
      return;
    }
    std::copy(drawn->begin(), drawn->end(),
              result_.cells.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
}

auto Computation::run() -> MpcRunFault {
  result_.cells.assign(static_cast<size_t>(n_elements(result_.type)), 0);
  const auto each = [&](auto fn) {
    for (size_t i = 0; i < size(); ++i) {
      result_.cells[i] = fn(i);
    }
  };
  switch (instruction_.op) {
    case MpcOpcode::Neg:
      each([&](size_t i) { return evaluate(UnaryOperation::Negate, element(), cell(0, i)); });
      break;
    case MpcOpcode::Not:
      each([&](size_t i) { return evaluate(UnaryOperation::Not, element(), cell(0, i)); });
      break;
    case MpcOpcode::Invert:
      each([&](size_t i) { return evaluate(UnaryOperation::Complement, element(), cell(0, i)); });
      break;
    case MpcOpcode::Constant: {
      const std::vector<int64_t>& numbers = instruction_.numbers;
      each([&](size_t i) { return static_cast<Cell>(numbers[numbers.size() == 1 ? 0 : i]); });
      break;
    }
    case MpcOpcode::Iota:
      strided(instruction_.numbers, result_.type.element.kind, result_);
      break;
    case MpcOpcode::Copy:
    case MpcOpcode::Reveal:
    case MpcOpcode::Shuffle:
      result_.cells = operand(0).cells;
      break;
    case MpcOpcode::Cast:
      each([&](size_t i) { return cast(element(), result_.type.element, cell(0, i)); });
      break;
    case MpcOpcode::Select:
      each([&](size_t i) { return cell(0, i) != 0 ? cell(1, i) : cell(2, i); });
      break;
    case MpcOpcode::Min:
    case MpcOpcode::Max:
      each([&](size_t i) { return joined(cell(0, i), cell(1, i)); });
      break;
    case MpcOpcode::Abs:
      each([&](size_t i) {
        const bool is_negative =
            evaluate(BinaryOperation::Less, element(), cell(0, i), 0).value != 0;
        return is_negative ? evaluate(UnaryOperation::Negate, element(), cell(0, i)) : cell(0, i);
      });
      break;
    case MpcOpcode::MulWide:
      each([&](size_t i) { return cell(0, i) * cell(1, i); });
      break;
    case MpcOpcode::Reciprocal:
    case MpcOpcode::Sqrt:
    case MpcOpcode::Rsqrt:
    case MpcOpcode::Exp:
    case MpcOpcode::Log:
    case MpcOpcode::Sigmoid:
    case MpcOpcode::Tanh:
    case MpcOpcode::Sort:
    case MpcOpcode::SortBy:
    case MpcOpcode::TopK:
      function(*find_function(mnemonic_of(instruction_.op)));
      break;
    case MpcOpcode::Sum:
    case MpcOpcode::Product:
    case MpcOpcode::ReduceMin:
    case MpcOpcode::ReduceMax:
    case MpcOpcode::ReduceAnd:
    case MpcOpcode::ReduceOr:
    case MpcOpcode::ReduceXor:
      reduce();
      break;
    case MpcOpcode::Dot:
    case MpcOpcode::Matmul:
      inner_products();
      break;
    case MpcOpcode::View:
      view();
      break;
    case MpcOpcode::Pick: {
      const MpcCells& x = operand(0).cells;
      each([&](size_t i) { return cell(1, i) < x.size() ? x[cell(1, i)] : 0; });
      break;
    }
    case MpcOpcode::Place:
    case MpcOpcode::PlaceAdd:
      place();
      break;
    case MpcOpcode::Concat: {
      MpcCells all;
      for (const MpcClear* part : operands_) {
        all.insert(all.end(), part->cells.begin(), part->cells.end());
      }
      result_.cells = std::move(all);
      break;
    }
    case MpcOpcode::Draw:
    case MpcOpcode::DrawSecret:
      draws();
      break;
    case MpcOpcode::GatherSecret:
    case MpcOpcode::ScatterSecret:
    case MpcOpcode::Permute:
      by_places();
      break;
    default:
      TACET_CHECK(is_operator(instruction_.op), "control computes nothing");
      binary();
  }
  return fault_;
}

/// One run.
class ClearRun {
 public:
  ClearRun(const MpcProgram& program, const std::vector<MpcCells>& inputs,
           const PublicRandomKey& key)
      : program_(program), place_(key), control_(program), values_(program.registers.size()) {
    for (uint32_t i = 0; i < values_.size(); ++i) {
      values_[i].type = program.registers[MpcRegisterId{i}].type;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      values_[program.inputs[i].reg.index].cells = inputs[i];
    }
  }

  auto run() -> MpcClearRun {
    MpcClearRun result;
    size_t at = 0;
    while (at < program_.code.size() && result.fault == MpcRunFault::None) {
      ++result.n_instructions;
      result.instruction = at;
      at = step(at, result.fault);
    }
    if (result.fault == MpcRunFault::None) {
      for (const MpcOutput& output : program_.outputs) {
        result.outputs.push_back(values_[output.reg.index].cells);
      }
    }
    return result;
  }

 private:
  auto step(size_t at, MpcRunFault& fault) -> size_t {
    const MpcInstruction& instruction = program_.code[at];
    if (is_control(instruction.op)) {
      std::vector<Cell> operands;
      for (const MpcRegisterId id : instruction.operands) {
        operands.push_back(values_[id.index].cells.front());
      }
      const MpcStep step = control_.step(at, operands);
      if (step.counter) {
        values_[step.counter->reg.index].cells = {step.counter->value};
      }
      fault = step.fault;
      return step.next;
    }
    std::vector<const MpcClear*> operands;
    for (const MpcRegisterId id : instruction.operands) {
      operands.push_back(&values_[id.index]);
    }
    MpcClear result{program_.registers[instruction.result].type, {}};
    fault = compute(instruction, operands, result, place_);
    values_[instruction.result.index] = std::move(result);
    return at + 1;
  }

  const MpcProgram& program_;
  RngState place_;
  MpcControl control_;
  std::vector<MpcClear> values_;
};

}  // namespace

auto compute(const MpcInstruction& instruction, std::span<const MpcClear* const> operands,
             MpcClear& result, const RngState& place) -> MpcRunFault {
  return Computation(instruction, operands, result, place).run();
}

auto run_in_the_clear(const MpcProgram& program, const std::vector<MpcCells>& inputs,
                      const PublicRandomKey& key) -> MpcClearRun {
  return ClearRun(program, inputs, key).run();
}

}  // namespace tacet::engine
