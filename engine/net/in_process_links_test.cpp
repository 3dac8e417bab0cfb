#include "engine/net/in_process_links.h"

#include <mutex>
#include <numeric>

namespace tacet::net {
namespace {

auto bytes_of(std::span<const uint64_t> words) -> std::span<const std::byte> {
  return std::as_bytes(words);
}

/// What each party ended with, by rank.
auto errors_in_process(Rank n, const std::function<LinkStatus(Links&)>& body,
                       TimeLimits limits = {}) -> std::vector<std::string> {
  std::mutex mutex;
  std::vector<std::string> errors(n);
  run_on_threads(make_in_process_links(n, limits), [&](Links& links) {
    LinkStatus status = body(links);
    std::lock_guard lock(mutex);
    errors[links.rank()] = status ? describe(links, *status) : "";
  });
  return errors;
}

using Errors = std::vector<std::string>;

TEST(InProcessLinks, CarryWhatIsSentInOrder) {
  constexpr Rank kParties = 4;
  Errors errors = errors_in_process(kParties, [](Links& links) -> LinkStatus {
    for (uint64_t round = 0; round < 100; ++round) {
      for (Rank to = 0; to < kParties; ++to) {
        if (to != links.rank()) {
          std::vector<uint64_t> words(round * round);
          std::iota(words.begin(), words.end(), links.rank() * 1000 + to);
          links.send(to, bytes_of(words));
        }
      }
      if (LinkStatus failure = links.flush()) {
        return failure;
      }
      for (Rank from = 0; from < kParties; ++from) {
        if (from != links.rank()) {
          std::vector<uint64_t> words(round * round);
          std::vector<uint64_t> expected(words.size());
          std::iota(expected.begin(), expected.end(), from * 1000 + links.rank());
          if (LinkStatus failure = links.receive(from, std::as_writable_bytes(std::span(words)))) {
            return failure;
          }
          EXPECT_EQ(words, expected);
        }
      }
    }
    return links.finish();
  });
  EXPECT_EQ(errors, Errors(kParties));
}

TEST(InProcessLinks, PiecesNeedNotBeReadAsTheyWereSent) {
  Errors errors = errors_in_process(2, [](Links& links) -> LinkStatus {
    std::vector<uint64_t> words(200'000);  // leaves in several messages
    if (links.rank() == 0) {
      std::iota(words.begin(), words.end(), 0);
      for (size_t at = 0; at < words.size(); at += 1000) {
        links.send(1, bytes_of(std::span(words).subspan(at, 1000)));
      }
      return links.finish();
    }
    std::vector<uint64_t> expected(words.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::span<std::byte> rest = std::as_writable_bytes(std::span(words));
    for (size_t n = 1; !rest.empty(); n = 3 * n + 1) {
      size_t taken = std::min(n, rest.size());
      if (LinkStatus failure = links.receive(0, rest.first(taken))) {
        return failure;
      }
      rest = rest.subspan(taken);
    }
    EXPECT_EQ(words, expected);
    EXPECT_EQ(links.counters(0).bytes_received, 8 * words.size());
    EXPECT_GE(links.counters(0).messages_received, 2U);
    return links.finish();
  });
  EXPECT_EQ(errors, Errors(2));
}

TEST(InProcessLinks, CountBytesAndMessages) {
  Errors errors = errors_in_process(2, [](Links& links) -> LinkStatus {
    Rank peer = 1 - links.rank();
    std::array<uint64_t, 2> words{};
    links.send(peer, bytes_of(words));
    links.send(peer, bytes_of(words));
    if (LinkStatus failure = links.flush()) {
      return failure;
    }
    for (int half = 0; half < 2; ++half) {
      if (LinkStatus failure = links.receive(peer, std::as_writable_bytes(std::span(words)))) {
        return failure;
      }
    }
    LinkCounters counters = links.counters(peer);
    EXPECT_EQ(counters.bytes_sent, 32U);
    EXPECT_EQ(counters.bytes_received, 32U);
    EXPECT_EQ(counters.messages_sent, 1U);
    EXPECT_EQ(counters.messages_received, 1U);
    return links.finish();
  });
  EXPECT_EQ(errors, Errors(2));
}

TEST(InProcessLinks, APartyThatAbortsIsNamedToAll) {
  Errors errors = errors_in_process(3, [](Links& links) -> LinkStatus {
    if (links.rank() == 2) {
      links.abort("the input is missing");
      return links.flush();
    }
    std::array<std::byte, 1> byte{};
    return links.receive(1 - links.rank(), byte);
  });
  EXPECT_EQ(errors, Errors(3, "party 2: the input is missing"));
}

TEST(InProcessLinks, APartyThatLeavesIsNamedToAll) {
  Errors errors = errors_in_process(3, [](Links& links) -> LinkStatus {
    return links.rank() == 1 ? std::nullopt : links.finish();
  });
  EXPECT_EQ(errors, (Errors{"party 1: left before the run ended", "",
                            "party 1: left before the run ended"}));
}

TEST(InProcessLinks, APartyThatSendsNothingIsNamedToAll) {
  Errors errors =
      errors_in_process(3,
                        [](Links& links) -> LinkStatus {
                          std::array<std::byte, 1> byte{};
                          return links.rank() == 0 ? links.receive(1, byte) : links.finish();
                        },
                        {.patience = std::chrono::milliseconds(50)});
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_EQ(errors[0], errors[2]);
  EXPECT_NE(errors[0], "");
}

TEST(InProcessLinks, APartyThatFinishedSendsNoMore) {
  Errors errors = errors_in_process(2, [](Links& links) -> LinkStatus {
    std::array<std::byte, 1> byte{};
    return links.rank() == 0 ? links.receive(1, byte) : links.finish();
  });
  EXPECT_EQ(errors, Errors(2, "party 1: finished although more data was expected from it"));
}

}  // namespace
}  // namespace tacet::net
