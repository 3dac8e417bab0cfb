#include "compiler/mpc/fit_fixed_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/mpc/improve.h"
#include "compiler/mpc/value.h"
#include "engine/mpc_model/fixed_point.h"
#include "engine/program/mpc_families.h"

namespace tacet::secret_shared {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcFamily;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using engine::MpcType;
using mpc_model::FixedFunction;

namespace {

auto is_fixed(const MpcProgram& program, MpcRegisterId id) -> bool {
  return program.registers[id].type.element.kind == ElementKind::Fxp;
}

auto has_secret_operand(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [&](MpcRegisterId id) { return program.registers[id].type.is_secret(); });
}

/// Is it a product of fixed point on secrets that is truncated?
auto is_truncated_product(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  const bool is_product = instruction.op == MpcOpcode::Mul || instruction.op == MpcOpcode::Dot ||
                          instruction.op == MpcOpcode::Matmul;
  if (!is_product || !has_secret_operand(program, instruction)) {
    return false;
  }
  const ElementType element = program.registers[instruction.operands[0]].type.element;
  return element.kind == ElementKind::Fxp && element.fraction_bits > 0 &&
         program.registers[instruction.operands[1]].type.element == element;
}

auto is_truncating_cast(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  if (instruction.op != MpcOpcode::Cast || !has_secret_operand(program, instruction)) {
    return false;
  }
  const ElementType from = program.registers[instruction.operands[0]].type.element;
  const ElementType to = program.registers[instruction.result].type.element;
  return from.kind == ElementKind::Fxp && to.kind == ElementKind::Fxp &&
         to.fraction_bits < from.fraction_bits;
}

auto extent_of(const MpcProgram& program, const MpcInstruction& instruction) -> int64_t {
  const MpcType& type = program.registers[instruction.operands[0]].type;
  return type.extents[static_cast<size_t>(instruction.numbers[0])];
}

/// The size of what a truncation of the instruction gets, at most; nothing if it has none.
auto truncated_size(const MpcProgram& program, const FixedRanges& ranges,
                    const MpcInstruction& instruction) -> std::optional<WideInteger> {
  if (is_truncated_product(program, instruction)) {
    const CellRange x = ranges.fitted(instruction.operands[0]);
    const CellRange y = ranges.fitted(instruction.operands[1]);
    const int64_t k = instruction.op == MpcOpcode::Mul
                          ? 1
                          : program.registers[instruction.operands[0]].type.extents.back();
    return sum_of_products(x, y, k);
  }
  if (is_truncating_cast(program, instruction)) {
    return ranges.fitted(instruction.operands[0]).size();
  }
  if (instruction.op == MpcOpcode::Product && is_fixed(program, instruction.operands[0]) &&
      has_secret_operand(program, instruction)) {
    return largest_of_chain(ranges.fitted(instruction.operands[0]), extent_of(program, instruction),
                            program.registers[instruction.result].type.element.fraction_bits);
  }
  return std::nullopt;
}

/// Does `exp` of it have room for its result?
auto exponential_fits(const CellRange& x, unsigned fraction_bits, int result_bits) -> bool {
  const double greatest = std::log(2.0) * result_bits;
  return static_cast<double>(x.upper) <
         std::ldexp(greatest, static_cast<int>(fraction_bits)) * 0.999;
}

/// Is a quotient, or what a function is given, within what the ring of 64 bits has?
auto fits_in_64_bits(const MpcProgram& program, const FixedRanges& ranges,
                     const MpcInstruction& instruction) -> bool {
  constexpr WideInteger kRoom = WideInteger{1} << 62;
  if (const auto size = truncated_size(program, ranges, instruction)) {
    return *size < kRoom;
  }
  if (!instruction.result.has_value() || !is_fixed(program, instruction.result) ||
      instruction.operands.empty() || !has_secret_operand(program, instruction)) {
    return true;
  }
  const unsigned f = program.registers[instruction.result].type.element.fraction_bits;
  const CellRange x = ranges.fitted(instruction.operands[0]);
  const auto plan = [&](FixedFunction function) {
    const mpc_model::FixedFormat format{.ring_bits = 64, .fraction_bits = f};
    return mpc_model::is_supported(format) ? mpc_model::plan_of(function, format)
                                           : mpc_model::FixedPlan{};
  };
  const auto is_below = [](WideInteger size, unsigned bits) {
    return size < WideInteger{1} << bits;
  };
  switch (instruction.op) {
    case MpcOpcode::Div: {
      const mpc_model::FixedPlan limits = plan(FixedFunction::Divide);
      return is_below(ranges.fitted(instruction.operands[1]).size(), limits.operand_bits) &&
             is_below(ranges.exact(instruction).size(), limits.result_bits);
    }
    case MpcOpcode::Reciprocal:
      return is_below(x.size(), plan(FixedFunction::Reciprocal).operand_bits);
    case MpcOpcode::Sqrt:
    case MpcOpcode::Rsqrt:
    case MpcOpcode::Log:
      return x.upper < kRoom;
    case MpcOpcode::Exp:
      return exponential_fits(
          x, f, static_cast<int>(plan(FixedFunction::Exp).result_bits) - static_cast<int>(f));
    default:
      return true;
  }
}

auto all_fit_in_64_bits(const MpcProgram& program, const FixedRanges& ranges) -> bool {
  return std::all_of(program.code.begin(), program.code.end(),
                     [&](const MpcInstruction& instruction) {
                       return fits_in_64_bits(program, ranges, instruction);
                     });
}

/// How likely a run of the program has a truncation that fails, at most, if they are probabilistic.
auto failure_probability(const MpcProgram& program, const FixedRanges& ranges) -> double {
  constexpr double kUnknownIterations = 1 << 20;
  std::vector<double> counts{1};
  double probability = 0;
  for (const MpcInstruction& instruction : program.code) {
    switch (instruction.op) {
      case MpcOpcode::For: {
        const CellRange lower = ranges.of(instruction.operands[0]);
        const CellRange upper = ranges.of(instruction.operands[1]);
        const auto n = static_cast<double>(std::max<WideInteger>(upper.upper - lower.lower, 1));
        counts.push_back(counts.back() * std::min(n, kUnknownIterations));
        break;
      }
      case MpcOpcode::Loop:
        counts.push_back(counts.back() * kUnknownIterations);
        break;
      case MpcOpcode::If:
        counts.push_back(counts.back());
        break;
      case MpcOpcode::End:
        counts.pop_back();
        break;
      default:
        break;
    }
    if (const auto size = truncated_size(program, ranges, instruction)) {
      const bool is_reduction = instruction.op == MpcOpcode::Product;
      const MpcRegisterId counted = is_reduction ? instruction.operands[0] : instruction.result;
      const auto n = static_cast<double>(engine::n_elements(program.registers[counted].type));
      probability +=
          counts.back() * n *
          std::ldexp(static_cast<double>(*size), -static_cast<int>(program.fixed_ring_bits));
    }
  }
  return probability;
}

/// Goes through a program in a ring of 128 bits, and brings to 64 bits what has to be.
class Wrapping {
 public:
  Wrapping(MpcProgram& program, const FixedRanges& ranges) : program_(program), ranges_(ranges) {}

