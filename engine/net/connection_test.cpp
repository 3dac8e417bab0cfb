#include "engine/net/connection.h"

#include <sys/socket.h>

#include "base/testing/freed_memory.h"
#include "base/wipe.h"

namespace tacet::net {
namespace {

constexpr uint64_t kShare = 0x5EC2'E751'9A3B'77C4;
constexpr size_t kWordsOfFrame = kMaxFramePayload / sizeof(kShare);

/// One end of a connection, and the socket of the other end.
struct Pair {
  explicit Pair(size_t n_words = 2 * kWordsOfFrame) : words(n_words, kShare) {
    std::array<int, 2> sockets{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
    other.emplace(sockets[1]);
    connection.emplace(std::make_unique<Channel>(sockets[0]), FrameReader(), 0, Rank{1}, Rank{2});
  }
  void append() {
    connection->append(std::as_bytes(std::span(words)));
    connection->end_frame();
  }

  std::vector<uint64_t> words;
  std::optional<Channel> other;
  std::optional<Connection> connection;
};

/// Runs `use`, and frees the connection after it.
auto n_freed_shares(const std::function<void(Connection&)>& use, size_t n_words) -> size_t {
  Pair pair(n_words);
  const FreedMemoryWatch watch(kShare);
  pair.append();
  use(*pair.connection);
  pair.connection.reset();
  return watch.n_found();
}

TEST(Connection, WipesWhatIsNotSent) {
  for (const size_t n_words : {size_t{1}, size_t{1000}, kWordsOfFrame, 20 * kWordsOfFrame}) {
    EXPECT_EQ(n_freed_shares([](Connection&) {}, n_words), 0U) << n_words;
    EXPECT_EQ(n_freed_shares([](Connection& connection) { connection.drop_unsent(); }, n_words), 0U)
        << n_words;
  }
}

TEST(Connection, WipesWhatIsSent) {
  const auto send_all = [](Connection& connection) {
    while (connection.n_unsent() > 0) {
      ASSERT_TRUE(connection.push().moved);
      connection.channel().end_writing();  // what is pushed from now on is dropped
    }
  };
  for (const size_t n_words : {size_t{1}, size_t{1000}, 20 * kWordsOfFrame}) {
    EXPECT_EQ(n_freed_shares(send_all, n_words), 0U) << n_words;
  }
}

TEST(Connection, WipesWhatNobodyTook) {
  Pair pair;
  const FreedMemoryWatch watch(kShare);
  {
    ByteQueue queue;
    for (int i = 0; i < 3; ++i) {
      queue.append(std::as_bytes(std::span(pair.words)));
    }
    SecureBytes taken(kMaxFramePayload + 100);
    std::span<std::byte> into(taken);
    queue.take(into);
    EXPECT_TRUE(into.empty());
  }
  EXPECT_EQ(watch.n_found(), 0U);
}

}  // namespace
}  // namespace tacet::net
