// Runs of parties over links that do something to bytes at a random moment, from the first one of
// a handshake to the last one of a run: the results are right, or every party ends, soon, with an
// error that names an end of the link. TACET_LINK_FAULTS is how many runs there are.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>

#include "engine/mpc/runner/party_run.h"
#include "engine/net/loopback.h"
#include "tests/mpc_faults/faulty_link.h"

namespace tacet::mpc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kLinkProgram = R"(mpc_program 1
party alice
party bob
input x: secret i64[8] from alice
input y: secret i64[8] from bob

less: secret bool[8] = lt x, y
product: secret i64[8] = mul x, y
chosen: secret i64[8] = select less, product, x
sorted: secret i64[8] = sort chosen

output sorted = sorted
)";

const std::vector<std::string> kParties = {"alice", "bob", "carol"};
const engine::MpcCells kResult{0, 3, 4, 9, 30, 56, 100, 156};

/// What one party ended with.
struct Ended {
  engine::MpcCells result;
  std::optional<net::LinkError> failure;
  Clock::time_point time;
};

/// Which two parties, and what happens between them.
struct Fault {
  net::Rank called = 0;
  net::Rank caller = 1;
  LinkFault kind = LinkFault::None;
  uint64_t after = 0;
};

struct Outcome {
  std::vector<Ended> parties;
  uint64_t n_bytes = 0;  ///< of the link
  bool has_happened = false;
  Clock::time_point time;  ///< of the fault
};

/// A silent party is noticed after this.
constexpr net::TimeLimits kTimes{
    .connect = milliseconds(4000), .silence = milliseconds(1500), .patience = milliseconds(1000)};

auto take_part(net::MeetingPlan plan, ProtocolKind protocol) -> Ended {
  const net::Rank rank = plan.rank;
  PartyWork work{.protocol = protocol, .program = std::string(kLinkProgram)};
  work.inputs.resize(2);
  work.ranks = {0, 1};
  work.correlations = CorrelationsKind::Dealer;
  if (rank == 0) {
    work.inputs[0] = engine::MpcCells{1, 9, 100, 7, 0, 3, 12, 5};
  }
  if (rank == 1) {
    work.inputs[1] = engine::MpcCells{4, 2, 50, 8, 1, 3, 13, 6};
  }
  Ended ended;
  net::Meeting meeting = net::meet(std::move(plan));
  if (!meeting.links) {
    ended.failure = meeting.failure;
  } else {
    auto outcome = run_party(*meeting.links, work);
    if (net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
      ended.failure = *error;
    } else if ((ended.failure = meeting.links->finish()); !ended.failure) {
      const auto& outputs = std::get<0>(outcome).outputs;  // a dealer has none
      ended.result = outputs.empty() ? kResult : outputs[0].value_or(engine::MpcCells());
    }
  }
  ended.time = Clock::now();
  return ended;
}

auto run_over(const Fault& fault, ProtocolKind protocol) -> Outcome {
  auto plans = net::plan_loopback_run(kParties, net::Encryption::Tls);
  EXPECT_TRUE(plans) << plans.error().message;
  FaultyLink link((*plans)[fault.called].parties[fault.called].port, fault.kind, fault.after);
  (*plans)[fault.caller].parties[fault.called].port = link.port();
  Outcome outcome{.parties = std::vector<Ended>(kParties.size()), .time = {}};
  std::vector<std::jthread> threads;
  for (net::MeetingPlan& plan : *plans) {
    plan.times = kTimes;
    threads.emplace_back([&outcome, protocol, own = std::move(plan)]() mutable {
      const net::Rank rank = own.rank;
      outcome.parties[rank] = take_part(std::move(own), protocol);
    });
  }
  threads.clear();
  outcome.n_bytes = link.n_bytes();
  outcome.has_happened = link.has_happened();
  if (outcome.has_happened) {
    outcome.time = link.time();
  }
  return outcome;
}

