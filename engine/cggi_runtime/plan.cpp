#include "engine/cggi_runtime/plan.h"

#include <algorithm>

namespace tacet::engine {

namespace {

/// After this level a wire is not read any more.
constexpr uint32_t kNever = UINT32_MAX;

auto last_levels(const CggiProgram& program, const std::vector<uint32_t>& levels)
    -> std::vector<uint32_t> {
  std::vector<uint32_t> last(1 + n_bits(program.inputs) + program.gates.size(), 0);
  for (size_t i = 0; i < program.gates.size(); ++i) {
    for (const CggiSignal operand : program.gates[i].operands) {
      last[operand / 2] = std::max(last[operand / 2], levels[i]);
    }
  }
  for (const CggiSignal output : program.outputs) {
    last[output / 2] = kNever;
  }
  last[0] = kNever;
  return last;
}

/// Operands that are no constants, and whether true is among the others.
struct Operands {
  std::array<cggi::GateInput, 3> inputs{};
  size_t n = 0;
  bool has_true = false;
};

auto operands_of(const CggiGate& gate, const std::vector<uint32_t>& ciphertexts) -> Operands {
  Operands operands;
  for (const CggiSignal operand : gate.operands) {
    const bool is_inverted = (operand & 1U) != 0;
    if (is_constant(operand)) {
      operands.has_true |= is_inverted;
    } else {
      operands.inputs[operands.n++] = {ciphertexts[operand / 2], is_inverted};
    }
  }
  return operands;
}

auto gate_of(CggiGateKind kind, const Operands& operands) -> cggi::Gate {
  cggi::Gate result;
  result.inputs = operands.inputs;
  const bool has_constant = operands.n < 3;
  if (kind == CggiGateKind::XorAnd) {
    result.kind = cggi::GateKind::XorAnd;
  } else if (kind == CggiGateKind::Parity) {
    result.kind = !has_constant       ? cggi::GateKind::Xor3
                  : operands.has_true ? cggi::GateKind::Xnor
                                      : cggi::GateKind::Xor;
  } else {
    result.kind = !has_constant       ? cggi::GateKind::Majority
                  : operands.has_true ? cggi::GateKind::Or
                                      : cggi::GateKind::And;
  }
  return result;
}

/// Which ciphertexts are free.
class Places {
 public:
  auto take() -> uint32_t {
    if (free_.empty()) {
      return n_++;
    }
    const uint32_t taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(uint32_t ciphertext) { free_.push_back(ciphertext); }
  [[nodiscard]] auto size() const -> size_t { return n_; }

 private:
  std::vector<uint32_t> free_;
  uint32_t n_ = 0;
};

}  // namespace

auto plan_of(const CggiProgram& program) -> CggiPlan {
  const std::vector<uint32_t> levels = levels_of(program);
  const std::vector<uint32_t> last = last_levels(program, levels);
  const size_t n_inputs = n_bits(program.inputs);
  CggiPlan plan;
  Places ciphertexts;
  std::vector<uint32_t> places(last.size(), 0);
  std::vector<std::vector<uint32_t>> done;  // by level: wires that are not read after it
  const auto ends = [&](size_t wire, uint32_t made) {
    const uint32_t level = std::max(last[wire], made);
    if (level != kNever) {
      done.resize(std::max<size_t>(done.size(), level + size_t{1}));
      done[level].push_back(places[wire]);
    }
  };
  plan.zero = places[0] = ciphertexts.take();
  for (size_t i = 0; i < n_inputs; ++i) {
    plan.inputs.push_back(places[1 + i] = ciphertexts.take());
    ends(1 + i, 0);
  }
  std::vector<std::vector<size_t>> gates(
      1 + (levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end())));
  for (size_t i = 0; i < levels.size(); ++i) {
    gates[levels[i]].push_back(i);
  }
  for (uint32_t level = 0; level < gates.size(); ++level) {
    // What was read before this level is free now; what this level reads is free after it.
    if (level > 0 && level - 1 < done.size()) {
      for (const uint32_t free : done[level - 1]) {
        ciphertexts.give_back(free);
      }
    }
    CggiLevel& made = plan.levels.emplace_back();
    for (const size_t i : gates[level]) {
      const CggiGate& gate = program.gates[i];
      const Operands operands = operands_of(gate, places);
      const uint32_t output = places[1 + n_inputs + i] = ciphertexts.take();
      if (gate.kind == CggiGateKind::Sum) {
        made.sums.push_back({operands.inputs, operands.n, output});
      } else {
        made.gates.push_back(gate_of(gate.kind, operands));
        made.gates.back().output = output;
      }
      ends(1 + n_inputs + i, level);
    }
  }
  plan.n_ciphertexts = ciphertexts.size();
  for (const CggiSignal output : program.outputs) {
    plan.outputs.push_back({places[output / 2], (output & 1U) != 0});
  }
  return plan;
}

}  // namespace tacet::engine
