#include "engine/cggi_model/choose_parameters.h"

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/cggi_model/gates.h"

namespace tacet::cggi {
namespace {

auto gates(double count) -> std::vector<DecisionCount> {
  std::vector<DecisionCount> decisions;
  for (const GateKind kind : {GateKind::And, GateKind::Xor, GateKind::Majority, GateKind::Xor3}) {
    decisions.push_back({gate_form(kind).decision, count});
  }
  return decisions;
}

void expect_kept(const ParameterNeeds& needs) {
  const ChosenParameters chosen = value(choose_parameters(needs));
  EXPECT_TRUE(check_parameters(chosen.parameters).has_value());
  EXPECT_LE(chosen.log2_failure, needs.log2_failure);
  EXPECT_EQ(chosen.log2_failure, log2_failure(chosen.parameters, needs.decisions));
  EXPECT_EQ(value(choose_parameters(needs)).parameters, chosen.parameters);
}

TEST(ChooseParameters, KeepsTheFailureProbability) {
  for (const double failure : {-40.0, -64.0, -128.0}) {
    const auto few = gates(1);
    const auto many = gates(1e6);
    expect_kept({.decisions = few, .log2_failure = failure});
    expect_kept({.decisions = many, .log2_failure = failure});
  }
  const DecisionCount table{{.squared_weights = 25, .bound = 1 / 64.0}, 1};
  expect_kept({.decisions = std::span(&table, 1), .least_polynomial_size = 32});
}

/// cggi.md of the design has such parameters for majority gates.
TEST(ChooseParameters, FindsSmallGates) {
  const DecisionCount majority{gate_form(GateKind::Majority).decision, 1};
  const ChosenParameters chosen =
      value(choose_parameters({.decisions = std::span(&majority, 1), .log2_failure = -128}));
  EXPECT_LE(chosen.cost.rotation_key_bytes + chosen.cost.switch_key_bytes, 95e6);
  EXPECT_LE(chosen.parameters.lwe_dimension, 750);
  EXPECT_LE(chosen.parameters.extracted_dimension(), 2048);
}

TEST(ChooseParameters, AsksMoreForMore) {
  double cycles = 0;
  for (const double count : {1.0, 1e3, 1e6, 1e9}) {
    const auto decisions = gates(count);
    const ChosenParameters chosen = value(choose_parameters({.decisions = decisions}));
    EXPECT_GE(chosen.cost.cycles, cycles);
    cycles = chosen.cost.cycles;
  }
}

TEST(ChooseParameters, SaysWhatCannotBe) {
  const DecisionCount impossible{{.squared_weights = 1, .bound = 1e-9}, 1};
  const Result<ChosenParameters> none =
      choose_parameters({.decisions = std::span(&impossible, 1), .log2_failure = -64});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "no parameters keep the probability that the program fails below 2^-64");
  const DecisionCount one{{}, 1};
  EXPECT_FALSE(choose_parameters({.decisions = std::span(&one, 1), .security = Security::None}));
}

TEST(CheckParameters, RejectsWhatIsInsecure) {
  const DecisionCount one{{}, 1};
  const Parameters good = value(choose_parameters({.decisions = std::span(&one, 1)})).parameters;
  const auto rejects = [&](auto change) {
    Parameters bad = good;
    change(bad);
    return !check_parameters(bad).has_value();
  };
  EXPECT_TRUE(rejects([](Parameters& p) { p.lwe_dimension -= 4; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.lwe_variance *= 0.99; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.glwe_variance *= 0.99; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.glwe_variance = -1; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.polynomial_size = 384; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.glwe_dimension = 8; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.rotation.n_levels = 0; }));
  EXPECT_TRUE(rejects([](Parameters& p) { p.key_switch = {11, 1}; }));
  EXPECT_FALSE(rejects([](Parameters& p) { p.lwe_variance *= 2; }));
}

}  // namespace
}  // namespace tacet::cggi