  void run() {
    find_wrapped_once();
    for (MpcInstruction& instruction : std::exchange(program_.code, {})) {
      line_ = instruction.line;
      // There are ranges of the registers of the program alone: before any is replaced.
      const bool is_in_order = instruction.op == MpcOpcode::Product && !has_room(instruction);
      if (is_large_quotient(instruction)) {
        instruction.op = MpcOpcode::DivWide;
      }
      if (engine::is_control(instruction.op)) {
        wrapped_.clear();
      } else if (needs_numbers(instruction)) {
        for (MpcRegisterId& id : instruction.operands) {
          id = wrapped(id);
        }
      }
      const MpcRegisterId result = instruction.result;
      if (is_in_order) {
        multiply_in_order(instruction);
      } else {
        program_.code.push_back(std::move(instruction));
      }
      if (result.has_value()) {
        wrapped_.erase(result);
      }
      if (const auto once = wrapped_once_.find(result); once != wrapped_once_.end()) {
        once->second = emit(MpcOpcode::Wrap, type(result), {result});
      }
    }
  }

  /// Of results that other programs go on with.
  void wrap_results() {
    wrapped_.clear();
    line_ = 0;
    for (engine::MpcOutput& output : program_.outputs) {
      output.reg = wrapped(output.reg);
    }
  }

