// Times of operations on shares: `measure_mpc PROTOCOL [NAME…]` starts three processes
// (four of `rep4`) that compute over loopback without encryption, and prints for every kernel (or
// those whose names begin with a NAME) the rate of the fastest run, of the median one, rounds, and
// bytes a party.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>

#include "bench/mpc/kernels.h"
#include "engine/mpc/aby3/aby3.h"
#include "engine/mpc/aby3_active/aby3_active.h"
#include "engine/mpc/protocol.h"
#include "engine/mpc/ref/ref.h"
#include "engine/mpc/rep4/rep4.h"
#include "engine/net/child_parties.h"
#include "engine/net/loopback.h"

namespace tacet::mpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kTimes = 9;

struct Line {
  double least = 0;
  double median = 0;
  uint64_t rounds = 0;
  uint64_t bytes = 0;
};

/// All parties are here.
auto gather(Party& party) -> Task<> {
  for (Rank distance = 1; distance < party.n_parties(); ++distance) {
    const std::array<std::byte, 1> sent{};
    std::array<std::byte, 1> got{};
    party.send(party.other(distance), sent);
    co_await party.receive(party.other(party.n_parties() - distance), got);
  }
  co_return kDone;
}

template <class T>
auto result_of(std::variant<T, net::LinkError> result) -> T {
  TACET_CHECK(result.index() == 0, std::get<1>(result).reason.c_str());
  return std::get<0>(std::move(result));
}

/// A kernel and an opening, before which protocols check what was computed.
auto checked(Party& party, std::function<Task<>()> kernel) -> Task<> {
  co_await kernel();
  const Share one = party.protocol().public_share(party, RingArray::filled(Ring::Z32, 1, 1));
  co_await open(party, one);
  co_return kDone;
}

auto measure(Party& party, const Measured& measured) -> Line {
  const auto run = result_of(party.run(measured.prepare(party)));
  std::array<double, kTimes> seconds{};
  Line line;
  for (double& time : seconds) {
    result_of(party.run(gather(party)));
    party.restart_traffic();
    const Clock::time_point begin = Clock::now();
    result_of(party.run(checked(party, run)));
    time = std::chrono::duration<double>(Clock::now() - begin).count();
    line.rounds = party.traffic().total().rounds;
    line.bytes = party.traffic().total().bytes;
  }
  std::sort(seconds.begin(), seconds.end());
  line.least = seconds.front();
  line.median = seconds[kTimes / 2];
  return line;
}

/// What a party does: `work` is the protocol, and on lines of their own the requested names.
auto work_as_party(net::Links& links, const std::string& work) -> net::PartyReport {
  std::istringstream words(work);
  std::string name;
  std::getline(words, name);
  const std::unique_ptr<Protocol> protocol = name == "aby3"          ? make_aby3()
                                             : name == "aby3-active" ? make_aby3_active()
                                             : name == "rep4"        ? make_rep4()
                                                                     : make_ref();
  auto random = secure_random::SecureRandom::from_system(best_isa());
  TACET_CHECK(random.has_value(), "no randomness");
  Party party(links, *protocol, std::move(*random));
  result_of(party.run(protocol->start(party)));
  std::vector<std::string> wanted;
  for (std::string line; std::getline(words, line);) {
    wanted.push_back(line);
  }
  std::string report;
  for (const Measured& measured : measured_kernels()) {
    const bool is_wanted =
        wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
          return measured.name.starts_with(w);
        });
    if (is_wanted) {
      const Line line = measure(party, measured);
      const auto n = static_cast<double>(measured.n * measured.repetitions);
      report +=
          fmt::format("{:<38} {:>10.3f} {:>10.3f} {:>12.1f} {:>7} {:>10.2f}\n", measured.name,
                      n / line.least / 1e6, n / line.median / 1e6,
                      line.least / static_cast<double>(measured.repetitions) * 1e6,
                      line.rounds / measured.repetitions, static_cast<double>(line.bytes) / n);
    }
  }
  return {.failure = {}, .result = report};
}

auto run(int argc, char** argv) -> int {
  if (argc == 2 && std::string_view(argv[1]) == "--party") {
    return net::serve_as_child(work_as_party);
  }
  std::string work = argc > 1 ? argv[1] : "aby3";
  for (int i = 2; i < argc; ++i) {
    work += fmt::format("\n{}", argv[i]);
  }
  std::vector<std::string> names = {"alice", "bob", "carol"};
  if (work.starts_with("rep4")) {
    names.emplace_back("dave");
  }
  auto plans = net::plan_loopback_run(names, net::Encryption::None);
  if (!plans) {
    fmt::print(stderr, "{}\n", plans.error().message);
    return 1;
  }
  const net::ChildOutcome outcome =
      net::run_child_parties({.command = {argv[0], "--party"},
                              .plans = std::move(*plans),
                              .work = std::vector<std::string>(names.size(), work)});
  if (outcome.failure) {
    fmt::print(stderr, "{}\n", outcome.failure->reason);
    return 1;
  }
  fmt::print("{:<38} {:>10} {:>10} {:>12} {:>7} {:>10}\n", "", "M/s best", "M/s median", "us a run",
             "rounds", "bytes");
  for (const std::string& result : outcome.results) {
    fmt::print("{}\n", result);
  }
  return 0;
}

}  // namespace
}  // namespace tacet::mpc

auto main(int argc, char** argv) -> int {
  return tacet::mpc::run(argc, argv);
}
