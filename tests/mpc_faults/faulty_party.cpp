// A party of the MPC machine that fails where requested. The first line of its work says what it
// does and when, by how often it received something before: `killed 7`, `silent 3`. What follows is
// work for the machine.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include "engine/mpc/runner/party_run.h"

namespace tacet::mpc {
namespace {

struct Fault {
  std::string kind;
  uint64_t after = 0;
};

class FaultyLinks final : public net::Links {
 public:
  FaultyLinks(net::Links& links, Fault fault) : links_(links), fault_(std::move(fault)) {}

  auto rank() const -> net::Rank override { return links_.rank(); }
  auto n_parties() const -> net::Rank override { return links_.n_parties(); }
  auto name(net::Rank party) const -> std::string override { return links_.name(party); }

  void send(net::Rank to, std::span<const std::byte> bytes) override {
    if (fault_.kind == "silent" && is_time()) {
      return;
    }
    links_.send(to, bytes);
  }
  auto flush() -> net::LinkStatus override {
    if (fault_.kind == "slow" && is_time()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return links_.flush();
  }
  auto receive(net::Rank from, std::span<std::byte> into) -> net::LinkStatus override {
    if (is_time()) {
      misbehaves();
    }
    ++n_received_;
    return links_.receive(from, into);
  }
  auto finish() -> net::LinkStatus override { return links_.finish(); }
  void abort(std::string reason) override { links_.abort(std::move(reason)); }
  auto counters(net::Rank peer) const -> net::LinkCounters override {
    return links_.counters(peer);
  }

 private:
  auto is_time() const -> bool { return n_received_ >= fault_.after; }

  void misbehaves() {
    if (fault_.kind == "killed") {
      ::kill(::getpid(), SIGKILL);
    }
    if (fault_.kind == "stops") {
      ::kill(::getpid(), SIGSTOP);
    }
    if (fault_.kind == "exits") {
      ::_exit(3);
    }
    while (fault_.kind == "hangs") {
      ::pause();
    }
  }

  net::Links& links_;
  Fault fault_;
  uint64_t n_received_ = 0;
};

auto work_on(net::Links& links, const std::string& work, net::Conversation& host)
    -> net::PartyReport {
  const size_t end = work.find('\n');
  std::istringstream line(work.substr(0, end));
  Fault fault;
  line >> fault.kind >> fault.after;
  FaultyLinks faulty(links, fault);
  return run_party_process(faulty, work.substr(end + 1), host);
}

}  // namespace
}  // namespace tacet::mpc

auto main() -> int {
  return tacet::net::serve_as_child(tacet::mpc::work_on);
}
