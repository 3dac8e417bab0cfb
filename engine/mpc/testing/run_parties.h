#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "engine/mpc/party.h"
#include "engine/mpc/protocol.h"

/// For tests and benchmarks: runs of all parties in one process.
namespace tacet::mpc {

/// A protocol by its name, for party runs of `n` parties.
auto make_test_protocol(std::string_view name) -> std::unique_ptr<Protocol>;

/// A run for tests: `ref` with 1, 2 … parties, `aby3` with 3, `rep4` with 4, `semi2k` with 2, 3 …,
/// whose correlations come from a dealer on one more thread if it is `semi2k_dealer`.
struct TestRun {
  Rank n_parties = 3;
  std::string_view protocol = "ref";
  /// Randomness of the parties; equal seeds give equal runs.
  uint64_t seed = 1;
};

/// Calls `body` for each party on a thread of its own, over in-process links, with a protocol that
/// has started and counters at zero. Fails a check if a link fails.
void run_each_party(const TestRun& run, const std::function<void(Party&)>& body);

/// `fn(party)` is a `Task<T>`, the same for each party: what each got, by rank.
///
///     auto products = run_parties({3, "aby3"}, [&](Party& party) -> Task<RingArray> { … });
template <class Fn>
auto run_parties(const TestRun& run, Fn fn) {
  using T = std::decay_t<decltype(fn(std::declval<Party&>()).take())>;
  std::vector<std::optional<T>> results(run.n_parties);
  run_each_party(run, [&](Party& party) {
    std::variant<T, net::LinkError> result = party.run(fn(party));
    TACET_CHECK(result.index() == 0, std::get<1>(result).reason.c_str());
    results[party.rank()].emplace(std::get<0>(std::move(result)));
  });
  std::vector<T> values;
  for (std::optional<T>& result : results) {
    values.push_back(std::move(*result));
  }
  return values;
}

/// The same with what was sent, by rank.
template <class Fn>
auto traffic_of(const TestRun& run, Fn fn) -> std::vector<Traffic> {
  std::vector<Traffic> traffic(run.n_parties);
  run_each_party(run, [&](Party& party) {
    auto result = party.run(fn(party));
    TACET_CHECK(result.index() == 0, std::get<1>(result).reason.c_str());
    traffic[party.rank()] = party.traffic();
  });
  return traffic;
}

}  // namespace tacet::mpc
