// Messages for several ranks reach each of them once, by one of the others.

#include <gtest/gtest.h>

#include <random>

#include "engine/he_distributed/rank_session.h"

namespace tacet::engine {
namespace {

TEST(RankTree, EachReceiverHasOneSenderAndAllAreReachedInLogarithmicSteps) {
  for (size_t n = 0; n < 70; ++n) {
    std::vector<size_t> steps(n + 1);
    std::vector<size_t> times(n + 1);
    for (size_t place = 0; place <= n; ++place) {
      for (const size_t child : tree_children(place, n)) {
        ASSERT_GT(child, place);
        ASSERT_LE(child, n);
        ++times[child];
        steps[child] = steps[place] + 1;
      }
    }
    size_t most = 0;
    for (size_t place = 1; place <= n; ++place) {
      ASSERT_EQ(times[place], 1U) << place << " of " << n;
      most = std::max(most, steps[place]);
    }
    ASSERT_LE(size_t{1} << most, std::max<size_t>(2 * n, 1)) << n;
  }
}

/// Sends some keys from rank `from` to `receivers`; what each rank reads.
TEST(RankTree, KeysReachTheirReceiversAlone) {
  constexpr uint32_t kRanks = 9;
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    auto links = local_links(std::vector<std::string>(kRanks, "node"));
    std::vector<std::unique_ptr<RankSession>> sessions;
    for (const auto& link : links) {
      sessions.push_back(std::make_unique<RankSession>(*link));
    }
    const auto from = static_cast<uint32_t>(random() % kRanks);
    std::vector<uint32_t> receivers;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      if (rank != from && random() % 3 != 0) {
        receivers.push_back(rank);
      }
    }
    std::shuffle(receivers.begin(), receivers.end(), random);
    WireWriter note = start_note(RankWord::Key, receivers);
    note.text("a key");
    const size_t n_sent = sessions[from]->send_along_tree(receivers, std::move(note));
    EXPECT_EQ(n_sent, tree_children(0, receivers.size()).size());
    for (const uint32_t rank : receivers) {
      Result<RankNote> got = sessions[rank]->next(RankWord::Key);
      ASSERT_TRUE(got);
      EXPECT_EQ(got->reader().text(), "a key");
    }
    // Nobody else has one: the next message is the last.
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      sessions[rank == 0 ? 1 : 0]->send(rank, start_note(RankWord::End));
      ASSERT_TRUE(sessions[rank]->next(RankWord::End));
    }
  }
}

TEST(RankTree, DamagedListsEndTheSession) {
  const std::vector<std::vector<uint32_t>> lists = {{}, {0}, {7}, {1, 7}};
  for (const std::vector<uint32_t>& list : lists) {
    auto links = local_links({"a", "b"});
    RankSession receiver(*links[1]);
    links[0]->send(1, HeldBytes::of(start_note(RankWord::Key, list).take()));
    EXPECT_FALSE(receiver.next());
  }
  auto links = local_links({"a", "b"});
  RankSession receiver(*links[1]);
  WireWriter note = start_note(RankWord::Value);
  note.number(uint64_t{1} << 60);
  links[0]->send(1, HeldBytes::of(note.take()));
  EXPECT_FALSE(receiver.next());
}

}  // namespace
}  // namespace tacet::engine
