#include "bench/mpc/processes.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/net/loopback.h"

namespace tacet::mpc {

using net::Rank;

void in_processes(Rank n, const std::function<void(std::unique_ptr<net::Links>)>& body) {
  std::vector<std::string> names;
  for (Rank i = 0; i < n; ++i) {
    names.push_back(fmt::format("party {}", i));
  }
  auto plans = net::plan_loopback_run(names, net::Encryption::None);
  if (!plans) {
    fmt::print(stderr, "{}\n", plans.error().message);
    std::exit(1);
  }
  std::fflush(stdout);
  for (Rank rank = 0; rank < n; ++rank) {
    if (::fork() == 0) {
      for (Rank other = 0; other < n; ++other) {
        if (other != rank) {
          ::close((*plans)[other].listening_socket);
        }
      }
      net::Meeting meeting = net::meet(std::move((*plans)[rank]));
      if (meeting.failure) {
        fmt::print(stderr, "{}\n", meeting.failure->reason);
        ::_exit(1);
      }
      body(std::move(meeting.links));
      std::fflush(stdout);
      ::_exit(0);
    }
  }
  for (Rank i = 0; i < n; ++i) {
    ::wait(nullptr);
  }
  for (net::MeetingPlan& plan : *plans) {
    ::close(plan.listening_socket);
  }
}

}  // namespace tacet::mpc
