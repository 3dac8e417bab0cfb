#include "compiler/mpc/lower/wrap_fixed_point.h"

#include <map>
#include <utility>

#include "compiler/mpc/lower/truncations.h"
#include "compiler/mpc/lower/value.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_lower {

using engine::MpcFamily;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using engine::MpcType;

namespace {

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

  /// Of results that other programs use.
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
           !ranges_.exact(instruction)
                .is_within(oblivious::range_of_type(type(instruction.result).element));
  }

  [[nodiscard]] auto needs_numbers(const MpcInstruction& instruction) const -> bool {
    const MpcFamily family = engine::family_of(instruction.op);
    if (family == MpcFamily::Multiplication || family == MpcFamily::InnerProduct) {
      return is_truncated_product(program_, instruction);
    }
    if (family == MpcFamily::Cast) {
      return is_truncating_cast(program_, instruction);
    }
    // Of sums, moves and comparisons the low bits are right.
    return (family == MpcFamily::Division || family == MpcFamily::FixedFunction ||
            family == MpcFamily::Extremum || family == MpcFamily::Reduction) &&
           is_secret_fixed(instruction);
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

}  // namespace

void wrap_fixed_point(MpcProgram& program, const FixedRanges& ranges) {
  Wrapping(program, ranges).run();
}

void wrap_results(MpcProgram& program, const FixedRanges& ranges) {
  Wrapping(program, ranges).wrap_results();
}

}  // namespace tacet::mpc_lower
