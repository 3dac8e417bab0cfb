// A party that a test starts. What it does is the first word of its work; the others give it a
// number each round, and it gives them one.

#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "engine/net/child_parties.h"

namespace tacet::net {
namespace {

/// The sum of what all parties have, each its number `n_rounds` times.
auto sum_up(Links& links, uint64_t own, int n_rounds) -> PartyReport {
  uint64_t sum = 0;
  for (int round = 0; round < n_rounds; ++round) {
    sum += own;
    for (Rank to = 0; to < links.n_parties(); ++to) {
      if (to != links.rank()) {
        links.send(to, std::as_bytes(std::span(&own, 1)));
      }
    }
    if (LinkStatus failure = links.flush()) {
      return {failure};
    }
    for (Rank from = 0; from < links.n_parties(); ++from) {
      uint64_t other = 0;
      if (from == links.rank()) {
        continue;
      }
      if (LinkStatus failure = links.receive(from, std::as_writable_bytes(std::span(&other, 1)))) {
        return {failure};
      }
      sum += other;
    }
  }
  return {std::nullopt, std::to_string(sum)};
}

/// Echoes its messages, and in between those to all parties, until they end.
auto echo(Links& links, Conversation& host) -> PartyReport {
  std::string all;
  while (std::optional<std::string> message = host.hear()) {
    if (*message == "fails") {
      return {LinkError{links.rank(), "as asked"}};
    }
    if (*message == "killed") {
      ::kill(::getpid(), SIGKILL);
    }
    const PartyReport sum = sum_up(links, message->size(), 1);
    if (sum.failure) {
      return sum;
    }
    all += sum.result + " ";
    host.say(*message);
    host.say(sum.result);
  }
  return {std::nullopt, all};
}

auto work_on(Links& links, const std::string& work, Conversation& host) -> PartyReport {
  std::string word = work.substr(0, work.find(' '));
  if (word == "killed") {
    ::kill(::getpid(), SIGKILL);
  }
  if (word == "exits") {
    ::_exit(7);
  }
  if (word == "hangs") {
    while (true) {
      ::pause();
    }
  }
  if (word == "notes") {  // its number where the rest of the work says, and hangs
    std::ofstream(work.substr(word.size() + 1)) << ::getpid() << std::endl;
    while (true) {
      ::pause();
    }
  }
  if (word == "stops") {  // and gives no sign of life any more
    ::kill(::getpid(), SIGSTOP);
  }
  if (word == "fails") {
    return {LinkError{links.rank(), "cannot read its input"}};
  }
  if (word == "echoes") {
    return echo(links, host);
  }
  if (word == "measures") {
    return {std::nullopt, std::to_string(work.size())};
  }
  return sum_up(links, std::stoull(work), 50);
}

}  // namespace
}  // namespace tacet::net

auto main() -> int {
  return tacet::net::serve_as_child(tacet::net::work_on);
}
