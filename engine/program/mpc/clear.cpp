#include "engine/program/mpc/clear.h"

#include <algorithm>

#include "base/check.h"
#include "engine/program/common/function.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/families.h"

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

/// offset + the sum of stride · index, of each element of `result`; the strides are `numbers[1]`
/// and so on.
void strided(uint64_t offset, const std::vector<int64_t>& numbers, ElementKind kind,
             MpcClear& result) {
  const std::vector<int64_t>& extents = result.type.extents;
  std::vector<int64_t> at(extents.size(), 0);
  uint64_t number = offset;
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
      : instruction_(instruction), operands_(operands), result_(result), place_(place) {
    result_.cells.assign(static_cast<size_t>(n_elements(result_.type)), 0);
  }

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

  /// `fn(i)` as element i of the result.
  template <class Fn>
  void each(Fn fn) {
    for (size_t i = 0; i < size(); ++i) {
      result_.cells[i] = fn(i);
    }
  }

  void literal();
  void logic();
  void binary();
  void multiply();
  auto binary(size_t i) -> Cell;
  auto guarded(BinaryOperation operation, Cell left, Cell right) -> Cell;
  auto product(Cell left, Cell right) -> Cell;
  void reduce();
  /// An element of a sum or reduction, by the operator that joins it.
  auto joined(MpcOpcode op, Cell left, Cell right) -> Cell;
  void extremum();
  void move();
  void move_secretly();
  void inner_products();
  void view();
  void pick();
  void place();
  void concat();
  void by_places();
  void function();
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
  if (instruction_.op == MpcOpcode::DivWide) {
    return guarded(BinaryOperation::Div, left, right);
  }
  return guarded(binary_operation(instruction_.op), left, right);
}

/// The common cases of public arithmetic on indices, without a call for each element.
void Computation::binary() {
  const bool is_word = element().kind == ElementKind::I64 && operand(1).type.element == element();
  if (is_word && instruction_.op == MpcOpcode::Add) {
    each([&](size_t i) { return cell(0, i) + cell(1, i); });
  } else if (is_word && instruction_.op == MpcOpcode::Mul) {
    each([&](size_t i) { return cell(0, i) * cell(1, i); });
  } else {
    each([&](size_t i) { return binary(i); });
  }
}

auto Computation::joined(MpcOpcode op, Cell left, Cell right) -> Cell {
  const auto is_less = [&] {
    return evaluate(BinaryOperation::Less, element(), left, right).value != 0;
  };
  if (op == MpcOpcode::Min) {
    return is_less() ? left : right;
  }
  if (op == MpcOpcode::Max) {
    return is_less() ? right : left;
  }
  return evaluate(binary_operation(op), element(), left, right).value;
}

