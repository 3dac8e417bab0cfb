// Random device functions on the machine: what the parties compute, on every protocol, is what the
// reference device does. TACET_MPC_SEED says which one is the first, TACET_MPC_PROGRAMS how many
// there are; `./dev test --long -R machine` runs a thousand for each protocol.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/harness/rounds.h"
#include "tests/mpc_lower/machine_case.h"
#include "tests/mpc_lower/random_fixed.h"

namespace tacet::mpc_lower {
namespace {

struct Case {
  mpc::TestRun run;
  uint64_t n_programs;

  friend auto operator<<(std::ostream& out, const Case& c) -> std::ostream& {
    return out << c.run.protocol << " of " << c.run.n_parties;
  }
};

/// Run side by side: keys and correlated randomness are made for all of them at once.
constexpr uint64_t kBatch = 50;

auto next_cases(uint64_t& seed, uint64_t n) -> std::vector<MachineCase> {
  std::vector<MachineCase> cases;
  while (cases.size() < n) {
    if (std::optional<MachineCase> found = machine_case(seed++)) {
      cases.push_back(*std::move(found));
    }
  }
  return cases;
}

class Protocols : public ::testing::TestWithParam<Case> {};

TEST_P(Protocols, ComputeWhatTheReferenceDeviceDoes) {
  const auto& [run, n_programs] = GetParam();
  uint64_t seed = harness::number_of("TACET_MPC_SEED", 1);
  uint64_t n_compared = 0;
  const uint64_t n = harness::number_of("TACET_MPC_PROGRAMS", n_programs);
  for (uint64_t n_left = n; n_left > 0;) {
    const std::vector<MachineCase> cases = next_cases(seed, std::min(n_left, kBatch));
    const auto found = run_side_by_side(cases, run);
    for (size_t i = 0; i < cases.size(); ++i) {
      n_compared += cases[i].on_reference ? 1 : 0;
      for (size_t party = 0; party < found.size(); ++party) {
        ASSERT_EQ(complaint_about(found[party][i], cases[i]), "") << "party " << party;
      }
    }
    n_left -= cases.size();
  }
  // Some fail there.
  EXPECT_GE(n_compared * 2, n);
}

/// Empty if each number that a party got is between its bounds.
auto fixed_complaint(const mpc::MachineResult& found, const FixedCase& expected) -> std::string {
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    for (size_t k = 0; k < expected.outputs[i].size(); ++k) {
      const auto raw = static_cast<int64_t>(found.outputs.at(i).value().at(k));
      const long double value = static_cast<long double>(raw) / (1 << 18);
      const Bounded& bounded = expected.outputs[i][k];
      if (!(std::abs(value - bounded.value) <= bounded.error)) {
        return fmt::format("output {} at {}: {}, not {} up to {}\n{}", i, k, double(value),
                           double(bounded.value), double(bounded.error), expected.run.text);
      }
    }
  }
  return "";
}

TEST_P(Protocols, ComputeFixedPointWithinBounds) {
  const auto& [run, n_programs] = GetParam();
  uint64_t seed = harness::number_of("TACET_MPC_SEED", 1);
  for (uint64_t n_left = harness::number_of("TACET_MPC_PROGRAMS", n_programs); n_left > 0;) {
    std::vector<FixedCase> expected;
    std::vector<MachineCase> cases;
    for (uint64_t i = 0; i < std::min(n_left, kBatch); ++i) {
      expected.push_back(random_fixed_case(seed++, 8));
      cases.push_back(expected.back().run);
    }
    const auto found = run_side_by_side(cases, run);
    for (size_t i = 0; i < cases.size(); ++i) {
      for (size_t party = 0; party < found.size(); ++party) {
        ASSERT_EQ(fixed_complaint(found[party][i], expected[i]), "")
            << "party " << party << ", seed " << seed - cases.size() + i;
      }
    }
    n_left -= cases.size();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Protocols,
                         ::testing::Values(Case{{.n_parties = 2, .protocol = "ref"}, 50},
                                           Case{{.n_parties = 3, .protocol = "aby3"}, 25},
                                           Case{{.n_parties = 4, .protocol = "rep4"}, 20},
                                           Case{{.n_parties = 2, .protocol = "semi2k_dealer"}, 15},
                                           Case{{.n_parties = 3, .protocol = "semi2k_dealer"}, 15},
                                           Case{{.n_parties = 2, .protocol = "semi2k"}, 2},
                                           Case{{.n_parties = 3, .protocol = "semi2k"}, 2}),
                         [](const auto& test) {
                           return fmt::format("{}_{}", test.param.run.protocol,
                                              test.param.run.n_parties);
                         });

}  // namespace
}  // namespace tacet::mpc_lower
