#include "engine/net/link_times.h"

#include <array>
#include <bit>
#include <mutex>

#include "engine/net/delayed_links.h"
#include "engine/net/in_process_links.h"
#include "engine/net/little_endian.h"

namespace tacet::net {
namespace {

TEST(LinkTimes, AreTheDelaysThatLinksHave) {
  constexpr std::chrono::milliseconds kLinkDelay{4};
  std::vector<std::unique_ptr<Links>> all;
  for (std::unique_ptr<Links>& links : make_in_process_links(3)) {
    all.push_back(delay_links(std::move(links), kLinkDelay));
  }
  std::mutex mutex;
  std::vector<std::vector<LinkTime>> results;
  run_on_threads(std::move(all), [&](Links& links) {
    auto measured = measure_links(links);
    ASSERT_TRUE(std::holds_alternative<std::vector<LinkTime>>(measured));
    ASSERT_FALSE(links.finish());
    std::lock_guard lock(mutex);
    results.push_back(std::get<0>(measured));
  });
  ASSERT_EQ(results.size(), 3U);
  for (const std::vector<LinkTime>& times : results) {
    ASSERT_EQ(times.size(), 3U);
    for (size_t i = 0; i < times.size(); ++i) {
      constexpr std::array<std::pair<Rank, Rank>, 3> kPairs = {{{0, 1}, {0, 2}, {1, 2}}};
      EXPECT_EQ(std::pair(times[i].from, times[i].to), kPairs[i]);
      // Never faster than the delay; slower as the machine is busy.
      EXPECT_GE(times[i].latency_milliseconds, 3.9);
      EXPECT_GT(times[i].megabits, 0);
      EXPECT_EQ(times[i].latency_milliseconds, results[0][i].latency_milliseconds);
      EXPECT_EQ(times[i].megabits, results[0][i].megabits);
    }
  }
}

/// A party that answers, and then sends `numbers`.
auto verdict_on_numbers(std::vector<uint64_t> numbers) -> std::string {
  std::string reason;
  run_on_threads(make_in_process_links(2), [&](Links& links) {
    if (links.rank() == 1) {
      const auto measured = measure_links(links);
      const LinkError* error = std::get_if<LinkError>(&measured);
      reason = error == nullptr ? "none" : describe(links, *error);
      return;
    }
    std::array<std::byte, 8> bytes{};
    for (int i = 0; i < 22; ++i) {
      links.send(1, bytes);
      static_cast<void>(links.flush());
      static_cast<void>(links.receive(1, bytes));
    }
    for (const uint64_t number : numbers) {
      store_little<uint64_t>(bytes, number);
      links.send(1, bytes);
    }
    static_cast<void>(links.flush());
    static_cast<void>(links.receive(1, bytes));
  });
  return reason;
}

TEST(LinkTimes, RefuseOtherNumbers) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{1} << 17, ~uint64_t{0}}) {
    EXPECT_NE(verdict_on_numbers({size}).find("announced an unexpected number of bytes"),
              std::string::npos);
  }
  for (const double time : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(
        verdict_on_numbers({0, std::bit_cast<uint64_t>(time)}).find("a time that is not a number"),
        std::string::npos);
  }
}

}  // namespace
}  // namespace tacet::net