/// What is wrong with how a run ended; empty if nothing is.
auto problem_of(const Fault& fault, const Outcome& outcome) -> std::string {
  for (net::Rank rank = 0; rank < kParties.size(); ++rank) {
    const Ended& ended = outcome.parties[rank];
    if (!ended.failure) {
      if (ended.result != kResult) {
        return kParties[rank] + " has another result";
      }
      continue;
    }
    const std::string said = kParties[rank] + " says: " + kParties.at(ended.failure->party) + ": " +
                             ended.failure->reason;
    if (fault.kind == LinkFault::None || fault.kind == LinkFault::Delay || !outcome.has_happened) {
      return said;
    }
    if (ended.failure->party != fault.called && ended.failure->party != fault.caller) {
      return said;
    }
    // Detection takes silence at most, in a meeting the time to connect; then 5 s.
    const auto took = ended.time - outcome.time;
    if (took > kTimes.connect + milliseconds(5000)) {
      return said + fmt::format(" after {} s", std::chrono::duration<double>(took).count());
    }
  }
  return "";
}

auto n_runs() -> unsigned {
  const char* text = std::getenv("TACET_LINK_FAULTS");
  return text == nullptr ? 24 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class LinkFaults : public testing::TestWithParam<ProtocolKind> {};

TEST_P(LinkFaults, EndARunWithTheNameOfAnEnd) {
  constexpr LinkFault kKinds[] = {LinkFault::Delay,  LinkFault::Cut,     LinkFault::Stall,
                                  LinkFault::Drop,   LinkFault::Corrupt, LinkFault::Repeat,
                                  LinkFault::Reorder};
  constexpr std::pair<net::Rank, net::Rank> kLinks[] = {{0, 1}, {0, 2}, {1, 2}};
  std::map<std::pair<net::Rank, net::Rank>, uint64_t> sizes;
  for (const auto& [called, caller] : kLinks) {
    const Fault none{.called = called, .caller = caller, .after = 0};
    const Outcome outcome = run_over(none, GetParam());
    ASSERT_EQ(problem_of(none, outcome), "");
    sizes[{called, caller}] = outcome.n_bytes;
  }
  std::mt19937_64 random(7);
  unsigned n_happened = 0;
  unsigned n_failed = 0;
  milliseconds longest{0};
  for (unsigned i = 0; i < n_runs(); ++i) {
    const auto [called, caller] = kLinks[i % std::size(kLinks)];
    const Fault fault{.called = called,
                      .caller = caller,
                      .kind = kKinds[i % std::size(kKinds)],
                      .after = random() % sizes[{called, caller}]};
    const Outcome outcome = run_over(fault, GetParam());
    EXPECT_EQ(problem_of(fault, outcome), "")
        << "run " << i << ", fault " << static_cast<int>(fault.kind) << " after " << fault.after
        << " of " << sizes[{called, caller}] << " bytes between " << kParties[called] << " and "
        << kParties[caller];
    n_happened += outcome.has_happened ? 1 : 0;
    bool has_failed = false;
    for (const Ended& ended : outcome.parties) {
      if (ended.failure && outcome.has_happened) {
        has_failed = true;
        longest =
            std::max(longest, std::chrono::duration_cast<milliseconds>(ended.time - outcome.time));
      }
    }
    n_failed += has_failed ? 1 : 0;
  }
  fmt::print("{} runs, {} faults, {} runs failed, the last party at most {} ms after its fault\n",
             n_runs(), n_happened, n_failed, longest.count());
  // Otherwise nothing was tested.
  EXPECT_GE(n_happened, n_runs() / 2);
  EXPECT_GE(n_failed, n_runs() / 4);
}

/// A party that is a process: what it ended with, as a line.
struct Process {
  pid_t id = -1;
  int output = -1;
};

auto start_process(const std::vector<net::MeetingPlan>& plans, net::Rank rank,
                   ProtocolKind protocol) -> Process {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t id = ::fork();
  if (id == 0) {
    for (const net::MeetingPlan& plan : plans) {
      if (plan.rank != rank) {
        ::close(plan.listening_socket);
      }
    }
    const Ended ended = take_part(plans[rank], protocol);
    const std::string line = ended.failure             ? kParties.at(ended.failure->party)
                             : ended.result == kResult ? "right"
                                                       : "wrong";
    const bool is_written = ::write(ends[1], line.data(), line.size()) > 0;
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  return {id, ends[0]};
}

/// Reads to the end of the process.
auto end_of(const Process& process) -> std::string {
  std::string text;
  char buffer[64];
  for (ssize_t n = 0; (n = ::read(process.output, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  ::close(process.output);
  ::waitpid(process.id, nullptr, 0);
  return text;
}

auto start_processes(ProtocolKind protocol) -> std::vector<Process> {
  auto plans = net::plan_loopback_run(kParties, net::Encryption::Tls);
  EXPECT_TRUE(plans) << plans.error().message;
  std::vector<Process> processes;
  for (net::MeetingPlan& plan : *plans) {
    plan.times = kTimes;
  }
  for (const net::MeetingPlan& plan : *plans) {
    processes.push_back(start_process(*plans, plan.rank, protocol));
  }
  for (const net::MeetingPlan& plan : *plans) {
    ::close(plan.listening_socket);  // the processes have them
  }
  return processes;
}

/// What processes ended with, and how long that took.
struct Ends {
  std::vector<std::string> texts;
  milliseconds time;
};

auto ends_of(const std::vector<Process>& processes) -> Ends {
  const auto begin = Clock::now();
  Ends ends;
  for (const Process& process : processes) {
    ends.texts.push_back(end_of(process));
  }
  ends.time = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  return ends;
}

/// Kills a party after some time. The time of the ends counts from then.
auto kill_one(net::Rank killed, milliseconds after, ProtocolKind protocol) -> Ends {
  const std::vector<Process> processes = start_processes(protocol);
  std::this_thread::sleep_for(after);
  ::kill(processes[killed].id, SIGKILL);
  return ends_of(processes);
}

TEST_P(LinkFaults, EndARunWithTheNameOfAPartyThatIsKilled) {
  const Ends whole = ends_of(start_processes(GetParam()));
  EXPECT_EQ(whole.texts, std::vector<std::string>(kParties.size(), "right"));
  std::mt19937_64 random(8);
  unsigned n_failed = 0;
  milliseconds longest{0};
  for (unsigned i = 0; i < n_runs() / 4; ++i) {
    const auto killed = static_cast<net::Rank>(i % kParties.size());
    // From the first moment to the end of a run on this machine.
    const milliseconds after(i == 0 ? 0 : random() % static_cast<uint64_t>(whole.time.count() + 1));
    const auto [ends, took] = kill_one(killed, after, GetParam());
    for (net::Rank rank = 0; rank < kParties.size(); ++rank) {
      EXPECT_TRUE(rank == killed || ends[rank] == "right" || ends[rank] == kParties[killed])
          << kParties[killed] << " killed after " << after.count() << " ms, " << kParties[rank]
          << ": " << ends[rank];
      n_failed += ends[rank] == kParties[killed] ? 1 : 0;
    }
    // Before it has met the others they wait for it as long as the time to connect.
    EXPECT_LT(took, kTimes.connect + milliseconds(5000));
    longest = std::max(longest, took);
  }
  fmt::print("{} parties named one that was killed, at most {} ms before\n", n_failed,
             longest.count());
  EXPECT_GE(n_failed, 1U);  // otherwise all were killed after they had ended
}

INSTANTIATE_TEST_SUITE_P(All, LinkFaults, testing::Values(ProtocolKind::Aby3, ProtocolKind::Semi2k),
                         [](const auto& test) {
                           return test.param == ProtocolKind::Aby3 ? "Aby3" : "Semi2kWithADealer";
                         });

}  // namespace
}  // namespace tacet::mpc
