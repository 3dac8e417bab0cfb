#include <gtest/gtest.h>

#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/testing/run_parties.h"

/// Every formula of engine/mpc_model/fixed_point.h against the counters of a run.
namespace tacet::mpc {
namespace {

using mpc_model::Cost;
using mpc_model::FixedFunction;

auto function_of(Party& party, FixedFunction function, Share x, FixedPoint format) -> Task<Share> {
  return function == FixedFunction::Divide ? divide(party, x, x, format)
                                           : evaluate(party, function, x, format);
}

void expect_counts(const TestRun& run, const mpc_model::ProtocolCosts& protocol) {
  for (const mpc_model::FixedFormat format :
       {mpc_model::FixedFormat{64, 8}, {64, 16}, {64, 18}, {128, 18}, {128, 31}}) {
    for (const size_t n : {size_t{1}, size_t{70}}) {
      for (const FixedFunction function :
           {FixedFunction::Divide, FixedFunction::Reciprocal, FixedFunction::Sqrt,
            FixedFunction::Rsqrt, FixedFunction::Exp, FixedFunction::Log, FixedFunction::Sigmoid,
            FixedFunction::Tanh, FixedFunction::Erf, FixedFunction::Sin, FixedFunction::Cos}) {
        const std::vector<Traffic> traffic = traffic_of(run, [&](Party& party) -> Task<> {
          const Ring ring = format.ring_bits == 64 ? Ring::Z64 : Ring::Z128;
          const Share x = party.protocol().public_share(party, RingArray::filled(ring, n, 1 << 18));
          const FixedPoint fixed{.fraction_bits = format.fraction_bits};
          Share result = co_await function_of(party, function, x, fixed);
          co_return kDone;
        });
        Cost counted;
        for (const Traffic& of_party : traffic) {
          counted.rounds = of_party.total().rounds;
          counted.bytes += of_party.total().bytes;
        }
        const Cost wanted = mpc_model::cost_of(protocol, function, format, n);
        EXPECT_EQ(counted.rounds, wanted.rounds)
            << fixed_function_name(function) << " of " << n << ", ring " << format.ring_bits;
        EXPECT_EQ(counted.bytes, wanted.bytes)
            << fixed_function_name(function) << " of " << n << ", ring " << format.ring_bits;
      }
    }
  }
}

TEST(FixedPointCosts, AreWhatIsCounted) {
  expect_counts({.n_parties = 3, .protocol = "aby3"}, *mpc_model::aby3_costs());
  expect_counts({.n_parties = 4, .protocol = "rep4"}, *mpc_model::rep4_costs());
}

/// What users wait for over long distances.
TEST(FixedPointCosts, FewRounds) {
  const auto protocol = mpc_model::aby3_costs();
  const auto rounds = [&](FixedFunction function) {
    return mpc_model::cost_of(*protocol, function, {64, 18}, 1).rounds;
  };
  EXPECT_LE(rounds(FixedFunction::Exp), 25U);
  EXPECT_LE(rounds(FixedFunction::Reciprocal), 45U);
  EXPECT_LE(rounds(FixedFunction::Sigmoid), 52U);
}

}  // namespace
}  // namespace tacet::mpc
