#include <bit>
#include <cstring>

#include "engine/secure_random/sample_kernels.h"

namespace tacet::secure_random {
namespace {

// Eight bytes at a time in a word; sums stay inside their byte.

constexpr auto each_byte(uint64_t byte) -> uint64_t {
  return byte * 0x0101010101010101;
}

auto load(const std::byte* from) -> uint64_t {
  uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Stores `bytes - n`, for bytes below 128 and `n` up to 128.
void store_less(uint64_t bytes, uint64_t n, int8_t* to) {
  uint64_t less = ((bytes | each_byte(0x80)) - each_byte(n)) ^ each_byte(0x80);
  std::memcpy(to, &less, sizeof(less));
}

// The bytes modulo 3. A power of 4 is 1 modulo 3, so digits to a base that is one can be summed.
auto mod3(uint64_t bytes) -> uint64_t {
  uint64_t sum = (bytes & each_byte(0x0f)) + ((bytes >> 4) & each_byte(0x0f));  // up to 30
  sum = (sum & each_byte(3)) + ((sum >> 2) & each_byte(7));                     // up to 10
  sum = (sum & each_byte(3)) + ((sum >> 2) & each_byte(3));                     // up to 5
  sum = (sum & each_byte(3)) + ((sum >> 2) & each_byte(1));                     // up to 3
  uint64_t is_three = sum & (sum >> 1) & each_byte(1);
  return sum - 3 * is_three;
}

// One bit a byte, gathered: byte `i` of `bytes`, which is 0 or 1, becomes bit `i`. Counts from the
// first byte in memory.
auto gather_bits(uint64_t bytes) -> uint64_t {
  if constexpr (std::endian::native == std::endian::big) {
    bytes = __builtin_bswap64(bytes);
  }
  return (bytes * 0x0102040810204080) >> 56;
}

auto ternary(const std::byte* bytes, int8_t* out) -> uint64_t {
  uint64_t rejected = 0;
  for (size_t i = 0; i < kTernaryBlock; i += 8) {
    uint64_t word = load(bytes + i);
    store_less(mod3(word), 1, out + i);
    uint64_t all_ones = word & (word >> 4) & each_byte(0x0f);
    all_ones &= all_ones >> 2;
    all_ones &= all_ones >> 1;
    rejected |= gather_bits(all_ones & each_byte(1)) << i;
  }
  return rejected;
}

// The ones in each half byte.
auto ones_of_nibbles(uint64_t bytes) -> uint64_t {
  bytes -= (bytes >> 1) & each_byte(0x55);
  return (bytes & each_byte(0x33)) + ((bytes >> 2) & each_byte(0x33));
}

auto sum_of_nibbles(uint64_t bytes) -> uint64_t {
  return (bytes & each_byte(0x0f)) + ((bytes >> 4) & each_byte(0x0f));
}

void binomial(const std::byte* bytes, int8_t* out) {
  for (size_t i = 0; i < kBinomialBlock; i += 8) {
    auto plane = [&](size_t n) { return ones_of_nibbles(load(bytes + n * kBinomialBlock + i)); };
    uint64_t ones = sum_of_nibbles(plane(0) + plane(1) + plane(2));  // half bytes up to 12
    ones += sum_of_nibbles(plane(3) + plane(4));
    uint64_t pairs = load(bytes + 5 * kBinomialBlock + i % 32) >> (2 * (i / 32));
    ones += (pairs & each_byte(1)) + ((pairs >> 1) & each_byte(1));
    store_less(ones, 21, out + i);
  }
}

auto mask_and_compare(uint64_t* words, uint64_t mask, uint64_t modulus) -> uint64_t {
  uint64_t accepted = 0;
  for (size_t i = 0; i < kUniformBlock; ++i) {
    words[i] &= mask;
    accepted |= ((words[i] - modulus) >> 63) << i;
  }
  return accepted;
}

auto compact(const uint64_t* words, uint64_t accepted, uint64_t* out) -> size_t {
  size_t n = 0;
  for (size_t i = 0; i < kUniformBlock; ++i) {
    out[n] = words[i];
    n += (accepted >> i) & 1;
  }
  return n;
}

void lift(const int8_t* values, size_t n, uint64_t modulus, uint64_t* out) {
  for (size_t i = 0; i < n; ++i) {
    auto value = static_cast<int64_t>(values[i]);
    out[i] = static_cast<uint64_t>(value) + (modulus & static_cast<uint64_t>(value >> 63));
  }
}

constexpr SampleKernels kKernels = {ternary, binomial, mask_and_compare, compact, lift};

}  // namespace

auto scalar_sample_kernels() -> const SampleKernels& {
  return kKernels;
}

auto sample_kernels(Isa isa) -> const SampleKernels& {
  return isa == Isa::Scalar ? scalar_sample_kernels() : avx2_sample_kernels();
}

}  // namespace tacet::secure_random
