#include "engine/cggi_format/specialise.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace tacet::engine {

namespace {

constexpr CggiSignal kFalse = 0;
constexpr CggiSignal kTrue = 1;

constexpr auto inverse(CggiSignal signal) -> CggiSignal {
  return signal ^ 1U;
}

/// Gates as they are added: none twice, none that is a constant or another wire.
class Folding {
 public:
  explicit Folding(size_t n_inputs) : n_terms_(1 + n_inputs, 1) {}

  auto take_gates() -> std::vector<CggiGate> { return std::move(gates_); }

  /// A wire that is known to be true, as an operand where a constant is no valid one.
  void set_known_true(CggiSignal signal) { known_true_ = signal; }

  auto add(CggiGateKind kind, const std::array<CggiSignal, 3>& operands) -> CggiSignal {
    switch (kind) {
      case CggiGateKind::Majority:
        return majority(operands);
      case CggiGateKind::Parity:
        return parity(operands);
      case CggiGateKind::XorAnd:
        return xor_and(operands[0], operands[1], operands[2]);
      case CggiGateKind::Sum:
        return sum(operands);
    }
    TACET_CHECK(false, "no gate");
  }

 private:
  auto majority(std::array<CggiSignal, 3> operands) -> CggiSignal {
    std::sort(operands.begin(), operands.end());
    const auto [a, b, c] = operands;
    // Neighbours if the wire is the same.
    if (a / 2 == b / 2) {
      return decided(a == b ? a : c);
    }
    if (b / 2 == c / 2) {
      return decided(b == c ? b : a);
    }
    return gate({CggiGateKind::Majority, operands});
  }

  auto parity(std::array<CggiSignal, 3> operands) -> CggiSignal {
    unsigned sign = 0;
    for (CggiSignal& operand : operands) {
      sign ^= operand & 1U;
      operand &= ~CggiSignal{1};
    }
    std::sort(operands.begin(), operands.end());
    const auto [a, b, c] = operands;
    if (a == b) {
      return decided(c ^ sign);
    }
    if (b == c) {
      return decided(a ^ sign);
    }
    return gate({CggiGateKind::Parity, operands}) ^ sign;
  }

  /// a ^ (b & c).
  auto xor_and(CggiSignal a, CggiSignal b, CggiSignal c) -> CggiSignal {
    const auto both = [&](CggiSignal x, CggiSignal y) { return majority({kFalse, x, y}); };
    if (b == inverse(c) || b == kFalse || c == kFalse) {
      return decided(a);
    }
    if (b == c || is_constant(b) || is_constant(c)) {
      return parity({kFalse, a, is_constant(b) ? c : b});
    }
    if (is_constant(a)) {
      return both(b, c) ^ a;
    }
    for (const auto& [x, y] : {std::pair(b, c), std::pair(c, b)}) {
      if (a / 2 == x / 2) {
        // a ^ (a & y) is a & !y, and a ^ (!a & y) is a | y.
        return a == x ? both(a, inverse(y)) : inverse(both(inverse(a), inverse(y)));
      }
    }
    const CggiSignal sign = a & 1U;
    return gate({CggiGateKind::XorAnd, {a ^ sign, std::min(b, c), std::max(b, c)}}) ^ sign;
  }

  /// Of bits of which at most one is set.
  auto sum(std::array<CggiSignal, 3> operands) -> CggiSignal {
    std::sort(operands.begin(), operands.end());
    if (std::find(operands.begin(), operands.end(), kTrue) != operands.end()) {
      return kTrue;
    }
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
      if (is_constant(operands[i])) {
        continue;
      }
      if (operands[i] == operands[i + 1]) {
        operands[i] = operands[i + 1] = kFalse;  // set would be two set
      } else if (operands[i] / 2 == operands[i + 1] / 2) {
        return kTrue;  // one of them is set
      }
    }
    std::sort(operands.begin(), operands.end());
    return operands[1] == kFalse ? operands[2] : gate({CggiGateKind::Sum, operands});
  }

  /// What a gate would give without deciding. What has the noise of several terms is decided as
  /// before.
  auto decided(CggiSignal signal) -> CggiSignal {
    return n_terms_[signal / 2] <= 1
               ? signal
               : gate({CggiGateKind::Majority, {kFalse, known_true_, signal}});
  }