void Computation::reduce() {
  const std::vector<int64_t>& extents = operand(0).type.extents;
  const auto axis = static_cast<size_t>(instruction_.numbers[0]);
  const MpcOpcode joining = joining_operator(instruction_.op);
  size_t inner = 1;
  for (size_t d = axis + 1; d < extents.size(); ++d) {
    inner *= static_cast<size_t>(extents[d]);
  }
  const auto extent = static_cast<size_t>(extents[axis]);
  for (size_t i = 0; i < size(); ++i) {
    const size_t first = i / inner * inner * extent + i % inner;
    Cell cell = operand(0).cells[first];
    for (size_t k = 1; k < extent; ++k) {
      cell = joined(joining, cell, operand(0).cells[first + k * inner]);
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
  strided(static_cast<uint64_t>(instruction_.numbers[0]), instruction_.numbers, ElementKind::I64,
          result_);
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

void Computation::pick() {
  const MpcCells& x = operand(0).cells;
  each([&](size_t i) { return cell(1, i) < x.size() ? x[cell(1, i)] : 0; });
}

void Computation::concat() {
  MpcCells all;
  for (const MpcClear* part : operands_) {
    all.insert(all.end(), part->cells.begin(), part->cells.end());
  }
  result_.cells = std::move(all);
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
void Computation::function() {
  const bool has_second = operands_.size() > 1;
  evaluate(*find_function(mnemonic_of(instruction_.op)), element(), operand(0).cells,
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

void Computation::literal() {
  const std::vector<int64_t>& numbers = instruction_.numbers;
  if (instruction_.op == MpcOpcode::Iota) {
    auto offset = static_cast<uint64_t>(numbers[0]);
    for (size_t k = 0; k < operands_.size(); ++k) {
      offset += cell(k, 0) * static_cast<uint64_t>(numbers[numbers.size() - operands_.size() + k]);
    }
    strided(offset, numbers, result_.type.element.kind, result_);
  } else {
    each([&](size_t i) { return static_cast<Cell>(numbers[numbers.size() == 1 ? 0 : i]); });
  }
}

void Computation::logic() {
  if (instruction_.op == MpcOpcode::Not) {
    each([&](size_t i) { return evaluate(UnaryOperation::Not, element(), cell(0, i)); });
  } else if (instruction_.op == MpcOpcode::Invert) {
    each([&](size_t i) { return evaluate(UnaryOperation::Complement, element(), cell(0, i)); });
  } else {
    binary();
  }
}

void Computation::multiply() {
  if (instruction_.op == MpcOpcode::MulWide) {
    each([&](size_t i) { return cell(0, i) * cell(1, i); });
  } else {
    binary();
  }
}

void Computation::extremum() {
  const MpcOpcode op = instruction_.op;
  const auto negated = [&](size_t i) {
    return evaluate(UnaryOperation::Negate, element(), cell(0, i));
  };
  each([&](size_t i) {
    if (op != MpcOpcode::Abs) {
      return joined(op, cell(0, i), cell(1, i));
    }
    const bool is_negative = evaluate(BinaryOperation::Less, element(), cell(0, i), 0).value != 0;
    return is_negative ? negated(i) : cell(0, i);
  });
}

void Computation::move() {
  switch (movement_kind_of(instruction_.op)) {
    case MpcMovementKind::View:
      view();
      break;
    case MpcMovementKind::Pick:
      pick();
      break;
    case MpcMovementKind::Place:
    case MpcMovementKind::PlaceAdd:
      place();
      break;
    case MpcMovementKind::Concat:
      concat();
      break;
    case MpcMovementKind::None:
      TACET_CHECK(false, "not an instruction of movement");
  }
}

void Computation::move_secretly() {
  switch (secret_movement_kind_of(instruction_.op)) {
    case MpcSecretMovementKind::Shuffle:
      result_.cells = operand(0).cells;
      break;
    case MpcSecretMovementKind::Sort:
    case MpcSecretMovementKind::SortBy:
    case MpcSecretMovementKind::TopK:
      function();
      break;
    case MpcSecretMovementKind::Gather:
    case MpcSecretMovementKind::Scatter:
    case MpcSecretMovementKind::Permute:
      by_places();
      break;
    case MpcSecretMovementKind::None:
      TACET_CHECK(false, "not an instruction of secret movement");
  }
}

auto Computation::run() -> MpcRunFault {
  switch (family_of(instruction_.op)) {
    case MpcFamily::Literal:
      literal();
      break;
    case MpcFamily::Copy:
    case MpcFamily::Wrap:
    case MpcFamily::Reveal:
      result_.cells = operand(0).cells;
      break;
    case MpcFamily::Draw:
    case MpcFamily::DrawSecret:
      draws();
      break;
    case MpcFamily::Negation:
      each([&](size_t i) { return evaluate(UnaryOperation::Negate, element(), cell(0, i)); });
      break;
    case MpcFamily::Multiplication:
      multiply();
      break;
    case MpcFamily::Addition:
    case MpcFamily::Division:
    case MpcFamily::Order:
    case MpcFamily::Equality:
    case MpcFamily::Shift:
      binary();
      break;
    case MpcFamily::Logic:
      logic();
      break;
    case MpcFamily::Select:
      each([&](size_t i) { return cell(0, i) != 0 ? cell(1, i) : cell(2, i); });
      break;
    case MpcFamily::Extremum:
      extremum();
      break;
    case MpcFamily::Cast:
      each([&](size_t i) { return cast(element(), result_.type.element, cell(0, i)); });
      break;
    case MpcFamily::FixedFunction:
      function();
      break;
    case MpcFamily::Sum:
    case MpcFamily::Reduction:
      reduce();
      break;
    case MpcFamily::InnerProduct:
      inner_products();
      break;
    case MpcFamily::Movement:
      move();
      break;
    case MpcFamily::SecretMovement:
      move_secretly();
      break;
    case MpcFamily::Control:
      TACET_CHECK(false, "control computes nothing");
  }
  return fault_;
}

}  // namespace

auto compute(const MpcInstruction& instruction, std::span<const MpcClear* const> operands,
             MpcClear& result, const RngState& place) -> MpcRunFault {
  return Computation(instruction, operands, result, place).run();
}

auto places_of_view(const MpcInstruction& view, const MpcType& type) -> std::vector<uint32_t> {
  MpcClear places{{MpcVisibility::Public, kI64, type.extents}, {}};
  const MpcInstruction iota{.op = MpcOpcode::Iota, .numbers = view.numbers};
  static_cast<void>(compute(iota, {}, places));
  return {places.cells.begin(), places.cells.end()};
}

}  // namespace tacet::engine