 private:
  [[nodiscard]] auto type(MpcRegisterId id) const -> const MpcType& {
    return program_.registers[id].type;
  }
  [[nodiscard]] auto is_secret_fixed(const MpcInstruction& instruction) const -> bool {
    return is_fixed(program_, instruction.operands[0]) && has_secret_operand(program_, instruction);
  }

  [[nodiscard]] auto is_large_quotient(const MpcInstruction& instruction) const -> bool {
    return instruction.op == MpcOpcode::Div && is_secret_fixed(instruction) &&
           !ranges_.exact(instruction).is_within(cells_of_type(type(instruction.result).element));
  }

  [[nodiscard]] auto needs_numbers(const MpcInstruction& instruction) const -> bool {
    switch (engine::family_of(instruction.op)) {
      case MpcFamily::Multiplication:
      case MpcFamily::InnerProduct:
        return is_truncated_product(program_, instruction);
      case MpcFamily::Division:
      case MpcFamily::FixedFunction:
      case MpcFamily::Extremum:
      case MpcFamily::Reduction:
        return is_secret_fixed(instruction);
      case MpcFamily::Cast:
        return is_truncating_cast(program_, instruction);
      default:
        return false;  // of sums, moves and comparisons the low bits are right
    }
  }

  /// What is assigned once is wrapped there, and not in every iteration of a loop that uses it.
  void find_wrapped_once() {
    std::vector<uint32_t> n_assignments(program_.registers.size(), 0);
    for (const MpcInstruction& instruction : program_.code) {
      if (instruction.result.has_value()) {
        ++n_assignments[instruction.result.index];
      }
    }
    for (const MpcInstruction& instruction : program_.code) {
      if (engine::is_control(instruction.op) || !needs_numbers(instruction)) {
        continue;
      }
      for (const MpcRegisterId id : instruction.operands) {
        if (is_to_be_wrapped(id) && n_assignments[id.index] == 1) {
          wrapped_once_.try_emplace(id);
        }
      }
    }
  }

  [[nodiscard]] auto is_to_be_wrapped(MpcRegisterId id) const -> bool {
    return type(id).is_secret() && is_fixed(program_, id) && !ranges_.fits(id);
  }

  [[nodiscard]] auto has_room(const MpcInstruction& instruction) const -> bool {
    const auto size = truncated_size(program_, ranges_, instruction);
    return !size || *size < WideInteger{1} << 126;
  }

  auto emit(MpcOpcode op, const MpcType& type, std::vector<MpcRegisterId> operands,
            std::vector<int64_t> numbers = {}) -> MpcRegisterId {
    const MpcRegisterId id = program_.registers.add({"_", type});
    program_.code.push_back({.op = op,
                             .result = id,
                             .operands = std::move(operands),
                             .numbers = std::move(numbers),
                             .line = line_});
    return id;
  }

  auto wrapped(MpcRegisterId id) -> MpcRegisterId {
    if (!is_to_be_wrapped(id)) {
      return id;
    }
    if (const auto once = wrapped_once_.find(id); once != wrapped_once_.end()) {
      return once->second;
    }
    const auto [found, is_new] = wrapped_.try_emplace(id);
    if (is_new) {
      found->second = emit(MpcOpcode::Wrap, type(id), {id});
    }
    return found->second;
  }

  /// A tree of products that wrap would give other numbers than the language's order.
  void multiply_in_order(const MpcInstruction& instruction) {
    const MpcRegisterId x = instruction.operands[0];
    const MpcType of_x = type(x);
    const MpcType part = type(instruction.result);
    const auto axis = static_cast<size_t>(instruction.numbers[0]);
    const Extents all = strides_of(of_x.extents);
    const auto slice = [&](int64_t i) {
      std::vector<int64_t> numbers{i * all[axis]};
      for (size_t d = 0; d < all.size(); ++d) {
        if (d != axis) {
          numbers.push_back(all[d]);
        }
      }
      return emit(MpcOpcode::View, part, {x}, std::move(numbers));
    };
    MpcRegisterId product = slice(0);
    for (int64_t i = 1; i < of_x.extents[axis]; ++i) {
      const MpcRegisterId factor = slice(i);
      // After the first one, products may have left their type.
      const MpcRegisterId left = i == 1 ? product : emit(MpcOpcode::Wrap, part, {product});
      product = emit(MpcOpcode::Mul, part, {left, factor});
    }
    program_.code.push_back({.op = MpcOpcode::Copy,
                             .result = instruction.result,
                             .operands = {product},
                             .line = line_});
  }

