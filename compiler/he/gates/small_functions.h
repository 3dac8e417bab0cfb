#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/he/gates/builder.h"

namespace tacet::gates {

/// A function of four bits: bit i is what it gives where the k-th bit is bit k of i.
using TruthTable = uint16_t;

/// The k-th of the four bits themselves.
inline constexpr std::array<TruthTable, 4> kProjections = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};

/// How every function of four bits that needs at most `kMostGates` gates in a tree is made of
/// gates that are one bootstrap. Found by trying all, gate by gate: no table to trust.
class SmallFunctions {
 public:
  static constexpr uint8_t kMostGates = 4;

  /// Made once, in some fifty milliseconds.
  static auto all() -> const SmallFunctions&;

  /// How many gates a function needs; more than `kMostGates` if that is not known.
  [[nodiscard]] auto n_gates(TruthTable function) const -> uint8_t;
  /// Makes a function that is known of four signals.
  auto make(GraphBuilder& builder, TruthTable function, const std::array<Signal, 4>& bits) const
      -> Signal;

 private:
  SmallFunctions();

  /// Of functions that give 0 for four clear bits; others are their inverses.
  struct Entry {
    GateKind kind = GateKind::Constant;
    std::array<TruthTable, 3> operands{};
  };

  static auto normal(TruthTable function) -> TruthTable;
  void try_gates(uint8_t n_gates);
  void try_operands(TruthTable a, TruthTable b, TruthTable c, uint8_t n_gates);
  void try_xor_ands(TruthTable a, TruthTable b, TruthTable c, uint8_t n_gates);
  [[nodiscard]] auto is_new(TruthTable function, uint8_t n_gates) const -> bool {
    return n_gates_[normal(function) >> 1U] > n_gates;
  }
  void note(TruthTable function, uint8_t n_gates, const Entry& entry);

  // By half the function. The numbers, which are needed often, are small enough for a cache.
  std::vector<uint8_t> n_gates_;
  std::vector<Entry> entries_;
  /// By number of gates.
  std::array<std::vector<TruthTable>, kMostGates + 1> known_;
};

}  // namespace tacet::gates
