#include "compiler/he/gates/small_functions.h"

#include "base/check.h"

namespace tacet::gates {

auto SmallFunctions::all() -> const SmallFunctions& {
  static const SmallFunctions functions;
  return functions;
}

auto SmallFunctions::normal(TruthTable function) -> TruthTable {
  return static_cast<TruthTable>(function ^ (0U - (function & 1U)));
}

SmallFunctions::SmallFunctions()
    : n_gates_(size_t{1} << 15U, kMostGates + 1), entries_(n_gates_.size()) {
  note(0, 0, {});
  for (const TruthTable projection : kProjections) {
    note(projection, 0, {});
  }
  for (uint8_t n = 1; n <= kMostGates; ++n) {
    try_gates(n);
  }
}

/// All gates whose operands have one gate less in all.
void SmallFunctions::try_gates(uint8_t n_gates) {
  for (uint8_t first = 0; first < n_gates; ++first) {
    for (uint8_t second = 0; second <= first && first + second < n_gates; ++second) {
      const auto third = static_cast<uint8_t>(n_gates - 1 - first - second);
      if (third > second) {
        continue;
      }
      // Nothing is added to these while they are read: what is found has more gates. The order of
      // operands is no matter.
      const std::vector<TruthTable>& as = known_.at(first);
      const std::vector<TruthTable>& bs = known_.at(second);
      const std::vector<TruthTable>& cs = known_.at(third);
      for (size_t i = 0; i < as.size(); ++i) {
        for (size_t j = second == first ? i : 0; j < bs.size(); ++j) {
          for (size_t k = third == second ? j : 0; k < cs.size(); ++k) {
            try_operands(as[i], bs[j], cs[k], n_gates);
          }
        }
      }
    }
  }
}

void SmallFunctions::try_operands(TruthTable a, TruthTable b, TruthTable c, uint8_t n_gates) {
  const auto parity = static_cast<TruthTable>(a ^ b ^ c);
  if (is_new(parity, n_gates)) {
    note(parity, n_gates, {GateKind::Parity, {a, b, c}});
  }
  // Two inverted operands are one inverted operand and an inverted result.
  for (unsigned inverted = 0; inverted < 4; ++inverted) {
    const auto x = static_cast<TruthTable>(inverted == 1 ? ~a : a);
    const auto y = static_cast<TruthTable>(inverted == 2 ? ~b : b);
    const auto z = static_cast<TruthTable>(inverted == 3 ? ~c : c);
    const auto majority = static_cast<TruthTable>((x & y) | (z & (x | y)));
    if (is_new(majority, n_gates)) {
      note(majority, n_gates, {GateKind::Majority, {x, y, z}});
    }
  }
  if (a == 0 || b == 0 || c == 0) {
    return;  // with a constant it is one of the others
  }
  try_xor_ands(a, b, c, n_gates);
  try_xor_ands(b, a, c, n_gates);
  try_xor_ands(c, a, b, n_gates);
}

void SmallFunctions::try_xor_ands(TruthTable a, TruthTable b, TruthTable c, uint8_t n_gates) {
  for (unsigned inverted = 0; inverted < 4; ++inverted) {
    const auto x = static_cast<TruthTable>((inverted & 1U) != 0 ? ~b : b);
    const auto y = static_cast<TruthTable>((inverted & 2U) != 0 ? ~c : c);
    const auto function = static_cast<TruthTable>(a ^ (x & y));
    if (is_new(function, n_gates)) {
      note(function, n_gates, {GateKind::XorAnd, {a, x, y}});
    }
  }
}

void SmallFunctions::note(TruthTable function, uint8_t n_gates, const Entry& entry) {
  const bool is_inverse = (function & 1U) != 0;
  const size_t half = normal(function) >> 1U;
  n_gates_[half] = n_gates;
  Entry& known = entries_[half];
  known = entry;
  if (is_inverse) {
    // An inverted majority is one of inverted operands; of the others one operand is enough.
    for (size_t k = 0; k < (entry.kind == GateKind::Majority ? 3U : 1U); ++k) {
      known.operands[k] = static_cast<TruthTable>(~known.operands[k]);
    }
  }
  known_.at(n_gates).push_back(normal(function));
}

auto SmallFunctions::n_gates(TruthTable function) const -> uint8_t {
  return n_gates_[normal(function) >> 1U];
}

auto SmallFunctions::make(GraphBuilder& builder, TruthTable function,
                          const std::array<Signal, 4>& bits) const -> Signal {
  const bool is_inverse = (function & 1U) != 0;
  const TruthTable wanted = normal(function);
  if (wanted == 0) {
    return kFalse.inverted_if(is_inverse);
  }
  for (size_t k = 0; k < bits.size(); ++k) {
    if (wanted == kProjections[k]) {
      return bits[k].inverted_if(is_inverse);
    }
  }
  const Entry& entry = entries_[wanted >> 1U];
  TACET_CHECK(n_gates(wanted) <= kMostGates, "a function that is known");
  std::array<Signal, 3> operands;
  for (size_t k = 0; k < operands.size(); ++k) {
    operands[k] = make(builder, entry.operands[k], bits);
  }
  return builder.gate(entry.kind, operands).inverted_if(is_inverse);
}

}  // namespace tacet::gates
