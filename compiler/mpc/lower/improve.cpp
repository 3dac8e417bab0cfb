#include "compiler/mpc/lower/improve.h"

#include <algorithm>
#include <optional>

#include "compiler/mpc/lower/value.h"

namespace tacet::mpc_lower {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using engine::MpcType;

namespace {

/// A factor of a product: where its elements are in an array, along the product's dimensions.
struct Factor {
  MpcRegisterId base{};
  int64_t offset = 0;
  Extents strides{};
};

/// A sum of products over a dimension of them, the axis. The other dimensions are divided by the
/// factors: the second one varies along `of_second`, the first one perhaps along the rest.
struct SummedProduct {
  MpcRegisterId result{};
  MpcType type;  ///< of the products
  size_t axis = 0;
  Factor factors[2];
  std::vector<size_t> kept{};  ///< all dimensions but the axis
  std::vector<size_t> of_first{};
  std::vector<size_t> of_second{};
  bool has_common = false;  ///< along one of them both vary

  void divide_dimensions() {
    for (size_t d = 0; d < type.extents.size(); ++d) {
      if (d == axis) {
        continue;
      }
      kept.push_back(d);
      const bool is_of_second = factors[1].strides[d] != 0 && type.extents[d] > 1;
      has_common = has_common || (is_of_second && factors[0].strides[d] != 0);
      (is_of_second ? of_second : of_first).push_back(d);
    }
  }
};

auto extents_of(const std::vector<size_t>& dimensions, const Extents& extents) -> Extents {
  Extents result;
  for (const size_t d : dimensions) {
    result.push_back(extents[d]);
  }
  return result;
}

/// Goes through a program once, with what precedes it rewritten already.
class Improvement {
 public:
  Improvement(MpcProgram& program, const FixedRanges& ranges)
      : program_(program), ranges_(ranges), n_ranges_(program.registers.size()) {
    definition_.assign(program.registers.size(), kNone);
    n_uses_.assign(program.registers.size(), 0);
    is_assigned_again_.assign(program.registers.size(), 0);
    for (const MpcInstruction& instruction : program.code) {
      for (const MpcRegisterId id : instruction.operands) {
        ++n_uses_[id.index];
      }
      if (instruction.result.has_value()) {
        uint8_t& again = is_assigned_again_[instruction.result.index];
        again = again == 0 ? 1 : 2;
      }
    }
    for (const engine::MpcOutput& output : program.outputs) {
      ++n_uses_[output.reg.index];
    }
  }

