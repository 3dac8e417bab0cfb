// Three processes in a ring on loopback: each sends to the next, then receives from the one before.
// usage: measure_links [plain|tls]

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "engine/net/loopback.h"

namespace tacet::net {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Rank kParties = 3;

auto microseconds(Clock::duration time) -> double {
  return std::chrono::duration<double, std::micro>(time).count();
}

/// The times of `n_rounds` rounds with messages of `size` bytes, in microseconds.
auto time_rounds(Links& links, size_t size, size_t n_rounds) -> std::vector<double> {
  std::vector<std::byte> out(size);
  std::vector<std::byte> in(size);
  std::vector<double> times;
  for (size_t i = 0; i < n_rounds; ++i) {
    Clock::time_point begin = Clock::now();
    links.send((links.rank() + 1) % kParties, out);
    LinkStatus failure = links.flush();
    failure = failure ? failure : links.receive((links.rank() + 2) % kParties, in);
    if (failure) {
      fmt::print(stderr, "{}\n", describe(links, *failure));
      ::_exit(1);
    }
    times.push_back(microseconds(Clock::now() - begin));
  }
  return times;
}

void measure(Links& links) {
  for (size_t size : {16UL, 1UL << 10, 1UL << 16, 1UL << 18, 1UL << 20, 1UL << 23}) {
    size_t n_rounds = std::clamp<size_t>((size_t{256} << 20) / size, 50, 20'000);
    std::vector<double> times = time_rounds(links, size, n_rounds);
    double mean = 0;
    for (double time : times) {
      mean += time / double(n_rounds);
    }
    std::sort(times.begin(), times.end());
    if (links.rank() == 0) {
      fmt::print(
          "{:>9} bytes: mean {:>8.1f} us, least {:>8.1f}, median {:>8.1f}, p99 {:>8.1f}; "
          "{:.2f} GB/s a link by the median\n",
          size, mean, times.front(), times[n_rounds / 2], times[n_rounds * 99 / 100],
          double(size) / times[n_rounds / 2] / 1000);
    }
  }
}

}  // namespace
}  // namespace tacet::net

auto main(int argc, char** argv) -> int {
  using namespace tacet::net;
  bool is_plain = argc > 1 && std::string_view(argv[1]) == "plain";
  auto plans =
      plan_loopback_run({"alice", "bob", "carol"}, is_plain ? Encryption::None : Encryption::Tls);
  if (!plans) {
    fmt::print(stderr, "{}\n", plans.error().message);
    return 1;
  }
  Rank rank = kParties - 1;
  for (Rank child = 0; child + 1 < kParties; ++child) {
    if (::fork() == 0) {
      rank = child;
      break;
    }
  }
  for (Rank other = 0; other < kParties; ++other) {
    if (other != rank) {
      ::close((*plans)[other].listening_socket);
    }
  }
  Meeting meeting = meet((*plans)[rank]);
  if (!meeting.links) {
    fmt::print(stderr, "party {}: {}\n", meeting.failure->party, meeting.failure->reason);
    return 1;
  }
  measure(*meeting.links);
  bool is_good = !meeting.links->finish();
  while (rank == kParties - 1 && ::wait(nullptr) > 0) {
  }
  return is_good ? 0 : 1;
}
