#include "engine/program/mpc/take_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"

namespace tacet::engine {
namespace {

class ShareTaking {
 public:
  ShareTaking(MpcProgram program, uint32_t n_holders)
      : program_(std::move(program)), n_holders_(n_holders) {
    for (const MpcRegister& reg : program_.registers.values()) {
      names_.insert(reg.name);
    }
  }

  auto take(std::vector<MpcJointCall> calls) -> MpcProgram {
    size_t n_results = 0;
    for (const MpcJointCall& call : calls) {
      n_results += call.results.size();
    }
    std::vector<MpcInput> replaced(program_.inputs.end() - static_cast<ptrdiff_t>(n_results),
                                   program_.inputs.end());
    program_.inputs.resize(program_.inputs.size() - n_results);
    auto next = replaced.begin();
    for (MpcJointCall& call : calls) {
      for (const MpcSharedResult& result : call.results) {
        const MpcRegisterId reg = (next++)->reg;
        const std::vector<MpcRegisterId> shares = add_shares(result, reg);
        call.hand_over.results.push_back({result.output, last_inputs()});
        convert(shares, result.modulus, reg);
      }
      program_.hand_overs.push_back(std::move(call.hand_over));
    }
    code_.insert(code_.end(), program_.code.begin(), program_.code.end());
    program_.code = std::move(code_);
    return std::move(program_);
  }

 private:
  /// Of the numbers that are computed with.
  auto element_of(const MpcSharedResult& result, MpcRegisterId reg) const -> ElementType {
    const ElementType element = program_.registers[reg].type.element;
    constexpr uint64_t kMost = uint64_t{1} << 31;
    const bool is_narrow = is_integer(element.kind) && bit_width(element.kind) <= 32 &&
                           (n_holders_ + 1) * result.modulus < kMost;
    return is_narrow ? ElementType{ElementKind::I32, 0} : kI64;
  }

  auto add_register(const std::string& name, MpcType type) -> MpcRegisterId {
    std::string unique = name;
    for (size_t n = 2; !names_.insert(unique).second; ++n) {
      unique = fmt::format("{}_{}", name, n);
    }
    return program_.registers.add({std::move(unique), std::move(type)});
  }

  auto add_shares(const MpcSharedResult& result, MpcRegisterId reg) -> std::vector<MpcRegisterId> {
    std::vector<MpcRegisterId> shares;
    const MpcType type{MpcVisibility::Secret, element_of(result, reg),
                       program_.registers[reg].type.extents};
    const std::string name = program_.registers[reg].name;
    for (uint32_t holder = 0; holder < n_holders_; ++holder) {
      shares.push_back(add_register(fmt::format("{}_share_{}", name, holder), type));
      program_.inputs.push_back({shares.back(), MpcPartyId{holder}});
    }
    return shares;
  }

  [[nodiscard]] auto last_inputs() const -> std::vector<uint32_t> {
    std::vector<uint32_t> inputs;
    for (uint32_t holder = 0; holder < n_holders_; ++holder) {
      inputs.push_back(static_cast<uint32_t>(program_.inputs.size()) - n_holders_ + holder);
    }
    return inputs;
  }

  auto emit(MpcOpcode op, const std::vector<MpcRegisterId>& operands, ElementType element,
            const std::vector<int64_t>& numbers = {}) -> MpcRegisterId {
    MpcType type = operands.empty() ? MpcType{} : program_.registers[operands.front()].type;
    type.element = element;
    const MpcRegisterId result = add_register("taken", std::move(type));
    code_.push_back({.op = op, .result = result, .operands = operands, .numbers = numbers});
    return result;
  }

  auto constant(uint64_t number, ElementType element) -> MpcRegisterId {
    return emit(MpcOpcode::Constant, {}, element, {static_cast<int64_t>(number)});
  }

  void convert(const std::vector<MpcRegisterId>& shares, uint64_t modulus, MpcRegisterId reg) {
    const ElementType element = program_.registers[shares.front()].type.element;
    const uint64_t half = (modulus - 1) / 2;
    MpcRegisterId sum = shares.front();
    for (size_t i = 1; i < shares.size(); ++i) {
      sum = emit(MpcOpcode::Add, {sum, shares[i]}, element);
    }
    const MpcRegisterId raised = emit(MpcOpcode::Add, {sum, constant(half, element)}, element);
    MpcRegisterId wraps{};
    for (uint64_t k = 1; k <= n_holders_; ++k) {
      const MpcRegisterId is_above =
          emit(MpcOpcode::Geq, {raised, constant(k * modulus, element)}, kBool);
      const MpcRegisterId one = emit(MpcOpcode::Cast, {is_above}, element);
      wraps = k == 1 ? one : emit(MpcOpcode::Add, {wraps, one}, element);
    }
    const MpcRegisterId excess = emit(MpcOpcode::Mul, {wraps, constant(modulus, element)}, element);
    const MpcRegisterId number = emit(MpcOpcode::Sub, {sum, excess}, element);
    const ElementType wanted = program_.registers[reg].type.element;
    if (wanted == kBool) {
      code_.push_back(
          {.op = MpcOpcode::Neq, .result = reg, .operands = {number, constant(0, element)}});
    } else {
      code_.push_back({.op = wanted == element ? MpcOpcode::Copy : MpcOpcode::Cast,
                       .result = reg,
                       .operands = {number}});
    }
  }

  MpcProgram program_;
  uint32_t n_holders_;
  std::set<std::string> names_;
  std::vector<MpcInstruction> code_;
};

}  // namespace

auto take_shares(MpcProgram program, std::vector<MpcJointCall> calls, uint32_t n_holders)
    -> MpcProgram {
  TACET_CHECK(program.parties.size() >= n_holders, "each holder of a share is a party");
  return ShareTaking(std::move(program), n_holders).take(std::move(calls));
}

}  // namespace tacet::engine