  auto run() -> RingIs {
    for (MpcInstruction instruction : std::exchange(program_.code, {})) {
      line_ = instruction.line;
      int_times_fixed(instruction);
      if (!sum_of_products(instruction) && !one_truncation(instruction)) {
        add(std::move(instruction));
      }
    }
    return ring_;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  [[nodiscard]] auto type(MpcRegisterId id) const -> const MpcType& {
    return program_.registers[id].type;
  }
  /// The only assignment to a register.
  [[nodiscard]] auto definition(MpcRegisterId id) const -> const MpcInstruction* {
    const bool is_one = is_assigned_again_[id.index] == 1 && definition_[id.index] != kNone;
    return is_one ? &program_.code[definition_[id.index]] : nullptr;
  }
  /// Does it hold what it held when `since` was computed?
  [[nodiscard]] auto is_same_since(MpcRegisterId id, MpcRegisterId since) const -> bool {
    const size_t then = definition_[since.index];
    return is_assigned_again_[id.index] <= 1 || (definition_[id.index] < then && last_loop_ < then);
  }

  void add(MpcInstruction instruction) {
    if (instruction.op == MpcOpcode::For || instruction.op == MpcOpcode::Loop) {
      last_loop_ = program_.code.size();
    }
    if (instruction.result.has_value()) {
      definition_[instruction.result.index] = program_.code.size();
    }
    program_.code.push_back(std::move(instruction));
  }

  auto emit(MpcOpcode op, ElementType element, Extents extents, std::vector<MpcRegisterId> operands,
            std::vector<int64_t> numbers = {}) -> MpcRegisterId {
    MpcType type{engine::MpcVisibility::Public, element, std::move(extents)};
    for (const MpcRegisterId id : operands) {
      type.visibility = narrow(type.visibility, this->type(id).visibility);
    }
    const MpcRegisterId id = program_.registers.add({"_", std::move(type)});
    definition_.push_back(kNone);
    n_uses_.push_back(1);
    is_assigned_again_.push_back(1);
    add({.op = op,
         .result = id,
         .operands = std::move(operands),
         .numbers = std::move(numbers),
         .line = line_});
    return id;
  }

  void int_times_fixed(MpcInstruction& instruction);
  auto sum_of_products(const MpcInstruction& instruction) -> bool;
  void write_dot(const SummedProduct& sum);
  void write_matmul(const SummedProduct& sum);
  auto factors_of(const MpcInstruction& product) -> std::optional<std::vector<MpcRegisterId>>;
  auto factor(MpcRegisterId id, const Extents& extents) const -> Factor;
  auto moved(const Factor& factor, const std::vector<size_t>& dimensions, const Extents& extents)
      -> MpcRegisterId;
  auto view(MpcRegisterId id, int64_t offset, const Extents& strides, Extents extents)
      -> MpcRegisterId;
  /// Does a sum of products fit into a quarter of the ring?
  auto has_room(const MpcInstruction& product, int64_t n) -> bool;
  auto one_truncation(MpcInstruction& instruction) -> bool;
  auto untruncated(MpcRegisterId id) const -> bool;
  auto widened(MpcRegisterId id) -> MpcRegisterId;

  MpcProgram& program_;
  const FixedRanges& ranges_;
  size_t n_ranges_;  ///< registers of the program as it came
  RingIs ring_ = RingIs::LargeEnough;
  std::vector<size_t> definition_;  ///< in the code so far
  std::vector<uint32_t> n_uses_;
  std::vector<uint8_t> is_assigned_again_;  ///< 2: more than once
  size_t last_loop_ = 0;                    ///< where the last one begins so far
  uint32_t line_ = 0;
};

void Improvement::int_times_fixed(MpcInstruction& instruction) {
  if (instruction.op != MpcOpcode::Mul ||
      type(instruction.result).element.kind != ElementKind::Fxp) {
    return;
  }
  for (size_t i = 0; i < 2; ++i) {
    const MpcInstruction* lift = definition(instruction.operands[i]);
    const MpcRegisterId other = instruction.operands[1 - i];
    if (lift != nullptr && lift->op == MpcOpcode::Cast &&
        is_same_since(lift->operands[0], lift->result) &&
        engine::is_integer(type(lift->operands[0]).element.kind) &&
        type(other).element.kind == ElementKind::Fxp &&
        ranges_.exact(*lift).is_within(oblivious::range_of_type(type(other).element))) {
      instruction.operands[i] = lift->operands[0];
      return;
    }
    if (lift != nullptr && lift->op == MpcOpcode::Constant && type(other).is_secret() &&
        type(lift->result).element == type(other).element) {
      const unsigned f = type(other).element.fraction_bits;
      std::vector<int64_t> whole = lift->numbers;
      const bool are_whole = std::all_of(whole.begin(), whole.end(), [&](int64_t cell) {
        return (static_cast<uint64_t>(cell) & ((uint64_t{1} << f) - 1)) == 0;
      });
      if (are_whole) {
        std::transform(whole.begin(), whole.end(), whole.begin(),
                       [&](int64_t cell) { return cell >> f; });
        instruction.operands[i] = emit(MpcOpcode::Constant, engine::kI64,
                                       Extents(type(lift->result).extents), {}, std::move(whole));
        return;
      }
    }
  }
}

auto Improvement::view(MpcRegisterId id, int64_t offset, const Extents& strides, Extents extents)
    -> MpcRegisterId {
  if (offset == 0 && extents == type(id).extents && strides == strides_of(extents)) {
    return id;
  }
  std::vector<int64_t> numbers = {offset};
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  return emit(MpcOpcode::View, type(id).element, std::move(extents), {id}, std::move(numbers));
}

auto Improvement::factor(MpcRegisterId id, const Extents& extents) const -> Factor {
  const MpcInstruction* definition = this->definition(id);
  if (definition != nullptr && definition->op == MpcOpcode::View &&
      is_same_since(definition->operands[0], id)) {
    return {definition->operands[0],
            definition->numbers[0],
            {definition->numbers.begin() + 1, definition->numbers.end()}};
  }
  return {id, 0, strides_of(extents)};
}

/// The factor along these dimensions of the product alone.
auto Improvement::moved(const Factor& factor, const std::vector<size_t>& dimensions,
                        const Extents& extents) -> MpcRegisterId {
  Extents strides;
  Extents shape;
  for (const size_t d : dimensions) {
    strides.push_back(factor.strides[d]);
    shape.push_back(extents[d]);
  }
  return view(factor.base, factor.offset, strides, std::move(shape));
}

/// The two factors of `mul`; those of a choice between numbers and 0 are the numbers, and 0 or 1.
auto Improvement::factors_of(const MpcInstruction& product)
    -> std::optional<std::vector<MpcRegisterId>> {
  const Extents extents = type(product.result).extents;
  std::vector<MpcRegisterId> factors = product.operands;
  if (product.op == MpcOpcode::Select) {
    const auto is_zero = [&](MpcRegisterId id) {
      const MpcInstruction* constant = definition(id);
      return constant != nullptr && constant->op == MpcOpcode::Constant &&
             std::all_of(constant->numbers.begin(), constant->numbers.end(),
                         [](int64_t number) { return number == 0; });
    };
    MpcRegisterId condition = factors[0];
    const bool is_negated = is_zero(factors[1]);
    if (is_negated == is_zero(factors[2]) || !type(condition).is_secret() ||
        !type(factors[is_negated ? 2 : 1]).is_secret()) {
      return std::nullopt;
    }
    const MpcRegisterId numbers = factors[is_negated ? 2 : 1];
    const ElementType element = type(numbers).element;
    if (is_negated) {
      condition = emit(MpcOpcode::Not, engine::kBool, type(condition).extents, {condition});
    }
    // Integers are extended to a wider ring bit by bit: the fewer the better.
    const bool is_extended = program_.fixed_ring_bits > 64;
    const ElementType integer = is_extended ? ElementType{ElementKind::U8, 0} : engine::kI64;
    const ElementType bits = element.kind == ElementKind::Fxp ? integer : element;
    condition = emit(MpcOpcode::Cast, bits, type(condition).extents, {condition});
    factors = {condition, numbers};
  } else if (product.op != MpcOpcode::Mul) {
    return std::nullopt;
  }
  for (const MpcRegisterId id : factors) {
    if (type(id).extents != extents || !is_same_since(id, product.result)) {
      return std::nullopt;
    }
  }
  return factors;
}

auto Improvement::has_room(const MpcInstruction& product, int64_t n) -> bool {
  const ElementType element = type(product.result).element;
  if (product.op != MpcOpcode::Mul || element.kind != ElementKind::Fxp ||
      element.fraction_bits == 0 ||
      type(product.operands[0]).element != type(product.operands[1]).element) {
    return true;  // nothing is truncated
  }
  const auto range = [&](MpcRegisterId id) {
    return id.index < n_ranges_ ? ranges_.fitted(id) : oblivious::range_of_type(type(id).element);
  };
  const WideInteger size =
      mpc_lower::sum_of_products(range(product.operands[0]), range(product.operands[1]), n);
  // Of a ring of 128 bits a little less than a quarter (`Truncation::Exact`).
  constexpr WideInteger kWideRoom = (WideInteger{1} << 126) - (WideInteger{1} << 63);
  if (size < (program_.fixed_ring_bits == 64 ? WideInteger{1} << 62 : kWideRoom)) {
    return true;
  }
  if (size < kWideRoom) {
    ring_ = RingIs::TooSmall;
  }
  return false;
}

auto Improvement::sum_of_products(const MpcInstruction& sum) -> bool {
  if (sum.op != MpcOpcode::Sum) {
    return false;
  }
  const MpcInstruction* found = definition(sum.operands[0]);
  if (found == nullptr || n_uses_[sum.operands[0].index] != 1 ||
      !type(sum.operands[0]).is_secret() || type(sum.operands[0]).extents.empty()) {
    return false;
  }
  const MpcInstruction product = *found;
  if (!has_room(product, type(product.result).extents[static_cast<size_t>(sum.numbers[0])])) {
    return false;
  }
  const std::optional<std::vector<MpcRegisterId>> registers = factors_of(product);
  if (!registers) {
    return false;
  }
  const Extents& extents = type(product.result).extents;
  SummedProduct summed{
      .result = sum.result,
      .type = type(product.result),
      .axis = static_cast<size_t>(sum.numbers[0]),
      .factors = {factor((*registers)[0], extents), factor((*registers)[1], extents)}};
  summed.divide_dimensions();
  if (summed.has_common || summed.kept.empty()) {
    write_dot(summed);
  } else {
    write_matmul(summed);
  }
  return true;
}

void Improvement::write_dot(const SummedProduct& sum) {
  std::vector<size_t> all = sum.kept;
  all.push_back(sum.axis);
  const MpcRegisterId x = moved(sum.factors[0], all, sum.type.extents);
  const MpcRegisterId y = moved(sum.factors[1], all, sum.type.extents);
  add({.op = MpcOpcode::Dot, .result = sum.result, .operands = {x, y}, .line = line_});
}

void Improvement::write_matmul(const SummedProduct& sum) {
  const Extents& extents = sum.type.extents;
  const int64_t m = count_of(extents_of(sum.of_first, extents));
  const int64_t n = count_of(extents_of(sum.of_second, extents));
  std::vector<size_t> rows = sum.of_first;
  rows.push_back(sum.axis);
  std::vector<size_t> columns = sum.of_second;
  columns.insert(columns.begin(), sum.axis);
  const int64_t k = extents[sum.axis];
  const MpcRegisterId x = view(moved(sum.factors[0], rows, extents), 0, {k, 1}, {m, k});
  const MpcRegisterId y = view(moved(sum.factors[1], columns, extents), 0, {n, 1}, {k, n});
  const MpcRegisterId xy = emit(MpcOpcode::Matmul, sum.type.element, {m, n}, {x, y});
  // Rows and columns go back to where their dimensions were.
  std::vector<size_t> order = sum.of_first;
  order.insert(order.end(), sum.of_second.begin(), sum.of_second.end());
  const Extents steps = strides_of(extents_of(order, extents));
  std::vector<int64_t> numbers = {0};
  for (const size_t d : sum.kept) {
    const auto at = std::find(order.begin(), order.end(), d) - order.begin();
    numbers.push_back(steps[static_cast<size_t>(at)]);
  }
  add({.op = MpcOpcode::View,
       .result = sum.result,
       .operands = {xy},
       .numbers = std::move(numbers),
       .line = line_});
}

/// Is it a fixed-point product, or one that was truncated just now, for this use alone?
auto Improvement::untruncated(MpcRegisterId id) const -> bool {
  const MpcInstruction* product = definition(id);
  if (product == nullptr || n_uses_[id.index] != 1 || !type(id).is_secret()) {
    return false;
  }
  const uint8_t bits = type(id).element.fraction_bits;
  const auto is_kept = [&](MpcRegisterId operand) { return is_same_since(operand, id); };
  if (!std::all_of(product->operands.begin(), product->operands.end(), is_kept)) {
    return false;
  }
  if (product->op == MpcOpcode::Mul) {
    return type(product->operands[0]).element == type(product->operands[1]).element;
  }
  return product->op == MpcOpcode::Cast &&
         type(product->operands[0]).element ==
             ElementType{ElementKind::Fxp, static_cast<uint8_t>(2 * bits)};
}

auto Improvement::widened(MpcRegisterId id) -> MpcRegisterId {
  const MpcInstruction product = *definition(id);
  if (product.op == MpcOpcode::Cast) {
    return product.operands[0];
  }
  const auto bits = static_cast<uint8_t>(2 * type(id).element.fraction_bits);
  return emit(MpcOpcode::MulWide, {ElementKind::Fxp, bits}, type(id).extents, product.operands);
}

auto Improvement::one_truncation(MpcInstruction& instruction) -> bool {
  if ((instruction.op != MpcOpcode::Add && instruction.op != MpcOpcode::Sub) ||
      type(instruction.result).element.kind != ElementKind::Fxp ||
      2 * type(instruction.result).element.fraction_bits > engine::kMaxFractionBits ||
      instruction.operands[0] == instruction.operands[1] || !untruncated(instruction.operands[0]) ||
      !untruncated(instruction.operands[1])) {
    return false;
  }
  // In plaintext a sum with all its fraction bits is a number of 64 bits.
  WideInteger size = 2;
  for (const MpcRegisterId id : instruction.operands) {
    size += size_of(ranges_.of(id));
  }
  if (size >= WideInteger{1} << (62 - type(instruction.result).element.fraction_bits)) {
    return false;
  }
  const MpcRegisterId left = widened(instruction.operands[0]);
  const MpcRegisterId right = widened(instruction.operands[1]);
  const MpcRegisterId sum =
      emit(instruction.op, type(left).element, type(instruction.result).extents, {left, right});
  add({.op = MpcOpcode::Cast, .result = instruction.result, .operands = {sum}, .line = line_});
  return true;
}

}  // namespace

auto improve(MpcProgram& program, const FixedRanges& ranges) -> RingIs {
  const RingIs ring = Improvement(program, ranges).run();
  remove_unused(program);
  return ring;
}

}  // namespace tacet::mpc_lower
