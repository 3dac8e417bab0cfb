/// Shares are wiped before what holds them is freed.

#include "base/testing/freed_memory.h"
#include "engine/mpc/ring_array.h"

namespace tacet::mpc {
namespace {

constexpr uint64_t kShare = 0x5EC2'E751'9A3B'77C4;

TEST(WipedShares, OnTheHeap) {
  const std::vector<uint64_t> words(8, kShare);
  RingArray share = RingArray::of(words);
  const FreedMemoryWatch watch(kShare);
  share = RingArray();
  EXPECT_EQ(watch.n_found(), 0U);
}

/// Small blocks are freed one by one, large ones are cut from slabs.
TEST(WipedShares, InThePoolOfAParty) {
  for (const size_t n : {size_t{8}, size_t{1} << 16}) {
    const FreedMemoryWatch watch(kShare);
    auto pool = std::make_shared<ring::RowPool>(ring::Wipe::Yes);
    RingArray share = RingArray::filled(Ring::Z64, n, kShare, pool);
    share = RingArray();
    pool.reset();
    EXPECT_EQ(watch.n_found(), 0U) << n;
  }
}

/// What the tests above do not find where memory is wiped, they do find where it is not.
TEST(WipedShares, AreSeenInAPoolThatDoesNotWipe) {
  const FreedMemoryWatch watch(kShare);
  auto pool = std::make_shared<ring::RowPool>(ring::Wipe::No);
  RingArray share = RingArray::filled(Ring::Z64, 8, kShare, pool);
  share = RingArray();
  pool.reset();
  EXPECT_GT(watch.n_found(), 0U);
}

}  // namespace
}  // namespace tacet::mpc
