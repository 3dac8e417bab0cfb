/// What a party does when another one does not keep to the protocol. The other one is a socket that
/// sends bytes of the test's choice.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "engine/net/little_endian.h"
#include "engine/net/loopback.h"

namespace tacet::net {
namespace {

using std::chrono::milliseconds;
using Bytes = std::vector<std::byte>;

auto frame(FrameKind kind, uint64_t sequence, std::string_view payload = "") -> Bytes {
  FrameHeader header = encode_frame_header(kind, payload.size(), sequence);
  Bytes bytes;
  for (std::span<const std::byte> part : {std::span<const std::byte>(header), bytes_of(payload)}) {
    std::copy(part.begin(), part.end(), std::back_inserter(bytes));
  }
  return bytes;
}

auto joined(std::initializer_list<Bytes> parts) -> Bytes {
  Bytes all;
  for (const Bytes& part : parts) {
    std::copy(part.begin(), part.end(), std::back_inserter(all));
  }
  return all;
}

auto hello(uint32_t version = kLinkVersion) -> Bytes {
  Greeting greeting{version, 1, 2, {{"list of parties", "alice, rogue"}}};
  return frame(FrameKind::Hello, 0, text_of(encode_greeting(greeting)));
}

enum class Then { Stays, Closes };

/// What `alice` says of a party that sends `bytes`, when she wants four bytes of it.
auto verdict_on(const Bytes& bytes, Then then = Then::Stays) -> std::string {
  Result<std::vector<MeetingPlan>> plans = plan_loopback_run({"alice", "rogue"}, Encryption::None);
  EXPECT_TRUE(plans);
  MeetingPlan plan = (*plans)[0];
  ::close((*plans)[1].listening_socket);
  plan.times = {
      .connect = milliseconds(400), .silence = milliseconds(400), .patience = milliseconds(10'000)};

  int rogue = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(plan.parties[0].port);
  EXPECT_EQ(::connect(rogue, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::send(rogue, bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  if (then == Then::Closes) {
    ::shutdown(rogue, SHUT_WR);
  }

  Meeting meeting = meet(plan);
  LinkStatus failure = meeting.failure;
  if (meeting.links) {
    std::array<std::byte, 4> wanted{};
    failure = meeting.links->receive(1, wanted);
    if (!failure) {
      failure = meeting.links->finish();
    }
    // Whatever comes later, the first failure stays.
    std::string first = failure ? failure->reason : "";
    LinkStatus again = meeting.links->flush();
    EXPECT_EQ(again ? again->reason : "", first);
  }
  ::shutdown(rogue, SHUT_WR);  // else it would be waited for, so that it can hear of the failure
  meeting.links.reset();
  ::close(rogue);
  return failure ? plan.parties[failure->party].name + ": " + failure->reason : "";
}

TEST(RoguePeer, MayKeepToTheProtocol) {
  EXPECT_EQ(verdict_on(joined({hello(), frame(FrameKind::Data, 1, "data"),
                               frame(FrameKind::Alive, 2), frame(FrameKind::Bye, 3)})),
            "");
}

TEST(RoguePeer, SendsRubbish) {
  Bytes rubbish(100, std::byte{0xA5});
  EXPECT_EQ(verdict_on(joined({hello(), rubbish})), "rogue: sent an invalid frame");
}

TEST(RoguePeer, AnnouncesMoreThanAFrameHolds) {
  FrameHeader header = encode_frame_header(FrameKind::Data, kMaxFramePayload + 1, 1);
  EXPECT_EQ(verdict_on(joined({hello(), Bytes(header.begin(), header.end())})),
            "rogue: sent a frame of 262145 bytes, an invalid size for its kind");
  header = encode_frame_header(FrameKind::Data, 0xFFFF'FFFF, 1);
  EXPECT_EQ(verdict_on(joined({hello(), Bytes(header.begin(), header.end())})),
            "rogue: sent a frame of 4294967295 bytes, an invalid size for its kind");
}

TEST(RoguePeer, SendsAnEmptyFrame) {
  EXPECT_EQ(verdict_on(joined({hello(), frame(FrameKind::Data, 1)})),
            "rogue: sent a frame of 0 bytes, an invalid size for its kind");
}

TEST(RoguePeer, RepeatsAFrame) {
  EXPECT_EQ(verdict_on(joined(
                {hello(), frame(FrameKind::Data, 1, "da"), frame(FrameKind::Data, 1, "da")})),
            "rogue: sent frame 1 instead of frame 2");
}

TEST(RoguePeer, LeavesAFrameOut) {
  EXPECT_EQ(verdict_on(joined({hello(), frame(FrameKind::Data, 2, "data")})),
            "rogue: sent frame 2 instead of frame 1");
}

TEST(RoguePeer, ChangesTheOrder) {
  EXPECT_EQ(verdict_on(joined(
                {hello(), frame(FrameKind::Data, 2, "ta"), frame(FrameKind::Data, 1, "da")})),
            "rogue: sent frame 2 instead of frame 1");
}

TEST(RoguePeer, BreaksOffInsideAFrame) {
  Bytes cut = frame(FrameKind::Data, 1, "data");
  cut.pop_back();
  EXPECT_EQ(verdict_on(joined({hello(), cut}), Then::Closes), "rogue: the connection was closed");
}

TEST(RoguePeer, KeepsTheRestOfAFrame) {
  Bytes cut = frame(FrameKind::Data, 1, "data");
  cut.pop_back();
  EXPECT_EQ(verdict_on(joined({hello(), cut})), "rogue: was silent for 400 ms");
}

TEST(RoguePeer, SendsAfterItsGoodbye) {
  EXPECT_EQ(
      verdict_on(joined({hello(), frame(FrameKind::Bye, 1), frame(FrameKind::Data, 2, "data")})),
      "rogue: sent data after its goodbye");
}

TEST(RoguePeer, SaysGoodbyeTooEarly) {
  EXPECT_EQ(
      verdict_on(joined({hello(), frame(FrameKind::Data, 1, "da"), frame(FrameKind::Bye, 2)})),
      "rogue: finished although more data was expected from it");
}

TEST(RoguePeer, GreetsTwice) {
  Bytes again = hello();
  store_little<uint64_t>(std::span(again).subspan(8), 1);
  EXPECT_EQ(verdict_on(joined({hello(), again})), "rogue: sent a second greeting");
}

TEST(RoguePeer, AbortsAndBlamesSomeone) {
  std::string blames_alice("\0\0\0\0bad \x1b[31minput", 16);
  EXPECT_EQ(verdict_on(joined({hello(), frame(FrameKind::Abort, 1, blames_alice)})),
            "alice: bad ?[31minp");
  std::string blames_nobody("\7\0\0\0bad", 7);
  EXPECT_EQ(verdict_on(joined({hello(), frame(FrameKind::Abort, 1, blames_nobody)})),
            "rogue: sent a malformed abort message");
}

TEST(RoguePeer, SpeaksAnotherVersion) {
  EXPECT_EQ(verdict_on(hello(kLinkVersion + 1)),
            "rogue: did not connect within 400 ms; a connection from 127.0.0.1 was rejected: uses "
            "version 3 of the link protocol; this party uses version 2");
}

TEST(RoguePeer, IsSomethingElse) {
  std::span<const std::byte> text = bytes_of("GET / HTTP/1.1\r\n\r\n");
  Bytes request(text.begin(), text.end());
  EXPECT_EQ(verdict_on(request),
            "rogue: did not connect within 400 ms; a connection from 127.0.0.1 was rejected: sent "
            "an invalid frame");
  EXPECT_EQ(verdict_on(frame(FrameKind::Hello, 0, "tacetnot")),
            "rogue: did not connect within 400 ms; a connection from 127.0.0.1 was rejected: is "
            "not a Tacet party");
}

TEST(RoguePeer, SaysNothing) {
  EXPECT_EQ(verdict_on({}), "rogue: did not connect within 400 ms");
}

/// However the stream is cut, the reader finds the same in it.
TEST(FrameReader, DoesNotMindHowBytesArrive) {
  Bytes stream = joined({frame(FrameKind::Hello, 0, "hello"),
                         frame(FrameKind::Data, 1, "some data"), frame(FrameKind::Alive, 2),
                         frame(FrameKind::Data, 3, "and more"), frame(FrameKind::Bye, 4)});
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::string seen;
    for (size_t at = 0; at < stream.size(); at += piece) {
      std::span<const std::byte> bytes =
          std::span<const std::byte>(stream).subspan(at, std::min(piece, stream.size() - at));
      while (!bytes.empty()) {
        Result<std::optional<FramePiece>> next = reader.next(bytes);
        ASSERT_TRUE(next) << next.error().message;
        if (*next) {
          seen += (*next)->kind == FrameKind::Bye ? "." : text_of((*next)->bytes);
        }
      }
    }
    EXPECT_EQ(seen, "hellosome dataand more.") << piece;
    EXPECT_EQ(reader.n_data_frames(), 2U);
    EXPECT_EQ(reader.n_data_bytes(), 17U);
  }
}

}  // namespace
}  // namespace tacet::net
