#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

/// Circuits of bits: what a device function is under CGGI, where every gate is one bootstrap.
namespace tacet::gates {

/// A bit of a graph: what a gate gives, or its inverse. Inverting is free under encryption.
class Signal {
 public:
  constexpr Signal() = default;
  constexpr Signal(uint32_t gate, bool is_inverted) : code_(gate << 1U | (is_inverted ? 1U : 0U)) {}

  [[nodiscard]] constexpr auto gate() const -> uint32_t { return code_ >> 1U; }
  [[nodiscard]] constexpr auto is_inverted() const -> bool { return (code_ & 1U) != 0; }
  [[nodiscard]] constexpr auto is_constant() const -> bool { return gate() == 0; }
  /// For tables by signal: twice the gate, and one more for the inverse.
  [[nodiscard]] constexpr auto code() const -> uint32_t { return code_; }
  constexpr auto operator!() const -> Signal { return {gate(), !is_inverted()}; }
  /// Inverted if `is_inverted`.
  [[nodiscard]] constexpr auto inverted_if(bool is_inverted) const -> Signal {
    return is_inverted ? !*this : *this;
  }

  friend constexpr auto operator==(Signal, Signal) -> bool = default;
  friend constexpr auto operator<=>(Signal, Signal) = default;

 private:
  uint32_t code_ = 0;
};

inline constexpr Signal kFalse{0, false};
inline constexpr Signal kTrue{0, true};

enum class GateKind : uint8_t {
  Constant,  ///< gate 0, and no other: false
  Input,
  Majority,  ///< at least two of three; with a constant: AND and OR
  Parity,    ///< an odd number of three; with a constant: XOR
  XorAnd,    ///< operands[0] ^ (operands[1] & operands[2])
  /// Of up to three of which at most one is set: whether one is. An addition of ciphertexts, which
  /// costs nothing but noise.
  Sum,
};

/// Operands come before their gates.
struct Gate {
  GateKind kind = GateKind::Constant;
  std::array<Signal, 3> operands{};
  /// What it was made for, as a number of the graph's maker; 0 if that is not known. Gates are
  /// equal without regard to it: one that several need is of the first.
  uint32_t origin = 0;

  friend auto operator==(const Gate& a, const Gate& b) -> bool {
    return a.kind == b.kind && a.operands == b.operands;
  }
};

/// What a gate gives, bit by bit of its operands' values.
constexpr auto applied(GateKind kind, uint64_t a, uint64_t b, uint64_t c) -> uint64_t {
  switch (kind) {
    case GateKind::Majority:
      return (a & b) | (c & (a | b));
    case GateKind::Parity:
      return a ^ b ^ c;
    case GateKind::XorAnd:
      return a ^ (b & c);
    case GateKind::Sum:
      return a | b | c;
    case GateKind::Constant:
    case GateKind::Input:
      break;
  }
  return 0;
}

/// A word of an interface: its bits, the lowest first.
struct Bus {
  std::string name;
  std::vector<Signal> bits;

  friend auto operator==(const Bus&, const Bus&) -> bool = default;
};

/// An XOR-majority graph with inverters on its edges (Haaswijk, Soeken, Amarù, Gaillardon and De
/// Micheli, "A novel basis for logic rewriting", ASP-DAC 2017), which also has the third kind of
/// gate that is one bootstrap. Plain data; `GraphBuilder` makes them in their normal form:
///  * a parity has no inverted operands, they are sorted, and no two are of one gate;
///  * a majority has at most one inverted operand, they are sorted, and no two are of one gate;
///  * the first operand of a `XorAnd` is not inverted, the other two are sorted, none is constant,
///    and no two are of one gate;
///  * the operands of a sum are sorted, no two are of one gate, and those that are missing are
///    `kFalse`;
///  * no two gates are equal.
struct Graph {
  std::vector<Gate> gates = {Gate{}};
  std::vector<Bus> inputs;
  std::vector<Bus> outputs;

  friend auto operator==(const Graph&, const Graph&) -> bool = default;
};

/// Whether a gate costs a bootstrap.
constexpr auto is_bootstrapped(GateKind kind) -> bool {
  return kind == GateKind::Majority || kind == GateKind::Parity || kind == GateKind::XorAnd;
}

/// Whether a gate has operands.
constexpr auto is_gate(GateKind kind) -> bool {
  return is_bootstrapped(kind) || kind == GateKind::Sum;
}

/// How many bootstraps a graph costs.
auto n_bootstraps(const Graph& graph) -> size_t;

/// By gate: how many bootstraps follow one another at most up to it, itself included.
auto levels_of(const Graph& graph) -> std::vector<uint32_t>;

/// How many bootstraps follow one another at most up to an output.
auto depth(const Graph& graph) -> uint32_t;

/// By level, from 1: how many gates have it. The gates of a level need nothing of each other.
auto level_sizes(const Graph& graph) -> std::vector<uint32_t>;

/// Without the gates that no output needs. Inputs stay.
auto without_unused(const Graph& graph) -> Graph;

}  // namespace tacet::gates
