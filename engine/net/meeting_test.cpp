/// Who is blamed by whom when a meeting fails, and what callers that are no parties can do to one.

#include "engine/net/meeting.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "engine/net/loopback.h"

namespace tacet::net {
namespace {

using std::chrono::milliseconds;
using Plans = std::vector<MeetingPlan>;

const std::vector<std::string> kNames = {"alice", "bob", "carol"};

auto address_of(uint16_t port) -> sockaddr_in {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A connection to the port, from the address 127.0.0.`from`.
auto connect_to(uint16_t port, uint32_t from = 1) -> int {
  const int caller = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in source = address_of(0);
  source.sin_addr.s_addr = htonl(0x7F000000U | from);
  EXPECT_EQ(::bind(caller, reinterpret_cast<sockaddr*>(&source), sizeof(source)), 0);
  sockaddr_in address = address_of(port);
  EXPECT_EQ(::connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return caller;
}

/// In milliseconds: more than anything takes, however busy the machine is.
constexpr int kPollTime = 60'000;

/// Connections that are closed at the end.
class Callers {
 public:
  Callers() = default;
  Callers(const Callers&) = delete;
  auto operator=(const Callers&) -> Callers& = delete;
  ~Callers() {
    for (const int caller : callers_) {
      ::close(caller);
    }
  }
  /// Waits until the other side has ended so many of them.
  void wait_until_ended(size_t n) {
    size_t n_ended = 0;
    for (std::vector<int> left = callers_; n_ended < n;) {
      std::vector<pollfd> polled;
      for (const int caller : left) {
        polled.push_back({caller, POLLIN, 0});
      }
      ASSERT_GT(::poll(polled.data(), polled.size(), kPollTime), 0) << n_ended << " have ended";
      left.clear();
      for (const pollfd& one : polled) {
        if (one.revents == 0) {
          left.push_back(one.fd);
        } else {
          ++n_ended;
        }
      }
    }
  }
  /// `n` that say `opening`, and nothing more.
  void call(uint16_t port, size_t n, std::string_view opening, uint32_t from = 1) {
    for (size_t i = 0; i < n; ++i) {
      callers_.push_back(connect_to(port, from));
      (void)!::send(callers_.back(), opening.data(), opening.size(), MSG_NOSIGNAL);
    }
  }

 private:
  std::vector<int> callers_;
};

auto plans_of(const std::vector<std::string>& names) -> Plans {
  Result<Plans> plans = plan_loopback_run(names, Encryption::Tls);
  EXPECT_TRUE(plans) << plans.error().message;
  for (MeetingPlan& plan : *plans) {
    plan.times.connect = milliseconds(8000);
  }
  return std::move(*plans);
}

/// What each party ends with, by rank: empty, or `name: reason`. One whose plan has no name for
/// itself stays away. The last one comes when it may, if that is given.
auto verdicts(Plans plans, std::future<void> last_may_come = {}) -> std::vector<std::string> {
  std::vector<std::string> verdicts(plans.size());
  std::vector<std::jthread> threads;
  for (MeetingPlan& plan : plans) {
    if (plan.parties.empty()) {
      ::close(plan.listening_socket);
      continue;
    }
    threads.emplace_back([&] {
      const std::vector<PartyAddress> parties = plan.parties;
      const Rank rank = plan.rank;
      if (last_may_come.valid() && rank + 1 == parties.size()) {
        last_may_come.wait();
      }
      Meeting meeting = meet(std::move(plan));
      const LinkStatus failure = meeting.links ? meeting.links->finish() : meeting.failure;
      verdicts[rank] = failure ? parties[failure->party].name + ": " + failure->reason : "";
    });
  }
  threads.clear();
  return verdicts;
}

struct Case {
  std::string name;
  std::function<void(Plans&)> change;
  std::vector<std::string> verdicts;
};

void replace_certificate(Plans& plans, Rank rank, const Credentials& credentials) {
  plans[rank].credentials = credentials;
  for (MeetingPlan& plan : plans) {
    plan.parties[rank].certificate = credentials.certificate;
  }
}

void stay_away(Plans& plans, Rank rank) {
  for (MeetingPlan& plan : plans) {
    plan.times.connect = milliseconds(2000);
  }
  plans[rank].parties.clear();
}

/// What all know of who calls a party. Nobody knows the address of one that only calls.
void dial(Plans& plans, Rank rank, Dialling dialling) {
  for (MeetingPlan& plan : plans) {
    PartyAddress& party = plan.parties[rank];
    party.dialling = dialling;
    if (dialling == Dialling::Out) {
      party.host.clear();
      party.port = 0;
    }
  }
}

auto same(const std::string& verdict) -> std::vector<std::string> {
  return {verdict, verdict, verdict};
}

const std::string kWithoutProof =
    "cannot use its private key (reported from its address without authentication)";
const std::string kWrongKey = "the private key does not match the certificate";

auto cases() -> std::vector<Case> {
  std::vector<Case> all = {{"NobodyIsWrong", [](Plans&) {}, same("")}};
  for (Rank rank = 0; rank < 3; ++rank) {
    const std::string name = kNames[rank];
    const auto add = [&](const std::string& what, std::function<void(Plans&)> change,
                         std::vector<std::string> verdicts) {
      all.push_back({what + name, std::move(change), std::move(verdicts)});
    };
    add(
        "BadInputOf", [=](Plans& plans) { plans[rank].failure = "cannot read its inputs"; },
        same(name + ": cannot read its inputs"));
    std::vector<std::string> without_key = same(name + ": " + kWithoutProof);
    without_key[rank] = name + ": " + kWrongKey;
    add(
        "BadKeyOf",
        [=](Plans& plans) {
          plans[rank].credentials.private_key = make_credentials(name, 1)->private_key;
        },
        without_key);
    add(
        "BadKeyAndInputOf",
        [=](Plans& plans) {
          plans[rank].credentials.private_key = "";
          plans[rank].failure = "cannot run its program";
        },
        [&] {
          without_key[rank] = name + ": cannot read the private key";
          return without_key;
        }());
    add(
        "AnotherProgramOf",
        [=](Plans& plans) {
          for (MeetingPlan& plan : plans) {
            plan.agreement = {{"program", plan.rank == rank ? "0f1e" : "aa00"}};
          }
        },
        [&] {
          std::vector<std::string> verdicts =
              same(name + ": has a different program: 0f1e; this party has aa00");
          verdicts[rank] = name + ": has a different program: 0f1e; the others have aa00";
          return verdicts;
        }());
    std::vector<std::string> absent = same(name + ": did not connect within 2 s");
    absent[rank] = "";
    add(
        "AbsenceOf", [=](Plans& plans) { stay_away(plans, rank); }, absent);
    add(
        "DialsOut", [=](Plans& plans) { dial(plans, rank, Dialling::Out); }, same(""));
    add(
        "IsDialled", [=](Plans& plans) { dial(plans, rank, Dialling::In); }, same(""));
    const Rank next = (rank + 1) % 3;
    add(
        "DialsOneThatIsDialled",
        [=](Plans& plans) {
          dial(plans, rank, Dialling::Out);
          dial(plans, next, Dialling::In);
        },
        same(""));
    add(
        "BadInputBehindFirewallOf",
        [=](Plans& plans) {
          dial(plans, rank, Dialling::Out);
          plans[rank].failure = "cannot read its inputs";
        },
        same(name + ": cannot read its inputs"));
    add(
        "AbsenceBehindFirewallOf",
        [=](Plans& plans) {
          dial(plans, rank, Dialling::Out);
          stay_away(plans, rank);
        },
        absent);
  }
  all.push_back({"AbsenceOfTwo",
                 [](Plans& plans) {
                   stay_away(plans, 1);
                   stay_away(plans, 2);
                 },
                 {"bob: did not connect within 2 s, nor did carol", "", ""}});
  return all;
}

class Blame : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, Blame, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Blame, IsOfTheOneThatIsWrong) {
  Plans plans = plans_of(kNames);
  GetParam().change(plans);
  const std::vector<std::string> found = verdicts(std::move(plans));
  for (Rank rank = 0; rank < 3; ++rank) {
    // Why nobody came behind a time that ran out is the system's word.
    const std::string& verdict = GetParam().verdicts[rank];
    const bool has_reason = verdict.find(';') == std::string::npos;
    const std::string shown =
        found[rank].substr(0, has_reason ? found[rank].find(';') : std::string::npos);
    EXPECT_EQ(shown, verdict) << "of " << kNames[rank];
  }
}

TEST(Dialling, NeedsOneOfTwoThatCanBeCalled) {
  std::vector<PartyAddress> parties(3);
  EXPECT_FALSE(unconnectable(parties));
  parties[1].dialling = Dialling::Out;
  EXPECT_FALSE(unconnectable(parties));
  EXPECT_TRUE(calls(parties, 1, 0) && calls(parties, 1, 2) && calls(parties, 2, 0));
  EXPECT_FALSE(calls(parties, 2, 1) || calls(parties, 0, 1) || calls(parties, 0, 2));
  parties[2].dialling = Dialling::Out;
  EXPECT_EQ(unconnectable(parties), std::pair(Rank{1}, Rank{2}));
  parties[1].dialling = Dialling::In;
  EXPECT_FALSE(unconnectable(parties));
  parties[0].dialling = Dialling::In;
  EXPECT_EQ(unconnectable(parties), std::pair(Rank{0}, Rank{1}));
}

TEST(Blame, IsOfTheOneWhoseCertificateExpired) {
  for (Rank rank = 0; rank < 3; ++rank) {
    Plans plans = plans_of(kNames);
    replace_certificate(plans, rank, make_credentials(kNames[rank], -1).value());
    for (const std::string& verdict : verdicts(std::move(plans))) {
      EXPECT_TRUE(verdict.starts_with(kNames[rank] + ": has a certificate that expired on 2"))
          << verdict;
    }
  }
}

/// The others ended before they waited for anybody who is not there.
TEST(Blame, IsReportedAtOnce) {
  Plans plans = plans_of(kNames);
  for (MeetingPlan& plan : plans) {
    plan.times.connect = milliseconds(60'000);
  }
  plans[2].failure = "cannot read its inputs";
  ::close(plans[1].listening_socket);
  const auto begin = std::chrono::steady_clock::now();
  plans[1].parties.clear();
  plans[1].listening_socket = -1;
  EXPECT_EQ(verdicts(std::move(plans))[0], "carol: cannot read its inputs");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(10'000));
}

TEST(Blame, IsOfThePortThatIsTaken) {
  Plans plans = plans_of(kNames);
  ::close(std::exchange(plans[1].listening_socket, -1));
  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = address_of(plans[0].parties[1].port);
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(taken, 5), 0);
  for (const std::string& verdict : verdicts(std::move(plans))) {
    EXPECT_TRUE(verdict.starts_with("bob: cannot listen on 127.0.0.1:")) << verdict;
  }
  ::close(taken);
}

/// A second process with the same key is the one that goes.
TEST(Blame, IsOfTheSecondProcessOfAParty) {
  Plans plans = plans_of(kNames);
  for (MeetingPlan& plan : plans) {
    plan.times.connect = milliseconds(60'000);
  }
  MeetingPlan second = plans[1];
  second.listening_socket = -1;
  second.parties[1].port = 0;  // where nobody calls it
  std::promise<void> first_is_there;
  std::promise<void> second_has_left;
  plans[0].on_arrival = [&](Rank rank) {
    if (rank == 1) {
      first_is_there.set_value();
    }
  };
  plans[2].failure = "cannot read its inputs";  // until then the others wait for it
  std::vector<std::string> found;
  std::jthread others([&] { found = verdicts(std::move(plans), second_has_left.get_future()); });
  first_is_there.get_future().wait();
  Meeting meeting = meet(std::move(second));
  second_has_left.set_value();
  others.join();
  ASSERT_FALSE(meeting.links);
  EXPECT_EQ(meeting.failure->party, 1U);
  EXPECT_EQ(meeting.failure->reason, "is already connected; two processes claim to be this party");
  EXPECT_EQ(found, same("carol: cannot read its inputs"));
}

/// An unproven notice counts from the address of the party alone.
TEST(Blame, IsNotForAnybodyToGive) {
  Plans plans = plans_of({"alice", "bob"});
  const uint16_t port = plans[0].parties[0].port;
  Callers liars;
  liars.call(port, 1, std::string_view("tacetbad\1\0\0\0", 12), 7);
  std::vector<std::string> found;
  std::jthread alice([&] {
    Plans alone = plans;
    alone[1].parties.clear();
    alone[1].listening_socket = -1;
    for (MeetingPlan& plan : alone) {
      plan.times.connect = milliseconds(2500);
    }
    found = verdicts(std::move(alone));
  });
  alice.join();
  ::close(plans[1].listening_socket);
  EXPECT_TRUE(found[0].starts_with("bob: did not connect within 2500 ms")) << found[0];
}

/// Stands between a caller and a port: the first bytes of the caller are forwarded, and when they
/// are answered, `between` runs.
class Relay {
 public:
  enum class Then : uint8_t { Continues, HangsUp };

  Relay(uint16_t to, std::function<Then(int n_call)> between)
      : to_(to), between_(std::move(between)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = address_of(0);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_, generic, size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  Relay(const Relay&) = delete;
  auto operator=(const Relay&) -> Relay& = delete;
  ~Relay() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] auto port() const -> uint16_t { return port_; }
  [[nodiscard]] auto n_calls() const -> int { return n_calls_; }

 private:
  void serve() {
    for (int caller = 0; (caller = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      const int callee = connect_to(to_);
      std::vector<char> bytes(1 << 16);
      const ssize_t n = ::recv(caller, bytes.data(), bytes.size(), 0);
      (void)!::send(callee, bytes.data(), static_cast<size_t>(n), MSG_NOSIGNAL);
      pollfd answer{callee, POLLIN, 0};
      EXPECT_EQ(::poll(&answer, 1, kPollTime), 1);
      if (between_(++n_calls_) == Then::Continues) {
        pump(caller, callee);
      }
      ::close(caller);
      ::close(callee);
    }
  }
  static void pump(int a, int b) {
    std::vector<char> bytes(1 << 16);
    pollfd polled[] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    while (::poll(polled, 2, -1) > 0) {
      for (int i = 0; i < 2; ++i) {
        if (polled[i].revents == 0) {
          continue;
        }
        const ssize_t n = ::recv(polled[i].fd, bytes.data(), bytes.size(), 0);
        if (n <= 0) {
          return;
        }
        (void)!::send(polled[1 - i].fd, bytes.data(), static_cast<size_t>(n), MSG_NOSIGNAL);
      }
    }
  }

  uint16_t to_;
  uint16_t port_ = 0;
  std::function<Then(int)> between_;
  std::atomic<int> n_calls_ = 0;
  int listener_ = -1;
  std::jthread thread_;
};

/// However many come and say nothing while a party is in the middle of its handshake.
TEST(Meeting, AFloodDoesNotDriveAPartyOutOfItsHandshake) {
  Plans plans = plans_of({"alice", "bob"});
  const uint16_t port = plans[0].parties[0].port;
  Callers flood;
  Relay relay(port, [&](int /*n_call*/) {
    constexpr size_t kFlood = 100;
    constexpr size_t kPlaces = 64;  // of one address
    flood.call(port, kFlood, "");
    flood.wait_until_ended(kFlood - kPlaces);
    return Relay::Then::Continues;
  });
  plans[1].parties[0].port = relay.port();
  EXPECT_EQ(verdicts(std::move(plans)), std::vector<std::string>(2));
  EXPECT_EQ(relay.n_calls(), 1);
}

TEST(Meeting, AConnectionThatEndsTooEarlyIsMadeAgain) {
  Plans plans = plans_of({"alice", "bob"});
  Relay relay(plans[0].parties[0].port, [&](int n_call) {
    return n_call < 4 ? Relay::Then::HangsUp : Relay::Then::Continues;
  });
  plans[1].parties[0].port = relay.port();
  EXPECT_EQ(verdicts(std::move(plans)), std::vector<std::string>(2));
  EXPECT_EQ(relay.n_calls(), 4);
}

/// One address that begins handshakes and ends none keeps no other address out.
TEST(Meeting, OneAddressDoesNotTakeThePlacesOfOthers) {
  Plans plans = plans_of({"alice", "bob"});
  Callers flood;
  for (const uint32_t from : {2U, 3U, 4U}) {
    flood.call(plans[0].parties[0].port, 100, "\x16", from);
  }
  for (MeetingPlan& plan : plans) {
    plan.times.connect = milliseconds(3000);
  }
  EXPECT_EQ(verdicts(std::move(plans)), std::vector<std::string>(2));
}

/// Nor for ever the party at the same address.
TEST(Meeting, HandshakesThatDoNotGoOnMakeRoom) {
  Plans plans = plans_of({"alice", "bob"});
  Callers flood;
  flood.call(plans[0].parties[0].port, 80, "\x16");
  for (MeetingPlan& plan : plans) {
    plan.times.connect = milliseconds(15'000);
  }
  EXPECT_EQ(verdicts(std::move(plans)), std::vector<std::string>(2));
}

TEST(Times, AreNoneAboveHalfAMinute) {
  const TimeLimits times;
  for (const milliseconds time : {times.connect, times.silence, times.patience}) {
    EXPECT_LE(time, milliseconds(30'000));
  }
}

}  // namespace
}  // namespace tacet::net
