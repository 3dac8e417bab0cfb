#include "engine/net/delayed_links.h"

#include <mutex>

#include "engine/net/in_process_links.h"

namespace tacet::net {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kDelay{30};

TEST(DelayedLinks, CarryTheSameAndNothingTooEarly) {
  std::vector<std::unique_ptr<Links>> all;
  for (std::unique_ptr<Links>& links : make_in_process_links(2)) {
    all.push_back(delay_links(std::move(links), kDelay));
  }
  std::mutex mutex;
  std::vector<LinkCounters> counters(2);
  run_on_threads(std::move(all), [&](Links& links) {
    Rank peer = 1 - links.rank();
    for (const size_t n : {1U, 1000U, 100'000U}) {
      std::vector<uint64_t> sent(n, n);
      std::vector<uint64_t> got(n);
      // Both send at once, so that what comes was sent no earlier than the other one's answer to
      // what was sent before.
      Clock::time_point begin = Clock::now();
      links.send(peer, std::as_bytes(std::span(sent)));
      ASSERT_FALSE(links.flush());
      ASSERT_FALSE(links.receive(peer, std::as_writable_bytes(std::span(got))));
      links.send(peer, std::as_bytes(std::span(sent).first(1)));
      ASSERT_FALSE(links.flush());
      ASSERT_FALSE(links.receive(peer, std::as_writable_bytes(std::span(got).first(1))));
      EXPECT_EQ(sent, got);
      // There and back again.
      EXPECT_GE(Clock::now() - begin, 2 * kDelay - std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(links.finish());
    std::lock_guard lock(mutex);
    counters[links.rank()] = links.counters(peer);
  });
  for (const LinkCounters& own : counters) {
    EXPECT_EQ(own.bytes_sent, 8U * (101'001 + 3));
    EXPECT_EQ(own.bytes_received, own.bytes_sent);
    EXPECT_EQ(own.messages_received, own.messages_sent);
  }
}

}  // namespace
}  // namespace tacet::net