  MpcProgram& program_;
  const FixedRanges& ranges_;
  std::map<MpcRegisterId, MpcRegisterId> wrapped_once_;  ///< where they are assigned
  std::map<MpcRegisterId, MpcRegisterId> wrapped_;       ///< of others, since the last control
  uint32_t line_ = 0;
};

auto number_text(const CellRange& range, unsigned fraction_bits) -> std::string {
  const auto text = [&](WideInteger cell) {
    return fmt::format("{:.6g}",
                       std::ldexp(static_cast<double>(cell), -static_cast<int>(fraction_bits)));
  };
  return range.lower == range.upper ? text(range.lower)
                                    : fmt::format("{}..{}", text(range.lower), text(range.upper));
}

/// Results that leave their type whatever the inputs are, and those that may.
class Findings {
 public:
  Findings(const MpcProgram& program, const FixedRanges& ranges)
      : program_(program), ranges_(ranges) {}

  auto run() -> std::vector<FixedFinding> {
    for (const MpcInstruction& instruction : program_.code) {
      if (!instruction.result.has_value() || !is_fixed(program_, instruction.result) ||
          instruction.operands.empty() || !has_secret_operand(program_, instruction)) {
        continue;
      }
      result_of(instruction);
      argument_of(instruction);
    }
    if (n_more_ > 0) {
      may_leave_->note +=
          fmt::format("; so may {} other result{}", n_more_, n_more_ == 1 ? "" : "s");
    }
    if (may_leave_) {
      found_.push_back(std::move(*may_leave_));
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] auto element(const MpcInstruction& instruction) const -> ElementType {
    return program_.registers[instruction.result].type.element;
  }

  void result_of(const MpcInstruction& instruction) {
    const MpcFamily family = engine::family_of(instruction.op);
    const bool is_product = family == MpcFamily::Multiplication ||
                            instruction.op == MpcOpcode::Product ||
                            family == MpcFamily::InnerProduct;
    const bool is_quotient = family == MpcFamily::Division;
    if (!is_product && !is_quotient && family != MpcFamily::Addition && family != MpcFamily::Sum) {
      return;
    }
    const ElementType element = this->element(instruction);
    const CellRange exact = ranges_.exact(instruction);
    const CellRange all = cells_of_type(element);
    if (exact.is_within(all)) {
      return;
    }
    const std::string type = engine::element_type_name(element);
    const std::string what = is_product ? "product" : is_quotient ? "quotient" : "sum";
    const int bits = 63 - static_cast<int>(element.fraction_bits);
    if (exact.lower > all.upper || exact.upper < all.lower) {
      found_.push_back(
          {Severity::Error, instruction.line,
           fmt::format("this {} is {}, beyond `{}`", what,
                       number_text(exact, element.fraction_bits), type),
           fmt::format("numbers of `{}` are below 2^{} in size: take fewer bits behind the point, "
                       "or scale the operands",
                       type, bits)});
    } else if (is_product || is_quotient) {
      if (may_leave_) {
        ++n_more_;
        return;
      }
      may_leave_ =
          FixedFinding{Severity::Warning, instruction.line,
                       fmt::format("this {} may leave `{}`, whose numbers are below 2^{} in size",
                                   what, type, bits),
                       "it then wraps, as on `ref`, and the wider ring that it may need costs "
                       "more: declare bounds of the inputs (`in -1000..1000`), or limit it by "
                       "`min` and `max`"};
    }
  }

  /// Of functions that have no value there.
  void argument_of(const MpcInstruction& instruction) {
    const MpcOpcode op = instruction.op;
    const bool needs_positive = op == MpcOpcode::Log || op == MpcOpcode::Rsqrt;
    const bool needs_nonzero = op == MpcOpcode::Reciprocal;
    if (!needs_positive && !needs_nonzero && op != MpcOpcode::Exp && op != MpcOpcode::Sqrt) {
      return;
    }
    const unsigned f = element(instruction).fraction_bits;
    const CellRange x = ranges_.fitted(instruction.operands[0]);
    const std::string name(engine::mnemonic_of(op));
    const std::string range =
        x == cells_of_type(element(instruction)) ? "" : ": " + number_text(x, f);
    const auto tell = [&](bool is_always, std::string_view what, std::string_view instead) {
      found_.push_back({is_always ? Severity::Error : Severity::Warning, instruction.line,
                        fmt::format("`{}` of a number that {} {}{}", name,
                                    is_always ? "is" : "may be", what, range),
                        fmt::format("the result is then {}", instead)});
    };
    if (op == MpcOpcode::Exp) {
      const int bits = 63 - static_cast<int>(f);
      const double greatest = std::log(2.0) * bits;
      const double unit = std::ldexp(1.0, static_cast<int>(f));
      if (static_cast<double>(x.upper) >= greatest * unit) {
        tell(static_cast<double>(x.lower) >= greatest * unit, fmt::format("above {:.2f}", greatest),
             fmt::format("the greatest `{}`", engine::element_type_name(element(instruction))));
      }
    } else if (op == MpcOpcode::Sqrt) {
      if (x.upper < 0) {
        tell(true, "negative", "0");
      }
    } else if (needs_positive && x.lower <= 0) {
      tell(x.upper <= 0, "not positive",
           op == MpcOpcode::Log ? "the least number" : "the greatest number");
    } else if (needs_nonzero && is_too_small(x, f)) {
      found_.push_back(
          {Severity::Error, instruction.line,
           fmt::format("`reciprocal` of a number that may be too small: that of 2^{} is no `{}`",
                       static_cast<int>(f) - 63, engine::element_type_name(element(instruction))),
           "declare a bound of the inputs that keeps it away from 0 (`in 1..1000`), or take up to "
           "31 bits behind the point"});
    } else if (needs_nonzero && x.contains(0)) {
      tell(x.lower == 0 && x.upper == 0, "0", "the greatest number");
    }
  }

  /// Of formats with more than 31 fraction bits: 2^2f / x has to be below 2^63.
  static auto is_too_small(const CellRange& x, unsigned fraction_bits) -> bool {
    if (fraction_bits <= 31) {
      return false;
    }
    const WideInteger most = WideInteger{1} << (2 * fraction_bits - 63);
    return x.lower <= most && x.upper >= -most;
  }

  const MpcProgram& program_;
  const FixedRanges& ranges_;
  std::vector<FixedFinding> found_;
  std::optional<FixedFinding> may_leave_;
  size_t n_more_ = 0;
};

/// What whole programs may fail with.
constexpr double kNegligible = 0x1p-40;

}  // namespace

auto fit_fixed_point(MpcProgram& program, const FixedRanges::Bounds& bounds,
                     const LowerOptions& options) -> std::vector<FixedFinding> {
  remove_unused(program);
  std::vector<FixedFinding> found = Findings(program, FixedRanges(program, bounds, 128)).run();
  const bool may_fail = options.truncation == LowerTruncation::Probabilistic;
  bool is_done = false;
  if (program.fixed_ring_bits == 64) {
    MpcProgram narrow = program;
    const RingIs ring = improve(narrow, FixedRanges(narrow, bounds, 64));
    const FixedRanges ranges(narrow, bounds, 64);
    is_done = ring == RingIs::LargeEnough && all_fit_in_64_bits(narrow, ranges) &&
              (!may_fail || failure_probability(narrow, ranges) <= kNegligible);
    if (is_done) {
      program = std::move(narrow);
    }
  }
  if (!is_done) {
    program.fixed_ring_bits = 128;
    improve(program, FixedRanges(program, bounds, 128));
    const FixedRanges ranges(program, bounds, 128);
    const double probability = failure_probability(program, ranges);
    if (may_fail && probability > kNegligible) {
      found.push_back(
          {Severity::Error, 0,
           fmt::format(
               "probabilistic truncation may fail with probability 2^{:.0f}; at most 2^-40 is "
               "accepted",
               std::log2(std::min(probability, 1.0))),
           "declare narrower bounds of the inputs, or truncate exactly (`--truncation exact`)"});
    }
    Wrapping(program, ranges).run();
  }
  if (options.results == LowerResults::GoOn) {
    // A session may hold them in a wider ring than this program needs.
    Wrapping(program, FixedRanges(program, bounds, 128)).wrap_results();
  }
  remove_unused(program);
  return found;
}

}  // namespace tacet::secret_shared
