#include "compiler/mpc/lower/fit_fixed_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/mpc/lower/bound_sorts.h"
#include "compiler/mpc/lower/improve.h"
#include "compiler/mpc/lower/truncations.h"
#include "compiler/mpc/lower/wrap_fixed_point.h"
#include "engine/mpc_model/fixed_point.h"

namespace tacet::mpc_lower {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using mpc_model::FixedFunction;

namespace {

/// Does `exp` of it fit?
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
  const MpcOpcode op = instruction.op;
  if (op == MpcOpcode::Div) {
    const mpc_model::FixedPlan limits = plan(FixedFunction::Divide);
    return is_below(size_of(ranges.fitted(instruction.operands[1])), limits.operand_bits) &&
           is_below(size_of(ranges.exact(instruction)), limits.result_bits);
  }
  if (op == MpcOpcode::Reciprocal) {
    return is_below(size_of(x), plan(FixedFunction::Reciprocal).operand_bits);
  }
  if (op == MpcOpcode::Sin || op == MpcOpcode::Cos) {
    return is_below(size_of(x), plan(FixedFunction::Sin).operand_bits);
  }
  if (op == MpcOpcode::Sqrt || op == MpcOpcode::Rsqrt || op == MpcOpcode::Log) {
    return x.upper < kRoom;
  }
  if (op == MpcOpcode::Exp) {
    return exponential_fits(
        x, f, static_cast<int>(plan(FixedFunction::Exp).result_bits) - static_cast<int>(f));
  }
  return true;
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
    if (instruction.op == MpcOpcode::For) {
      const CellRange lower = ranges.of(instruction.operands[0]);
      const CellRange upper = ranges.of(instruction.operands[1]);
      const auto n = static_cast<double>(std::max<WideInteger>(upper.upper - lower.lower, 1));
      counts.push_back(counts.back() * std::min(n, kUnknownIterations));
    } else if (instruction.op == MpcOpcode::Loop) {
      counts.push_back(counts.back() * kUnknownIterations);
    } else if (instruction.op == MpcOpcode::If) {
      counts.push_back(counts.back());
    } else if (instruction.op == MpcOpcode::End) {
      counts.pop_back();
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

/// What whole programs may fail with.
constexpr double kNegligible = 0x1p-40;

}  // namespace

auto fit_fixed_point(MpcProgram& program, const FixedRanges::Bounds& bounds,
                     const LowerOptions& options) -> std::vector<FixedFinding> {
  remove_unused(program);
  std::vector<FixedFinding> found =
      find_results_out_of_range(program, FixedRanges(program, bounds, 128));
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
          {DiagnosticCode::T6030, Severity::Error, 0,
           fmt::format(
               "probabilistic truncation may fail with probability 2^{:.0f}; at most 2^-40 is "
               "accepted",
               std::log2(std::min(probability, 1.0))),
           "declare narrower input bounds, or truncate exactly (`--truncation exact`)"});
    }
    wrap_fixed_point(program, ranges);
  }
  if (options.results == LowerResults::GoOn) {
    // A session may hold them in a wider ring than this program needs.
    wrap_results(program, FixedRanges(program, bounds, 128));
  }
  place_in_place(program);
  remove_unused(program);
  bound_sorts(program, FixedRanges(program, bounds, program.fixed_ring_bits));
  return found;
}

}  // namespace tacet::mpc_lower
