// What a distance costs: programs of three parties over links with added latency, next to the
// rounds that they take and to what they compute without the distance. usage: measure_distance
// [milliseconds there and back]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "bench/mpc/processes.h"
#include "engine/mpc/runner/party_run.h"
#include "engine/net/delayed_links.h"

namespace tacet::mpc {
namespace {

constexpr int kTimes = 3;

struct Measured {
  std::string_view name;
  std::string code;    ///< with the inputs `x` and `y`
  std::string type;    ///< of both
  size_t n = 0;        ///< elements of each
  uint64_t value = 1;  ///< from here on they grow
};

auto measured_programs() -> std::vector<Measured> {
  std::string chain = "a: secret i64[1000] = mul x, y\n";
  for (int i = 0; i < 19; ++i) {
    chain += "a = mul a, y\n";
  }
  constexpr uint64_t kOne = uint64_t{1} << 18;
  return {
      {"20 products one after another", chain + "output a = a\n", "i64[1000]", 1000},
      {"1000 comparisons", "a: secret bool[1000] = lt x, y\noutput a = a\n", "i64[1000]", 1000},
      {"greatest of 1000", "a: secret i64 = reduce_max x [0]\noutput a = a\n", "i64[1000]", 1000},
      {"sort of 1000", "a: secret i64[1000] = sort x\noutput a = a\n", "i64[1000]", 1000},
      {"100 integer divisions", "a: secret i32[100] = div x, y\noutput a = a\n", "i32[100]", 100},
      {"logistic regression, 100 features",
       "a: secret fxp<18> = dot x, y\nb: secret fxp<18> = sigmoid a\noutput b = b\n",
       "fxp<18>[100]", 100, kOne / 64},
      {"100 quotients and roots",
       "a: secret fxp<18>[100] = div x, y\nb: secret fxp<18>[100] = sqrt x\n"
       "c: secret fxp<18>[100] = add a, b\noutput c = c\n",
       "fxp<18>[100]", 100, kOne},
  };
}

auto work_of(const Measured& measured, net::Rank rank) -> PartyWork {
  PartyWork work;
  work.ranks = {0, 1};
  work.program = fmt::format(
      "mpc_program 1\nparty alice\nparty bob\ninput x: secret {0} from alice\n"
      "input y: secret {0} from bob\n{1}",
      measured.type, measured.code);
  engine::MpcCells cells(measured.n);
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = measured.value + i * 77 % 1000;
  }
  work.inputs.resize(2);
  if (rank < 2) {
    work.inputs[rank] = cells;
  }
  return work;
}

auto run_or_exit(net::Links& links, const PartyWork& work) -> PartyResult {
  auto result = run_party(links, work);
  if (const net::LinkError* error = std::get_if<net::LinkError>(&result)) {
    fmt::print(stderr, "{}\n", error->reason);
    std::_Exit(1);
  }
  return std::move(std::get<0>(result));
}

/// The median of several runs.
auto seconds_of(net::Links& links, const PartyWork& work, PartyResult& last) -> double {
  std::array<double, kTimes> seconds{};
  for (double& time : seconds) {
    last = run_or_exit(links, work);
    time = last.seconds;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kTimes / 2];
}

void measure(std::unique_ptr<net::Links> near, std::chrono::nanoseconds one_way_delay) {
  const net::Rank rank = near->rank();
  std::vector<double> seconds_near;
  PartyResult last;
  const std::vector<Measured> programs = measured_programs();
  for (const Measured& measured : programs) {
    seconds_near.push_back(seconds_of(*near, work_of(measured, rank), last));
  }
  const std::unique_ptr<net::Links> far = net::delay_links(std::move(near), one_way_delay);
  const double latency = std::chrono::duration<double>(one_way_delay).count();
  if (rank == 0) {
    fmt::print("{:<36} {:>7} {:>12} {:>12} {:>14} {:>7}\n", "", "rounds", "near, ms", "far, ms",
               "ways + near", "ratio");
  }
  for (size_t i = 0; i < programs.size(); ++i) {
    const double seconds = seconds_of(*far, work_of(programs[i], rank), last);
    const double expected = static_cast<double>(last.rounds) * latency + seconds_near[i];
    if (rank == 0) {
      fmt::print("{:<36} {:>7} {:>12.2f} {:>12.1f} {:>14.1f} {:>7.3f}\n", programs[i].name,
                 last.rounds, seconds_near[i] * 1e3, seconds * 1e3, expected * 1e3,
                 seconds / expected);
    }
  }
  static_cast<void>(far->finish());
}

}  // namespace
}  // namespace tacet::mpc

auto main(int argc, char** argv) -> int {
  const double milliseconds = argc > 1 ? std::atof(argv[1]) : 40;
  const auto one_way_delay = std::chrono::nanoseconds(static_cast<int64_t>(milliseconds * 1e6 / 2));
  tacet::mpc::in_processes(3, [&](std::unique_ptr<tacet::net::Links> links) {
    tacet::mpc::measure(std::move(links), one_way_delay);
  });
  return 0;
}
