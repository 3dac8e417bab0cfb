#include "compiler/mpc/lower/fixed_ranges.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_lower {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcFamily;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcRegisterId;
using engine::MpcType;
using oblivious::range_of_type;

namespace {

/// Beyond this a number is anything: it may have left the ring.
constexpr WideInteger kAnything = WideInteger{1} << 100;
constexpr WideInteger kMostProduct = WideInteger{1} << 126;

auto clamped(WideInteger value) -> WideInteger {
  return std::clamp(value, -kAnything, kAnything);
}

auto hull(const CellRange& a, const CellRange& b) -> CellRange {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

auto with_zero(const CellRange& a) -> CellRange {
  return hull(a, {0, 0});
}

/// Off by as much as the machine may be.
auto rounded(const CellRange& a, WideInteger units) -> CellRange {
  return {a.lower - units, a.upper + units};
}

auto negated(const CellRange& a) -> CellRange {
  return {-a.upper, -a.lower};
}

auto sum(const CellRange& a, const CellRange& b) -> CellRange {
  return {clamped(a.lower + b.lower), clamped(a.upper + b.upper)};
}

/// The product of two numbers below 2^100, or anything.
auto product_of(WideInteger a, WideInteger b) -> WideInteger {
  const auto size = std::fabs(static_cast<double>(a)) * std::fabs(static_cast<double>(b));
  if (size > std::ldexp(1.0, 126)) {
    return (a < 0) == (b < 0) ? kMostProduct : -kMostProduct;
  }
  return a * b;
}

auto product(const CellRange& a, const CellRange& b) -> CellRange {
  const WideInteger corners[] = {product_of(a.lower, b.lower), product_of(a.lower, b.upper),
                                 product_of(a.upper, b.lower), product_of(a.upper, b.upper)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

auto times(const CellRange& a, WideInteger n) -> CellRange {
  return {clamped(product_of(a.lower, n)), clamped(product_of(a.upper, n))};
}

auto shifted_down(const CellRange& a, unsigned bits) -> CellRange {
  return {a.lower >> bits, a.upper >> bits};
}

auto is_fixed(ElementType element) -> bool {
  return element.kind == ElementKind::Fxp;
}

/// A real number as cells, as far as the type goes.
auto cell_of(double value, unsigned fraction_bits) -> WideInteger {
  const double cell = std::ldexp(value, static_cast<int>(fraction_bits));
  const double greatest = std::ldexp(1.0, 63);
  return cell >= greatest    ? (WideInteger{1} << 63) - 1
         : cell <= -greatest ? -(WideInteger{1} << 63)
                             : static_cast<WideInteger>(cell);
}

}  // namespace

auto size_of(const CellRange& range) -> WideInteger {
  return std::max(range.upper, -range.lower);
}

auto sum_of_products(const CellRange& x, const CellRange& y, int64_t k) -> WideInteger {
  const WideInteger one = size_of(product(x, y));
  return one > kMostProduct / std::max<int64_t>(k, 1) ? kMostProduct + 1 : one * k;
}

auto largest_of_chain(const CellRange& x, int64_t n, unsigned fraction_bits) -> WideInteger {
  WideInteger size = size_of(x);
  WideInteger largest = 0;
  for (int64_t i = 1; i < n; ++i) {
    const WideInteger next = product_of(size, size_of(x));
    largest = std::max(largest, next);
    if (largest >= kMostProduct) {
      break;
    }
    size = (next >> fraction_bits) + 1;
    if (next == 0) {
      break;
    }
  }
  return largest;
}

FixedRanges::FixedRanges(const engine::MpcProgram& program, const Bounds& bounds,
                         unsigned ring_bits)
    : program_(program),
      ring_bits_(ring_bits),
      ranges_(program.registers.size()),
      is_known_(program.registers.size(), 0) {
  for (const engine::MpcInput& input : program.inputs) {
    const auto found = bounds.find(input.reg);
    const CellRange all = range_of_type(type(input.reg).element);
    ranges_[input.reg.index] =
        found != bounds.end() && found->second.is_within(all) ? found->second : all;
    is_known_[input.reg.index] = 1;
  }
  constexpr int kExactRounds = 3;
  constexpr int kMostRounds = 64;
  bool changes = true;
  for (int round = 0; changes && round < kMostRounds; ++round) {
    changes = false;
    for (const MpcInstruction& instruction : program.code) {
      const bool has_all = std::all_of(instruction.operands.begin(), instruction.operands.end(),
                                       [&](MpcRegisterId id) { return is_known_[id.index] != 0; });
      if (!instruction.result.has_value() || !has_all) {
        continue;
      }
      changes = update(instruction.result, held(instruction.result, exact(instruction)),
                       round >= kExactRounds) ||
                changes;
    }
  }
  for (uint32_t i = 0; i < ranges_.size(); ++i) {
    if (changes || is_known_[i] == 0) {  // never: a range only grows to all of its type
      ranges_[i] = held({i}, {-kAnything, kAnything});
    }
  }
}

auto FixedRanges::held(MpcRegisterId id, CellRange range) const -> CellRange {
  const engine::MpcType& type = this->type(id);
  const CellRange all = range_of_type(type.element);
  if (range.is_within(all)) {
    return range;
  }
  const bool is_wide = type.is_secret() && is_fixed(type.element) && ring_bits_ > 64;
  return is_wide ? CellRange{clamped(range.lower), clamped(range.upper)} : all;
}

auto FixedRanges::update(MpcRegisterId id, CellRange range, bool widens) -> bool {
  CellRange& known = ranges_[id.index];
  if (is_known_[id.index] == 0) {
    is_known_[id.index] = 1;
    known = range;
    return true;
  }
  const CellRange both = hull(known, range);
  if (both == known) {
    return false;
  }
  known = widens ? held(id, {-kAnything, kAnything}) : both;
  return true;
}

auto FixedRanges::fits(MpcRegisterId id) const -> bool {
  return of(id).is_within(range_of_type(type(id).element));
}

auto FixedRanges::fitted(MpcRegisterId id) const -> CellRange {
  return fits(id) ? of(id) : range_of_type(type(id).element);
}

auto FixedRanges::exact(const MpcInstruction& instruction) const -> CellRange {
  const auto& operands = instruction.operands;
  switch (engine::family_of(instruction.op)) {
    case MpcFamily::Literal:
      return of_literal(instruction);
    case MpcFamily::Copy:
    case MpcFamily::Reveal:
      return of(operands[0]);
    case MpcFamily::Wrap:
      return fitted(operands[0]);
    case MpcFamily::Select:
      return hull(of(operands[1]), of(operands[2]));
    case MpcFamily::Addition:
      return sum(of(operands[0]),
                 instruction.op == MpcOpcode::Add ? of(operands[1]) : negated(of(operands[1])));
    case MpcFamily::Negation:
      return negated(of(operands[0]));
    case MpcFamily::Multiplication:
      return of_product(instruction);
    case MpcFamily::Division:
      return of_quotient(instruction);
    case MpcFamily::Extremum:
      return of_extremum(instruction);
    case MpcFamily::Cast:
      return of_cast(instruction);
    case MpcFamily::FixedFunction:
      return of_function(instruction);
    case MpcFamily::Sum:
      return times(of(operands[0]),
                   type(operands[0]).extents[static_cast<size_t>(instruction.numbers[0])]);
    case MpcFamily::Reduction:
      return of_reduction(instruction);
    case MpcFamily::InnerProduct:
      return of_inner_product(instruction);
    case MpcFamily::Movement:
    case MpcFamily::SecretMovement:
      return of_movement(instruction);
    case MpcFamily::Draw:
    case MpcFamily::DrawSecret:
      return of_draw(instruction);
    case MpcFamily::Order:
    case MpcFamily::Equality:
      return {0, 1};
    case MpcFamily::Logic:
    case MpcFamily::Shift:
      break;
    case MpcFamily::Control: {
      const CellRange lower = of(operands[0]);
      return {lower.lower, std::max(lower.lower, of(operands[1]).upper - 1)};
    }
  }
  return {-kAnything, kAnything};
}

auto FixedRanges::of_literal(const MpcInstruction& instruction) const -> CellRange {
  const std::vector<int64_t>& numbers = instruction.numbers;
  CellRange range{numbers.front(), numbers.front()};
  if (instruction.op == MpcOpcode::Constant) {
    for (const int64_t number : numbers) {
      range = hull(range, {number, number});
    }
    return range;
  }
  const auto& extents = type(instruction.result).extents;
  for (size_t i = 0; i < extents.size(); ++i) {
    range = sum(range, with_zero(times({numbers[i + 1], numbers[i + 1]}, extents[i] - 1)));
  }
  return range;
}

auto FixedRanges::of_extremum(const MpcInstruction& instruction) const -> CellRange {
  const CellRange a = fitted(instruction.operands.front());
  const CellRange b = fitted(instruction.operands.back());
  if (instruction.op == MpcOpcode::Abs) {
    return {a.contains(0) ? 0 : std::min(std::max(a.lower, -a.upper), size_of(a)), size_of(a)};
  }
  return instruction.op == MpcOpcode::Min
             ? CellRange{std::min(a.lower, b.lower), std::min(a.upper, b.upper)}
             : CellRange{std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

auto FixedRanges::of_reduction(const MpcInstruction& instruction) const -> CellRange {
  const MpcRegisterId operand = instruction.operands[0];
  const CellRange x = fitted(operand);
  if (instruction.op == MpcOpcode::ReduceMin || instruction.op == MpcOpcode::ReduceMax) {
    return x;
  }
  const ElementType element = type(instruction.result).element;
  if (instruction.op != MpcOpcode::Product || !is_fixed(element)) {
    return {-kAnything, kAnything};
  }
  const int64_t n = type(operand).extents[static_cast<size_t>(instruction.numbers[0])];
  const unsigned f = element.fraction_bits;
  const WideInteger size = std::max((largest_of_chain(x, n, f) >> f) + 2, size_of(x));
  return {-size, size};
}

auto FixedRanges::of_inner_product(const MpcInstruction& instruction) const -> CellRange {
  const MpcType& left = type(instruction.operands[0]);
  const MpcType& right = type(instruction.operands[1]);
  const CellRange x = fitted(instruction.operands[0]);
  const CellRange y = fitted(instruction.operands[1]);
  const unsigned f =
      left.element == right.element ? type(instruction.result).element.fraction_bits : 0;
  const WideInteger size = (sum_of_products(x, y, left.extents.back()) >> f) + 1;
  return {-size, size};
}

auto FixedRanges::of_product(const MpcInstruction& instruction) const -> CellRange {
  const MpcRegisterId left = instruction.operands[0];
  const MpcRegisterId right = instruction.operands[1];
  const ElementType element = type(instruction.result).element;
  const bool is_truncated = instruction.op == MpcOpcode::Mul && is_fixed(element) &&
                            type(left).element == type(right).element;
  if (is_truncated) {
    return rounded(shifted_down(product(fitted(left), fitted(right)), element.fraction_bits), 1);
  }
  const CellRange exact = product(of(left), of(right));
  return {clamped(exact.lower), clamped(exact.upper)};
}

auto FixedRanges::of_quotient(const MpcInstruction& instruction) const -> CellRange {
  const ElementType element = type(instruction.result).element;
  const CellRange x = fitted(instruction.operands[0]);
  const CellRange y = fitted(instruction.operands[1]);
  if (instruction.op == MpcOpcode::Mod) {
    return {x.lower < 0 ? x.lower : 0, x.upper > 0 ? x.upper : 0};
  }
  const unsigned f = is_fixed(element) ? element.fraction_bits : 0;
  const WideInteger least =
      y.contains(0) ? 1 : std::min(y.lower > 0 ? y.lower : -y.upper, size_of(y));
  const WideInteger size = (size_of(x) << f) / least;
  const bool is_positive = y.lower >= 0;
  const bool is_negative = y.upper <= 0;
  // As exact as any format promises.
  const WideInteger error = is_fixed(element) ? 4 + (size >> 16) : 0;
  const CellRange signs{(is_positive && x.lower >= 0) || (is_negative && x.upper <= 0) ? 0 : -size,
                        (is_positive && x.upper <= 0) || (is_negative && x.lower >= 0) ? 0 : size};
  return rounded(signs, error);
}

auto FixedRanges::of_cast(const MpcInstruction& instruction) const -> CellRange {
  const ElementType from = type(instruction.operands[0]).element;
  const ElementType to = type(instruction.result).element;
  const CellRange x = of(instruction.operands[0]);
  if (to.kind == ElementKind::Bool) {
    return {0, 1};
  }
  if (!is_fixed(from)) {
    return is_fixed(to) ? times(x, WideInteger{1} << to.fraction_bits) : x;
  }
  const CellRange cells = fitted(instruction.operands[0]);
  if (!is_fixed(to)) {
    return rounded(shifted_down(cells, from.fraction_bits), 1);
  }
  return to.fraction_bits >= from.fraction_bits
             ? times(x, WideInteger{1} << (to.fraction_bits - from.fraction_bits))
             : rounded(shifted_down(cells, from.fraction_bits - to.fraction_bits), 1);
}

auto FixedRanges::of_function(const MpcInstruction& instruction) const -> CellRange {
  const ElementType element = type(instruction.result).element;
  const unsigned f = element.fraction_bits;
  const CellRange x = fitted(instruction.operands[0]);
  const CellRange all = range_of_type(element);
  const double lower = std::ldexp(static_cast<double>(x.lower), -static_cast<int>(f));
  const double upper = std::ldexp(static_cast<double>(x.upper), -static_cast<int>(f));
  // As exact as any format promises, and what `double` rounds.
  const auto range = [&](double from, double to) {
    const double slack = 1.0 / 4096;
    const CellRange cells{cell_of(from - slack * std::fabs(from), f),
                          cell_of(to + slack * std::fabs(to), f)};
    const CellRange result = rounded(cells, 16);
    return CellRange{std::max(result.lower, all.lower), std::min(result.upper, all.upper)};
  };
  if (instruction.op == MpcOpcode::Sqrt) {
    return range(0, std::sqrt(std::max(upper, 0.0)));
  }
  if (instruction.op == MpcOpcode::Rsqrt) {
    return x.lower > 0 ? range(0, 1 / std::sqrt(lower)) : CellRange{-16, all.upper};
  }
  if (instruction.op == MpcOpcode::Exp) {
    return range(0, std::exp(std::min(upper, 60.0)));
  }
  if (instruction.op == MpcOpcode::Log) {
    return x.lower > 0 ? range(std::log(lower), std::log(upper))
                       : CellRange{all.lower, range(0, std::log(std::max(upper, 1.0))).upper};
  }
  if (instruction.op == MpcOpcode::Sigmoid) {
    return range(0, 1);
  }
  if (instruction.op == MpcOpcode::Tanh || instruction.op == MpcOpcode::Erf ||
      instruction.op == MpcOpcode::Sin || instruction.op == MpcOpcode::Cos) {
    return range(-1, 1);
  }
  if (x.contains(0)) {  // of a reciprocal
    return all;
  }
  return x.lower > 0 ? range(0, 1 / lower) : range(1 / upper, 0);
}

auto FixedRanges::of_draw(const MpcInstruction& instruction) const -> CellRange {
  const CellRange anything{-kAnything, kAnything};
  const std::optional<engine::MpcDraw> draw =
      engine::find_draw(instruction.numbers, instruction.operands.size());
  if (!draw || draw->n_words >= instruction.operands.size()) {
    return anything;
  }
  const CellRange first = of(instruction.operands[draw->n_words]);
  const CellRange last = of(instruction.operands.back());
  switch (draw->function) {
    case engine::DrawFunction::Int:
      return {0, std::max<WideInteger>(first.upper - 1, 0)};
    case engine::DrawFunction::Uniform:
      return hull(first, last);
    case engine::DrawFunction::Normal:
      // Of as many as 64 parts, each within 9.2 deviations of its own.
      return rounded(first, clamped(product_of(size_of(last), 75)) + 64);
    case engine::DrawFunction::Bool:
      return {0, 1};
    case engine::DrawFunction::U64:
    case engine::DrawFunction::Permutation:
      break;
  }
  return anything;
}

auto FixedRanges::of_movement(const MpcInstruction& instruction) const -> CellRange {
  const auto& operands = instruction.operands;
  const MpcOpcode op = instruction.op;
  const CellRange first = of(operands[0]);
  if (op == MpcOpcode::Pick || op == MpcOpcode::GatherSecret) {
    return with_zero(first);
  }
  if (op == MpcOpcode::Place || op == MpcOpcode::ScatterSecret) {
    return hull(first, of(operands[2]));
  }
  if (op == MpcOpcode::PlaceAdd) {
    return sum(first, with_zero(times(of(operands[2]), engine::n_elements(type(operands[2])))));
  }
  if (op == MpcOpcode::SortBy) {
    return of(operands[1]);
  }
  if (op == MpcOpcode::Concat) {
    return std::accumulate(
        operands.begin(), operands.end(), first,
        [&](const CellRange& range, MpcRegisterId id) { return hull(range, of(id)); });
  }
  return first;
}

}  // namespace tacet::mpc_lower
