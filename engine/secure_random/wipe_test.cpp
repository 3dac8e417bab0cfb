#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "engine/secure_random/aes_ctr_kernels.h"
#include "engine/secure_random/test_seed.h"

// Freed memory may not be read, so the call that frees looks for the secret.
namespace {
tacet::secure_random::AesKey sought{};
bool seeking = false;
int n_found = 0;
int n_looked_at = 0;

// The size precedes a block, because not every compiler passes it to the deallocation.
constexpr size_t kFront = 16;

void look_at(const void* data, size_t size) {
  if (!seeking || size < sought.size()) {
    return;
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  ++n_looked_at;
  if (std::search(bytes, bytes + size, sought.begin(), sought.end()) != bytes + size) {
    ++n_found;
  }
}
}  // namespace

void* operator new(size_t size) {
  auto* block = static_cast<std::byte*>(std::malloc(kFront + size));
  std::memcpy(block, &size, sizeof(size));
  return block + kFront;
}

void operator delete(void* data) noexcept {
  if (data == nullptr) {
    return;
  }
  auto* block = static_cast<std::byte*>(data) - kFront;
  size_t size = 0;
  std::memcpy(&size, block, sizeof(size));
  look_at(data, size);
  std::free(block);
}

void operator delete(void* data, size_t) noexcept {
  operator delete(data);
}

namespace tacet::secure_random {
namespace {

template <class Free>
void seek(Free free) {
  n_found = 0;
  n_looked_at = 0;
  seeking = true;
  free();
  seeking = false;
}

TEST(Wipe, TheSearchFindsWhatIsNotWiped) {
  sought.fill(std::byte{0xa5});
  std::vector<std::byte> bytes(sought.begin(), sought.end());
  seek([&] { std::vector<std::byte>().swap(bytes); });
  EXPECT_EQ(n_found, 1);
}

TEST(Wipe, KernelsOfOursForgetTheirKeys) {
  if (!has_vaes()) {
    GTEST_SKIP() << "OpenSSL runs here, and wipes its own";
  }
  sought.fill(std::byte{0x5a});
  auto kernel = vaes_aes_ctr();
  kernel->start(sought, AesBlock{});
  std::vector<std::byte> bytes(100 * sizeof(AesBlock));
  kernel->blocks(bytes);
  seek([&] { kernel.reset(); });
  EXPECT_GT(n_looked_at, 0);
  EXPECT_EQ(n_found, 0);
}

TEST(Wipe, StreamsForgetTheBlockTheyAreIn) {
  // The rest of a block is in the object itself, which is overwritten in place.
  alignas(AesCtr) std::array<std::byte, sizeof(AesCtr)> place{};
  auto* stream = new (place.data()) AesCtr(AesKey{}, AesBlock{}, best_isa());
  AesCtr same(AesKey{}, AesBlock{}, best_isa());
  AesBlock expected;
  same.fill(expected);
  std::byte first{};
  stream->fill(std::span(&first, 1));
  auto holds_block = [&] {
    return std::search(place.begin(), place.end(), expected.begin() + 1, expected.end()) !=
           place.end();
  };
  EXPECT_TRUE(holds_block());
  stream->~AesCtr();
  EXPECT_FALSE(holds_block());
}

}  // namespace
}  // namespace tacet::secure_random
