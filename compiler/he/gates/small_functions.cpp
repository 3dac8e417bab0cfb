#include "compiler/he/gates/small_functions.h"

#include "base/check.h"

namespace tacet::gates {

auto SmallFunctions::all() -> const SmallFunctions& {
  static const SmallFunctions functions;
  return functions;
}

auto SmallFunctions::normal(TruthTable function) -> TruthTable {
  return static_cast<TruthTable>((function & 1U) != 0 ? ~function : function);
}

SmallFunctions::SmallFunctions() : entries_(size_t{1} << 15U) {
  note(0, {.n_gates = 0});
  for (const TruthTable projection : kProjections) {
    note(projection, {.n_gates = 0});
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
      // Nothing is added to these while they are read: what is found has more gates.
      for (const TruthTable a : known_.at(first)) {
        for (const TruthTable b : known_.at(second)) {
          for (const TruthTable c : known_.at(third)) {
            try_operands(a, b, c, n_gates);
          }
        }
      }
    }
  }
}

void SmallFunctions::try_operands(TruthTable a, TruthTable b, TruthTable c, uint8_t n_gates) {
  note(static_cast<TruthTable>(a ^ b ^ c), {n_gates, GateKind::Parity, {a, b, c}});
  // Two inverted operands are one inverted operand and an inverted result.
  for (unsigned inverted = 0; inverted < 4; ++inverted) {
    const auto operand = [&](TruthTable of, unsigned k) {
      return static_cast<TruthTable>(inverted == k ? ~of : of);
    };
    const TruthTable x = operand(a, 1);
    const TruthTable y = operand(b, 2);
    const TruthTable z = operand(c, 3);
    const auto majority = static_cast<TruthTable>((x & y) | (z & (x | y)));
    note(majority, {n_gates, GateKind::Majority, {x, y, z}});
  }
}

void SmallFunctions::note(TruthTable function, const Entry& entry) {
  const bool is_inverse = (function & 1U) != 0;
  Entry& known = entries_[normal(function) >> 1U];
  if (known.n_gates <= entry.n_gates) {
    return;
  }
  known = entry;
  if (is_inverse) {
    // Both gates are their own duals, a parity in one operand, a majority in all.
    for (size_t k = 0; k < (entry.kind == GateKind::Parity ? 1U : 3U); ++k) {
      known.operands[k] = static_cast<TruthTable>(~known.operands[k]);
    }
  }
  known_.at(entry.n_gates).push_back(normal(function));
}

auto SmallFunctions::n_gates(TruthTable function) const -> uint8_t {
  return entries_[normal(function) >> 1U].n_gates;
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
  TACET_CHECK(entry.n_gates <= kMostGates, "a function that is known");
  std::array<Signal, 3> operands;
  for (size_t k = 0; k < operands.size(); ++k) {
    operands[k] = make(builder, entry.operands[k], bits);
  }
  const Signal made = entry.kind == GateKind::Parity
                          ? builder.parity(operands[0], operands[1], operands[2])
                          : builder.majority(operands[0], operands[1], operands[2]);
  return made.inverted_if(is_inverse);
}

}  // namespace tacet::gates
