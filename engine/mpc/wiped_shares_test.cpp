/// What shares were held in is zeros when it is freed. Freed memory may not be looked at, so the
/// call that frees takes a copy of the watched words.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/mpc/ring_array.h"

namespace {
const void* watched = nullptr;
std::array<uint64_t, 8> freed = {1};
}  // namespace

void* operator new(size_t size, std::align_val_t alignment) {
  auto unit = static_cast<size_t>(alignment);
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

void operator delete(void* data, std::align_val_t) noexcept {
  if (data == watched && data != nullptr) {
    std::memcpy(freed.data(), data, sizeof(freed));
    watched = nullptr;
  }
  std::free(data);
}

void operator delete(void* data, size_t, std::align_val_t alignment) noexcept {
  operator delete(data, alignment);
}

namespace tacet::mpc {
namespace {

auto is_freed_as_zeros() -> bool {
  return watched == nullptr &&
         std::all_of(freed.begin(), freed.end(), [](uint64_t word) { return word == 0; });
}

TEST(WipedShares, OnTheHeap) {
  freed.fill(1);
  RingArray share = RingArray::of(std::vector<uint64_t>(8, ~uint64_t{0}));
  watched = share.bytes().data();
  share = RingArray();
  EXPECT_TRUE(is_freed_as_zeros());
}

/// Small blocks are freed one by one, large ones are cut from slabs.
TEST(WipedShares, InThePoolOfAParty) {
  for (const size_t n : {size_t{8}, size_t{1} << 16}) {
    freed.fill(1);
    auto pool = std::make_shared<ring::RowPool>(ring::Wipe::Yes);
    RingArray share = RingArray::filled(Ring::Z64, n, ~uint64_t{0}, pool);
    watched = share.bytes().data();
    share = RingArray();
    EXPECT_NE(watched, nullptr) << "the pool keeps it";
    pool.reset();
    EXPECT_TRUE(is_freed_as_zeros()) << n;
  }
}

}  // namespace
}  // namespace tacet::mpc