  auto gate(CggiGate gate) -> CggiSignal {
    if (gate.kind != CggiGateKind::XorAnd) {
      std::sort(gate.operands.begin(), gate.operands.end());
    }
    const auto wire = static_cast<uint32_t>(n_terms_.size());
    const auto [found, is_new] = wires_.emplace(std::pair(gate.kind, gate.operands), wire);
    if (is_new) {
      unsigned n = 0;
      for (const CggiSignal operand : gate.operands) {
        n += is_constant(operand) ? 0 : n_terms_[operand / 2];
      }
      n_terms_.push_back(gate.kind == CggiGateKind::Sum ? n : 1);
      gates_.push_back(gate);
    }
    return 2 * found->second;
  }

  std::vector<CggiGate> gates_;
  std::map<std::pair<CggiGateKind, std::array<CggiSignal, 3>>, uint32_t> wires_;
  std::vector<unsigned> n_terms_;  ///< by wire: bits whose noise it has
  CggiSignal known_true_ = kTrue;
};

/// Removes gates that no output needs.
void remove_unused(CggiProgram& program) {
  const size_t n_before = 1 + n_bits(program.inputs);
  std::vector<uint8_t> is_used(n_before + program.gates.size(), 0);
  for (const CggiSignal output : program.outputs) {
    is_used[output / 2] = 1;
  }
  for (size_t i = program.gates.size(); i-- > 0;) {
    if (is_used[n_before + i] != 0) {
      for (const CggiSignal operand : program.gates[i].operands) {
        is_used[operand / 2] = 1;
      }
    }
  }
  std::vector<uint32_t> renamed(is_used.size(), 0);
  for (size_t wire = 0; wire < n_before; ++wire) {
    renamed[wire] = static_cast<uint32_t>(wire);
  }
  const auto rename = [&](CggiSignal& signal) { signal = 2 * renamed[signal / 2] + (signal & 1U); };
  std::vector<CggiGate> kept;
  for (size_t i = 0; i < program.gates.size(); ++i) {
    if (is_used[n_before + i] != 0) {
      renamed[n_before + i] = static_cast<uint32_t>(n_before + kept.size());
      CggiGate& gate = kept.emplace_back(program.gates[i]);
      std::for_each(gate.operands.begin(), gate.operands.end(), rename);
    }
  }
  std::for_each(program.outputs.begin(), program.outputs.end(), rename);
  program.gates = std::move(kept);
}

}  // namespace

auto specialised(const CggiProgram& program, std::span<const uint8_t> server_bits) -> CggiProgram {
  if (server_bits.empty()) {
    return program;
  }
  const size_t n_inputs = n_bits(program.inputs);
  Folding folding(n_inputs);
  std::vector<CggiSignal> signals = {kFalse};
  signals.reserve(1 + n_inputs + program.gates.size());
  size_t n_known = 0;
  for (const CggiField& field : program.inputs) {
    for (size_t i = 0; i < n_elements(field) * field.width; ++i) {
      const auto wire = static_cast<CggiSignal>(2 * signals.size());
      if (field.owner == CggiOwner::Client) {
        signals.push_back(wire);
        continue;
      }
      const bool is_set = server_bits[n_known++] != 0;
      folding.set_known_true(is_set ? wire : inverse(wire));
      signals.push_back(is_set ? kTrue : kFalse);
    }
  }
  TACET_CHECK(n_known == server_bits.size(), "as many bits as the server has");
  const auto now = [&](CggiSignal signal) { return signals[signal / 2] ^ (signal & 1U); };
  for (const CggiGate& gate : program.gates) {
    const std::array operands = {now(gate.operands[0]), now(gate.operands[1]),
                                 now(gate.operands[2])};
    signals.push_back(folding.add(gate.kind, operands));
  }
  CggiProgram result = program;
  result.gates = folding.take_gates();
  for (CggiSignal& output : result.outputs) {
    output = now(output);
  }
  remove_unused(result);
  // Where a gate became one of its operands, noise that two operands share may have increased.
  const double failure = cggi::log2_failure(result.parameters, decisions_of(result));
  return failure <= result.log2_failure ? result : program;
}

}  // namespace tacet::engine
