/// Real processes, one a party, and what becomes of the others when one of them goes.

#include "engine/net/child_parties.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/net/loopback.h"

namespace tacet::net {
namespace {

const std::vector<std::string> kNames = {"alice", "bob", "carol"};

auto run(std::vector<std::string> work, const TimeLimits& times = {},
         Encryption encryption = Encryption::Tls) -> ChildOutcome {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run(kNames, encryption);
  EXPECT_TRUE(plans) << plans.error().message;
  for (MeetingPlan& plan : *plans) {
    plan.agreement = {{"program", "a test"}};
    plan.times = times;
  }
  ChildOutcome outcome =
      run_child_parties({{TACET_CHILD_PARTY}, std::move(*plans), std::move(work)});
  // None is left, not even to be reaped.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  return outcome;
}

auto failure_of(const ChildOutcome& outcome) -> std::string {
  EXPECT_TRUE(outcome.results.empty());
  return outcome.failure ? kNames.at(outcome.failure->party) + ": " + outcome.failure->reason : "";
}

TEST(ChildParties, GetTheirWorkAndReport) {
  for (Encryption encryption : {Encryption::Tls, Encryption::None}) {
    ChildOutcome outcome = run({"1", "20", "300"}, {}, encryption);
    ASSERT_FALSE(outcome.failure) << outcome.failure->reason;
    EXPECT_EQ(outcome.results, std::vector<std::string>(3, "16050"));
  }
}

TEST(ChildParties, GetMuchWork) {
  std::string much = "measures " + std::string(size_t{5} << 20, 'x');
  ChildOutcome outcome = run({much, much + "y", "measures"});
  ASSERT_FALSE(outcome.failure) << outcome.failure->reason;
  EXPECT_EQ(outcome.results, (std::vector<std::string>{"5242889", "5242890", "8"}));
}

TEST(ChildParties, OneThatIsKilledIsNamed) {
  EXPECT_EQ(failure_of(run({"1", "killed", "3"})),
            "bob: its process was killed by signal 9 (Killed)");
}

TEST(ChildParties, OneThatExitsIsNamed) {
  EXPECT_EQ(failure_of(run({"1", "2", "exits"})),
            "carol: its process exited with code 7 without a report");
}

TEST(ChildParties, OneThatFailsIsNamedWithItsReason) {
  EXPECT_EQ(failure_of(run({"fails", "2", "3"})), "alice: cannot read its input");
}

TEST(ChildParties, OneThatHangsIsNamedAndKilled) {
  EXPECT_EQ(failure_of(run({"1", "hangs", "3"}, {.patience = std::chrono::milliseconds(400)})),
            "bob: sent no data for 400 ms");
}

TEST(ChildParties, OneThatGivesNoSignOfLifeIsNamedAndKilled) {
  EXPECT_EQ(failure_of(run({"1", "2", "stops"}, {.silence = std::chrono::milliseconds(600)})),
            "carol: was silent for 600 ms");
}

/// Reaped, or a zombie.
auto is_dead(const std::string& process) -> bool {
  std::ifstream stat("/proc/" + process + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return !(stat >> number >> name >> state) || state == "Z";
}

TEST(ChildParties, NoneOutlivesItsParent) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tacet_child_parties_{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::vector<std::string> notes;
  std::vector<std::string> work;
  for (const std::string& name : kNames) {
    notes.push_back((folder / name).string());
    work.push_back("notes " + notes.back());
  }
  pid_t parent = ::fork();
  if (parent == 0) {
    (void)run(work);
    ::_exit(0);
  }
  for (const std::string& note : notes) {
    std::string process;
    while (!std::getline(std::ifstream(note), process)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_FALSE(is_dead(process));
  }
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (const std::string& note : notes) {
    std::string process;
    std::getline(std::ifstream(note), process);
    while (!is_dead(process)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  std::filesystem::remove_all(folder);
}

auto start_echoes() -> std::unique_ptr<PartyHost> {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run(kNames, Encryption::Tls);
  EXPECT_TRUE(plans) << plans.error().message;
  auto started =
      start_child_parties({{TACET_CHILD_PARTY}, std::move(*plans), {"echoes", "echoes", "echoes"}});
  EXPECT_EQ(started.index(), 0U);
  return std::move(std::get<0>(started));
}

void send_order_to_all(PartyHost& host, const std::string& message) {
  for (Rank party = 0; party < host.n_parties(); ++party) {
    host.send_order(party, message);
  }
}

TEST(ChildParties, AreTalkedTo) {
  const std::unique_ptr<PartyHost> host = start_echoes();
  const std::string much(size_t{3} << 20, 'x');
  for (const std::string& message : {std::string("one"), much, std::string()}) {
    send_order_to_all(*host, message);
    for (Rank party = 0; party < host->n_parties(); ++party) {
      for (const std::string& expected : {message, std::to_string(3 * message.size())}) {
        const auto heard = host->hear(party);
        ASSERT_EQ(heard.index(), 0U) << std::get<1>(heard).reason;
        EXPECT_EQ(std::get<0>(heard), expected);
      }
    }
  }
  const PartiesOutcome outcome = host->end();
  ASSERT_FALSE(outcome.failure) << outcome.failure->reason;
  EXPECT_EQ(outcome.results, std::vector<std::string>(3, "9 9437184 0 "));
}

TEST(ChildParties, OneThatFailsIsNamedToListenersOfOthers) {
  for (const auto& [message, reason] :
       {std::pair("fails", "as asked"),
        {"killed", "its process was killed by signal 9 (Killed)"}}) {
    const std::unique_ptr<PartyHost> host = start_echoes();
    host->send_order(0, "one");
    host->send_order(1, message);
    host->send_order(2, "one");
    const auto heard = host->hear(0);
    ASSERT_EQ(heard.index(), 1U);
    EXPECT_EQ(std::get<1>(heard).party, 1U);
    EXPECT_EQ(std::get<1>(heard).reason, reason);
  }
}

TEST(ChildParties, EndWithTheirPeer) {
  static_cast<void>(start_echoes());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildParties, AProgramThatIsNotThereIsAnError) {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run(kNames, Encryption::None);
  ASSERT_TRUE(plans);
  ChildOutcome outcome =
      run_child_parties({{"/nowhere/party"}, std::move(*plans), {"1", "2", "3"}});
  EXPECT_EQ(failure_of(outcome), "alice: cannot start `/nowhere/party`: No such file or directory");
}

}  // namespace
}  // namespace tacet::net
