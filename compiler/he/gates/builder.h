#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// Makes graphs in their normal form. Constants are propagated, equal gates are made once, and what
/// three bits decide by one gate less is found where it is made: all in constant time a gate.
class GraphBuilder {
 public:
  GraphBuilder();

  /// A word that comes from outside, the lowest bit first.
  auto input(std::string name, size_t width) -> std::vector<Signal>;
  void output(std::string name, std::vector<Signal> bits);

  /// At least two of three.
  auto majority(Signal a, Signal b, Signal c) -> Signal;
  /// An odd number of three.
  auto parity(Signal a, Signal b, Signal c) -> Signal;
  /// a ^ (b & c).
  auto xor_and(Signal a, Signal b, Signal c) -> Signal;
  auto conjunction(Signal a, Signal b) -> Signal { return majority(kFalse, a, b); }
  auto disjunction(Signal a, Signal b) -> Signal { return majority(kTrue, a, b); }
  auto exclusive(Signal a, Signal b) -> Signal { return parity(kFalse, a, b); }
  /// Whether one of them is set, of which at most one can be. Free, unless the noise of more than
  /// `kMostTerms` bootstraps would add up: then it is a parity.
  auto sum(Signal a, Signal b, Signal c = kFalse) -> Signal;
  static constexpr uint8_t kMostTerms = 8;
  /// A gate of this kind: one of the above.
  auto gate(GateKind kind, const std::array<Signal, 3>& operands) -> Signal;
  /// `then` if the condition holds, `otherwise` else. Two bootstraps at most.
  auto select(Signal condition, Signal then, Signal otherwise) -> Signal;

  /// Gates from now on are made for `origin`.
  void set_origin(uint32_t origin) { origin_ = origin; }
  [[nodiscard]] auto origin() const -> uint32_t { return origin_; }

  /// Forgets all gates from the `n`-th on, which nothing may use: attempts that were not worth it.
  void forget_from(size_t n);

  /// What has been made so far.
  [[nodiscard]] auto graph() const -> const Graph& { return graph_; }
  auto take() -> Graph { return std::move(graph_); }

 private:
  auto made(GateKind kind, std::array<Signal, 3> operands) -> Signal;
  [[nodiscard]] auto known_majority(const std::array<Signal, 3>& operands) const
      -> std::optional<Signal>;
  [[nodiscard]] auto merged_parity(std::array<Signal, 3> operands) const -> std::array<Signal, 3>;
  void grow();

  [[nodiscard]] auto n_terms(Signal signal) const -> unsigned { return n_terms_[signal.gate()]; }
  void add(const Gate& gate);

  Graph graph_;
  uint32_t origin_ = 0;
  std::vector<uint8_t> n_terms_ = {0};  ///< by gate: of how many bootstraps it has the noise
  /// An open hash table of gates; 0 where there is none.
  std::vector<uint32_t> slots_;
  size_t n_hashed_ = 0;
};

}  // namespace tacet::gates
