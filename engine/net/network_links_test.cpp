#include "engine/net/network_links.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <numeric>
#include <thread>

#include "engine/net/loopback.h"

namespace tacet::net {
namespace {

using std::chrono::milliseconds;
using Errors = std::vector<std::string>;

/// What each of three parties ended with, by rank: empty, or `name: reason`.
auto errors_of(
    Encryption encryption, const std::function<LinkStatus(Links&)>& body,
    const std::function<void(MeetingPlan&)>& change = [](MeetingPlan&) {}) -> Errors {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run({"alice", "bob", "carol"}, encryption);
  EXPECT_TRUE(plans) << plans.error().message;
  Errors errors(plans->size());
  std::vector<std::jthread> threads;
  for (MeetingPlan& plan : *plans) {
    threads.emplace_back([&, own = plan]() mutable {
      change(own);
      std::vector<std::string> names = {"alice", "bob", "carol"};
      Meeting meeting = meet(own);
      LinkStatus status = meeting.links ? body(*meeting.links) : meeting.failure;
      errors[own.rank] = status ? names[status->party] + ": " + status->reason : "";
    });
  }
  threads.clear();
  return errors;
}

auto words_from(uint64_t begin, size_t n) -> std::vector<uint64_t> {
  std::vector<uint64_t> words(n);
  std::iota(words.begin(), words.end(), begin);
  return words;
}

void send_words(Links& links, Rank to, const std::vector<uint64_t>& words) {
  links.send(to, std::as_bytes(std::span(words)));
}

class NetworkLinks : public testing::TestWithParam<Encryption> {};

INSTANTIATE_TEST_SUITE_P(Kinds, NetworkLinks, testing::Values(Encryption::None, Encryption::Tls),
                         [](const auto& kind) {
                           return kind.param == Encryption::Tls ? "Tls" : "Plain";
                         });

TEST_P(NetworkLinks, CarryWhatIsSentInOrder) {
  Errors errors = errors_of(GetParam(), [](Links& links) -> LinkStatus {
    for (size_t round = 0; round < 60; ++round) {
      size_t n = round % 20 == 0 ? 50'000 * round / 20 : round;
      for (Rank to = 0; to < 3; ++to) {
        if (to != links.rank()) {
          send_words(links, to, words_from(1000 * links.rank() + to, n));
        }
      }
      if (LinkStatus failure = links.flush()) {
        return failure;
      }
      for (Rank from = 0; from < 3; ++from) {
        if (from != links.rank()) {
          std::vector<uint64_t> words(n);
          if (LinkStatus failure = links.receive(from, std::as_writable_bytes(std::span(words)))) {
            return failure;
          }
          EXPECT_EQ(words, words_from(1000 * from + links.rank(), n));
        }
      }
    }
    return links.finish();
  });
  EXPECT_EQ(errors, Errors(3));
}

TEST_P(NetworkLinks, CountBytesAndMessages) {
  Errors errors = errors_of(GetParam(), [](Links& links) -> LinkStatus {
    Rank next = (links.rank() + 1) % 3;
    Rank previous = (links.rank() + 2) % 3;
    std::vector<std::byte> bytes(kMaxFramePayload + 100);
    links.send(next, bytes);
    LinkStatus failure = links.flush();
    failure = failure ? failure : links.receive(previous, bytes);
    failure = failure ? failure : links.finish();
    EXPECT_EQ(links.counters(next).bytes_sent, bytes.size());
    EXPECT_EQ(links.counters(next).messages_sent, 2U);
    EXPECT_EQ(links.counters(next).bytes_received, 0U);
    EXPECT_EQ(links.counters(previous).bytes_received, bytes.size());
    EXPECT_EQ(links.counters(previous).messages_received, 2U);
    return failure;
  });
  EXPECT_EQ(errors, Errors(3));
}

/// All send far more than buffers and sockets hold before any of them reads.
TEST_P(NetworkLinks, PartiesThatAllSendAtOnceDoNotWaitForEachOther) {
  auto body = [](Links& links) -> LinkStatus {
    std::vector<uint64_t> words = words_from(links.rank(), size_t{2} << 20);
    for (Rank to = 0; to < 3; ++to) {
      for (size_t at = 0; at < words.size() && to != links.rank(); at += 1 << 14) {
        links.send(to, std::as_bytes(std::span(words).subspan(at, 1 << 14)));
      }
    }
    if (LinkStatus failure = links.flush()) {
      return failure;
    }
    for (Rank from = 0; from < 3; ++from) {
      if (from != links.rank()) {
        std::vector<uint64_t> got(words.size());
        if (LinkStatus failure = links.receive(from, std::as_writable_bytes(std::span(got)))) {
          return failure;
        }
        EXPECT_TRUE(got == words_from(from, got.size())) << "from " << from;
      }
    }
    return links.finish();
  };
  Errors errors = errors_of(GetParam(), body, [](MeetingPlan& plan) {
    plan.buffers = {.unsent = size_t{1} << 20, .unread = size_t{1} << 20};
  });
  EXPECT_EQ(errors, Errors(3));
}

/// One sends more than the other's buffer and the sockets hold while the other does not read: it
/// waits, and continues when the other reads.
TEST_P(NetworkLinks, ASlowReaderHoldsUpTheSender) {
  constexpr size_t kBuffer = size_t{1} << 20;
  constexpr size_t kPieces = 512;
  constexpr size_t kPieceWords = size_t{1} << 14;
  constexpr size_t kPiecesOfBuffer = kBuffer / (kPieceWords * sizeof(uint64_t));
  std::atomic<size_t> n_sent = 0;
  auto body = [&](Links& links) -> LinkStatus {
    for (size_t piece = 0; links.rank() == 1 && piece < kPieces; ++piece) {
      send_words(links, 0, words_from(piece, kPieceWords));
      ++n_sent;
      n_sent.notify_all();
    }
    if (links.rank() == 0) {
      for (size_t n = n_sent; n < kPiecesOfBuffer; n = n_sent) {
        n_sent.wait(n);
      }
      for (size_t piece = 0; piece < kPieces; ++piece) {
        EXPECT_TRUE(piece > 0 || n_sent < kPieces);
        std::vector<uint64_t> words(kPieceWords);
        if (LinkStatus failure = links.receive(1, std::as_writable_bytes(std::span(words)))) {
          return failure;
        }
        EXPECT_TRUE(words == words_from(piece, kPieceWords));
      }
    }
    return links.finish();
  };
  Errors errors = errors_of(GetParam(), body, [](MeetingPlan& plan) {
    plan.buffers = {.unsent = kBuffer, .unread = kBuffer};
  });
  EXPECT_EQ(errors, Errors(3));
}

TEST_P(NetworkLinks, APartyThatAbortsIsNamedToAll) {
  Errors errors = errors_of(GetParam(), [](Links& links) -> LinkStatus {
    if (links.rank() == 2) {
      links.abort("the input is missing");
      return links.flush();
    }
    std::array<std::byte, 1> byte{};
    return links.receive(1 - links.rank(), byte);
  });
  EXPECT_EQ(errors, Errors(3, "carol: the input is missing"));
}

TEST_P(NetworkLinks, APartyThatLeavesIsNamedToAll) {
  Errors errors = errors_of(GetParam(), [](Links& links) -> LinkStatus {
    return links.rank() == 1 ? std::nullopt : links.finish();
  });
  EXPECT_EQ(errors,
            (Errors{"bob: left before the run ended", "", "bob: left before the run ended"}));
}

TEST_P(NetworkLinks, APartyThatFinishedSendsNoMore) {
  Errors errors = errors_of(GetParam(), [](Links& links) -> LinkStatus {
    std::array<std::byte, 1> byte{};
    return links.rank() == 0 ? links.receive(1, byte) : links.finish();
  });
  EXPECT_EQ(errors, Errors(3, "bob: finished although more data was expected from it"));
}

TEST_P(NetworkLinks, APartyThatComputesForeverIsNamedToAll) {
  auto body = [](Links& links) -> LinkStatus {
    std::array<std::byte, 1> byte{};
    return links.receive((links.rank() + 1) % 3, byte);
  };
  Errors errors = errors_of(GetParam(), body, [](MeetingPlan& plan) {
    plan.times.silence = milliseconds(1000);  // signs of life keep it from mattering
    plan.times.patience = plan.rank == 0 ? milliseconds(2500) : milliseconds(60'000);
  });
  EXPECT_EQ(errors, Errors(3, "bob: sent no data for 2500 ms"));
}

/// `alice` waits for `bob`, who waits for `carol`: she is the one, though all are as patient.
TEST_P(NetworkLinks, WhomAllWaitForIsNamed) {
  std::atomic<int> n_ended = 0;
  auto body = [&](Links& links) -> LinkStatus {
    std::array<std::byte, 1> byte{};
    for (int n = n_ended; links.rank() == 2 && n < 2; n = n_ended) {
      n_ended.wait(n);
    }
    LinkStatus status = links.receive((links.rank() + 1) % 3, byte);
    ++n_ended;
    n_ended.notify_all();
    return status;
  };
  Errors errors = errors_of(GetParam(), body, [](MeetingPlan& plan) {
    plan.times.silence = milliseconds(2000);
    plan.times.patience = milliseconds(2000);
  });
  EXPECT_EQ(errors, Errors(3, "carol: sent no data for 2 s"));
}

TEST(Meeting, AnotherProgramIsReportedByName) {
  Errors errors = errors_of(
      Encryption::Tls, [](Links& links) { return links.finish(); },
      [](MeetingPlan& plan) {
        plan.agreement = {{"protocol", "aby3"}, {"program", plan.rank == 1 ? "0f1e" : "aa00"}};
      });
  EXPECT_EQ(errors, (Errors{"bob: has a different program: 0f1e; this party has aa00",
                            "bob: has a different program: 0f1e; the others have aa00",
                            "bob: has a different program: 0f1e; this party has aa00"}));
}

TEST(Meeting, ACertificateThatIsNotConfiguredIsTurnedAway) {
  // `carol` has new credentials, of which the others know nothing.
  Errors errors = errors_of(
      Encryption::Tls, [](Links& links) { return links.finish(); },
      [](MeetingPlan& plan) {
        plan.times.connect = milliseconds(3000);
        if (plan.rank == 2) {
          plan.credentials = make_credentials("carol", 1).value();
        }
      });
  EXPECT_EQ(errors[0],
            "carol: did not connect within 3 s; a connection from 127.0.0.1 was rejected: "
            "presented a certificate that is not in the configuration");
  EXPECT_EQ(errors[2].substr(errors[2].find(':')), ": rejected this party's certificate");
}

TEST(Meeting, AnAnswerWithAnotherCertificateIsAnError) {
  Errors errors = errors_of(
      Encryption::Tls, [](Links& links) { return links.finish(); },
      [](MeetingPlan& plan) {
        plan.times.connect = milliseconds(3000);
        if (plan.rank == 0) {
          plan.credentials = make_credentials("alice", 1).value();
        }
      });
  EXPECT_EQ(errors[1], "alice: presented a certificate that is not in the configuration");
  EXPECT_NE(errors[0], "");
}

TEST(Meeting, OneKnownPartyDoesNotPassForAnother) {
  // `bob` shows the certificate of `carol`.
  Result<std::vector<MeetingPlan>> plans =
      plan_loopback_run({"alice", "bob", "carol"}, Encryption::Tls);
  ASSERT_TRUE(plans);
  MeetingPlan& alice = (*plans)[0];
  MeetingPlan bob = (*plans)[1];
  MeetingPlan carol = (*plans)[2];
  bob.credentials = carol.credentials;
  alice.times.connect = bob.times.connect = milliseconds(10'000);
  std::optional<std::string> reason_of_alice;
  std::jthread other([&] { (void)meet(bob); });
  Meeting meeting = meet(alice);
  ASSERT_FALSE(meeting.links);
  // The certificate says `carol`, the greeting says party 1.
  EXPECT_EQ(meeting.failure->party, 2U);
  EXPECT_EQ(meeting.failure->reason, "claims to be party 1");
  ::close(carol.listening_socket);
}

TEST(Meeting, CallersThatSayNothingKeepNobodyOut) {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run({"alice", "bob"}, Encryption::Tls);
  ASSERT_TRUE(plans);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((*plans)[0].parties[0].port);
  std::vector<int> silent(100);
  for (int& caller : silent) {
    caller = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  LinkStatus of_bob;
  std::jthread bob([&] {
    Meeting meeting = meet((*plans)[1]);
    of_bob = meeting.links ? meeting.links->finish() : meeting.failure;
  });
  Meeting meeting = meet((*plans)[0]);
  ASSERT_TRUE(meeting.links);
  EXPECT_FALSE(meeting.links->finish());
  bob.join();
  EXPECT_FALSE(of_bob);
  for (int caller : silent) {
    ::close(caller);
  }
}

TEST(Meeting, WhoStaysAwayIsNamed) {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run({"alice", "bob"}, Encryption::Tls);
  ASSERT_TRUE(plans);
  ::close((*plans)[0].listening_socket);
  (*plans)[1].times.connect = milliseconds(100);
  Meeting meeting = meet((*plans)[1]);
  ASSERT_FALSE(meeting.links);
  EXPECT_EQ(meeting.failure->party, 0U);
  EXPECT_EQ(meeting.failure->reason, "did not connect within 100 ms; Connection refused");
}

TEST(Meeting, LinksWithoutEncryptionStayOnTheMachine) {
  MeetingPlan plan;
  plan.rank = 0;
  plan.encryption = Encryption::None;
  plan.parties = {{"alice", "0.0.0.0", 0}, {"bob", "127.0.0.1", 1}};
  Meeting meeting = meet(plan);
  ASSERT_FALSE(meeting.links);
  EXPECT_EQ(meeting.failure->reason,
            "`0.0.0.0` is not on this machine, but the links are not encrypted");
}

TEST(Meeting, APartyMayBeAlone) {
  MeetingPlan plan;
  plan.encryption = Encryption::None;
  plan.parties = {{"alice", "127.0.0.1", 0}};
  Meeting meeting = meet(plan);
  ASSERT_TRUE(meeting.links);
  EXPECT_FALSE(meeting.links->finish());
}

TEST(Credentials, AreReadBackAndFitTogether) {
  Result<Credentials> first = make_credentials("alice", 10);
  Result<Credentials> second = make_credentials("alice", 10);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(fingerprint(first->certificate).value().size(), 64U);
  EXPECT_NE(fingerprint(first->certificate).value(), fingerprint(second->certificate).value());
  EXPECT_TRUE(TlsContext::make(*first, {first->certificate, second->certificate}));
  Result<TlsContext> mixed =
      TlsContext::make({first->private_key, second->certificate}, {first->certificate});
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().message, "the private key does not match the certificate");
  EXPECT_FALSE(TlsContext::make(*first, {"no certificate"}));
  EXPECT_FALSE(TlsContext::make({"no key", first->certificate}, {}));
  EXPECT_FALSE(fingerprint("no certificate"));
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace tacet::net
