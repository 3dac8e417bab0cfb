// Small circuits are proved to be what they were before optimisation, and their sums to be of bits
// of which at most one is set, by a solver for satisfiability. Random circuits, and those of words.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cadical.hpp>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/gates/lower.h"
#include "compiler/he/gates/optimise.h"
#include "compiler/he/gates/words.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"

namespace tacet::gates {
namespace {

constexpr size_t kMostGates = 600;

/// Circuits over the same inputs, as clauses (Tseitin).
class Formula {
 public:
  Formula() { clause({-kFalseLiteral}); }

  /// Literals of the outputs' bits.
  auto add(const Graph& graph) -> std::vector<int> {
    std::vector<int> literals(graph.gates.size(), kFalseLiteral);
    size_t n_inputs = 0;
    for (const Bus& bus : graph.inputs) {
      for (const Signal bit : bus.bits) {
        if (n_inputs == inputs_.size()) {
          inputs_.push_back(fresh());
        }
        literals[bit.gate()] = inputs_[n_inputs++];
      }
    }
    const auto literal = [&](Signal signal) {
      return signal.is_inverted() ? -literals[signal.gate()] : literals[signal.gate()];
    };
    for (size_t i = 0; i < graph.gates.size(); ++i) {
      const Gate& gate = graph.gates[i];
      if (is_gate(gate.kind)) {
        literals[i] = fresh();
        define(gate.kind, literals[i], literal(gate.operands[0]), literal(gate.operands[1]),
               literal(gate.operands[2]));
      }
    }
    std::vector<int> outputs;
    for (const Bus& bus : graph.outputs) {
      for (const Signal bit : bus.bits) {
        outputs.push_back(literal(bit));
      }
    }
    return outputs;
  }

  /// A literal that holds where the two differ.
  auto difference(int a, int b) -> int {
    const int differ = fresh();
    define(GateKind::Parity, differ, a, b, kFalseLiteral);
    return differ;
  }

  /// Literals that hold where two operands of a sum are set.
  [[nodiscard]] auto overlaps() const -> const std::vector<int>& { return overlaps_; }

  /// Whether one of these can hold.
  auto is_possible(const std::vector<int>& literals) -> bool {
    clause(literals);
    const int status = solver_.solve();
    EXPECT_NE(status, 0) << "the solver gave up";
    return status == 10;
  }

 private:
  static constexpr int kFalseLiteral = 1;

  auto fresh() -> int { return ++n_variables_; }

  void clause(const std::vector<int>& literals) {
    for (const int literal : literals) {
      solver_.add(literal);
    }
    solver_.add(0);
  }

  void define(GateKind kind, int gate, int a, int b, int c) {
    for (unsigned row = 0; row < 8; ++row) {
      const bool bits[] = {(row & 1U) != 0, (row & 2U) != 0, (row & 4U) != 0};
      const int n = int{bits[0]} + int{bits[1]} + int{bits[2]};
      const bool value = kind == GateKind::Majority ? n >= 2
                         : kind == GateKind::Parity ? n % 2 == 1
                         : kind == GateKind::XorAnd ? bits[0] != (bits[1] && bits[2])
                                                    : n >= 1;
      clause({bits[0] ? -a : a, bits[1] ? -b : b, bits[2] ? -c : c, value ? gate : -gate});
    }
    if (kind == GateKind::Sum) {
      const int overlap = fresh();
      define(GateKind::Majority, overlap, a, b, c);
      overlaps_.push_back(overlap);
    }
  }

  CaDiCaL::Solver solver_;
  int n_variables_ = kFalseLiteral;
  std::vector<int> inputs_;
  std::vector<int> overlaps_;
};

void expect_equal(const Graph& graph) {
  const Graph optimised = optimise(graph);
  Formula formula;
  const std::vector<int> before = formula.add(graph);
  const std::vector<int> after = formula.add(optimised);
  ASSERT_EQ(before.size(), after.size());
  std::vector<int> wrong = formula.overlaps();
  for (size_t i = 0; i < before.size(); ++i) {
    wrong.push_back(formula.difference(before[i], after[i]));
  }
  EXPECT_FALSE(formula.is_possible(wrong));
}

TEST(Equivalence, IsRefutedWhereItDoesNotHold) {
  GraphBuilder builder;
  const Word a = builder.input("a", 4);
  const Word b = builder.input("b", 4);
  Formula formula;
  builder.output("out", add(builder, a, b).bits);
  const std::vector<int> sum = formula.add(builder.graph());
  GraphBuilder other;
  const Word c = other.input("a", 4);
  const Word d = other.input("b", 4);
  other.output("out", add(other, c, d, kTrue).bits);
  EXPECT_TRUE(formula.is_possible({formula.difference(sum[3], formula.add(other.graph())[3])}));

  GraphBuilder overlapping;
  const Word e = overlapping.input("e", 2);
  overlapping.output("out", {overlapping.sum(e[0], e[1])});
  Formula sums;
  sums.add(overlapping.graph());
  EXPECT_TRUE(sums.is_possible(sums.overlaps()));
}

TEST(Equivalence, HoldsForWords) {
  for (const size_t width : {1U, 2U, 3U, 4U, 5U}) {
    for (const Signedness signedness : {Signedness::Unsigned, Signedness::Signed}) {
      SCOPED_TRACE(width);
      GraphBuilder builder;
      const Word a = builder.input("a", width);
      const Word b = builder.input("b", width);
      const Division division = divide(builder, a, b, signedness);
      builder.output("quotient", division.quotient);
      builder.output("remainder", division.remainder);
      builder.output("product", multiply(builder, a, b, signedness, 2 * width));
      const Signal is_less = less(builder, a, b, signedness);
      builder.output("least", select(builder, is_less, a, b));
      builder.output("greatest", select(builder, is_less, b, a));
      const std::vector<Signal> hot = one_hot(builder, a, size_t{1} << width);
      std::vector<Word> words;
      for (size_t i = 0; i < hot.size(); ++i) {
        words.push_back(add(builder, b, constant(i, width)).bits);
      }
      builder.output("read", selected(builder, hot, words));
      expect_equal(builder.graph());
    }
  }
}

TEST(Equivalence, HoldsForRandomFunctions) {
  size_t n_proved = 0;
  const uint64_t n = harness::rounds(60);
  for (uint64_t seed = 1; seed <= n && !HasFailure(); ++seed) {
    testing::Random random(seed);
    const std::string text = testing::random_function(random, {.device = "he", .size = 5});
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    testing::CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    const size_t begin = text.rfind("fn(he) ") + 7;
    const kernel::Kernel kernel = module.lower(text.substr(begin, text.find('(', begin) - begin));
    const Lowering lowering =
        lower(oblivious::make_oblivious(kernel, oblivious::Accesses::Leave).kernel);
    if (lowering.graph && n_bootstraps(*lowering.graph) <= kMostGates) {
      expect_equal(*lowering.graph);
      ++n_proved;
    }
  }
  fmt::print("{} circuits proved\n", n_proved);
  EXPECT_GE(4 * n_proved, n);
}

}  // namespace
}  // namespace tacet::gates
