#include "compiler/mpc/lower/fixed_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "compiler/core/diagnostics/reasons.h"
#include "compiler/mpc/lower/truncations.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_lower {

using engine::ElementType;
using engine::MpcFamily;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;

namespace {

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
          fmt::format("; {} other result{} may overflow, too", n_more_, n_more_ == 1 ? "" : "s");
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
    const CellRange all = oblivious::range_of_type(element);
    if (exact.is_within(all)) {
      return;
    }
    const std::string type = engine::element_type_name(element);
    const std::string what = is_product ? "product" : is_quotient ? "quotient" : "sum";
    const int bits = 63 - static_cast<int>(element.fraction_bits);
    if (exact.lower > all.upper || exact.upper < all.lower) {
      found_.push_back({DiagnosticCode::T6030, Severity::Error, instruction.line,
                        fmt::format("this {} is {}, outside the range of `{}`", what,
                                    number_text(exact, element.fraction_bits), type),
                        fmt::format("a `{}` is below 2^{} in magnitude: use fewer fraction bits, "
                                    "or scale the operands",
                                    type, bits),
                        reasons_of(instruction)});
    } else if (is_product || is_quotient) {
      if (may_leave_) {
        ++n_more_;
        return;
      }
      may_leave_ = FixedFinding{
          DiagnosticCode::T9118,
          Severity::Warning,
          instruction.line,
          fmt::format("this {} may overflow `{}`, which holds numbers below 2^{} in magnitude",
                      what, type, bits),
          "it then wraps, as on `ref`, and may need the wider ring, which costs more: "
          "declare input bounds (`in -1000..1000`), or clamp the value with `min` and "
          "`max`",
          reasons_of(instruction)};
    }
  }

  // ---- reasons ----

  /// The ranges of the operands, each with those that it is computed from in turn.
  [[nodiscard]] auto reasons_of(const MpcInstruction& instruction) const
      -> std::vector<FixedFinding::Part> {
    std::vector<FixedFinding::Part> parts;
    add_operands(instruction, 0, parts);
    return parts;
  }

  void add_operands(const MpcInstruction& instruction, uint32_t depth,
                    std::vector<FixedFinding::Part>& parts) const {
    for (const engine::MpcRegisterId operand : instruction.operands) {
      if (!is_fixed(program_, operand) || depth > kMostReasonDepth || parts.size() > kMostReasons) {
        continue;
      }
      const MpcInstruction* const made = only_definition(operand);
      const bool is_input =
          std::any_of(program_.inputs.begin(), program_.inputs.end(),
                      [&](const engine::MpcInput& input) { return input.reg == operand; });
      const std::string what = is_input
                                   ? fmt::format("input `{}`", program_.registers[operand].name)
                               : made == nullptr ? "a value that changes"
                                                 : noun_of(*made);
      parts.push_back(
          {depth, made == nullptr ? 0 : made->line, fmt::format("{} {}", what, within(operand))});
      if (made != nullptr) {
        add_operands(*made, depth + 1, parts);
      }
    }
  }

  /// The instruction that alone sets a register; null if there are several, or none.
  [[nodiscard]] auto only_definition(engine::MpcRegisterId id) const -> const MpcInstruction* {
    const MpcInstruction* found = nullptr;
    for (const MpcInstruction& instruction : program_.code) {
      if (instruction.result == id) {
        if (found != nullptr) {
          return nullptr;
        }
        found = &instruction;
      }
    }
    return found;
  }

  static auto noun_of(const MpcInstruction& instruction) -> std::string {
    const MpcFamily family = engine::family_of(instruction.op);
    return family == MpcFamily::Multiplication ? "a product"
           : family == MpcFamily::InnerProduct ? "a sum of products"
           : family == MpcFamily::Division     ? "a quotient"
           : family == MpcFamily::Addition     ? "a sum or difference"
           : family == MpcFamily::Sum          ? "a sum"
                                      : fmt::format("`{}`", engine::mnemonic_of(instruction.op));
  }

  [[nodiscard]] auto within(engine::MpcRegisterId id) const -> std::string {
    const ElementType element = program_.registers[id].type.element;
    const CellRange range = ranges_.fitted(id);
    if (range == oblivious::range_of_type(element)) {
      return fmt::format("may be any `{}`", engine::element_type_name(element));
    }
    return fmt::format("{} {}", range.lower == range.upper ? "is" : "is in",
                       number_text(range, element.fraction_bits));
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
        x == oblivious::range_of_type(element(instruction)) ? "" : ": " + number_text(x, f);
    const auto report = [&](bool is_always, std::string_view what, std::string_view instead) {
      found_.push_back({is_always ? DiagnosticCode::T6030 : DiagnosticCode::T9119,
                        is_always ? Severity::Error : Severity::Warning, instruction.line,
                        fmt::format("`{}` of a number that {} {}{}", name,
                                    is_always ? "is" : "may be", what, range),
                        fmt::format("the result is then {}", instead)});
    };
    if (op == MpcOpcode::Exp) {
      const int bits = 63 - static_cast<int>(f);
      const double greatest = std::log(2.0) * bits;
      const double unit = std::ldexp(1.0, static_cast<int>(f));
      if (static_cast<double>(x.upper) >= greatest * unit) {
        report(static_cast<double>(x.lower) >= greatest * unit,
               fmt::format("above {:.2f}", greatest),
               fmt::format("the largest `{}`", engine::element_type_name(element(instruction))));
      }
    } else if (op == MpcOpcode::Sqrt) {
      if (x.upper < 0) {
        report(true, "negative", "0");
      }
    } else if (needs_positive && x.lower <= 0) {
      report(x.upper <= 0, "not positive",
             op == MpcOpcode::Log ? "the most negative number" : "the largest number");
    } else if (needs_nonzero && is_too_small(x, f)) {
      found_.push_back(
          {DiagnosticCode::T6030, Severity::Error, instruction.line,
           fmt::format("`reciprocal` of a number that may be too small: the reciprocal of 2^{} "
                       "does not fit in `{}`",
                       static_cast<int>(f) - 63, engine::element_type_name(element(instruction))),
           "declare an input bound that excludes 0 (`in 1..1000`), or use at most 31 "
           "fraction bits"});
    } else if (needs_nonzero && x.contains(0)) {
      report(x.lower == 0 && x.upper == 0, "0", "the largest number");
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

}  // namespace

auto find_results_out_of_range(const MpcProgram& program, const FixedRanges& ranges)
    -> std::vector<FixedFinding> {
  return Findings(program, ranges).run();
}

}  // namespace tacet::mpc_lower
