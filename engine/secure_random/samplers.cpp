#include "engine/secure_random/samplers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/declassify.h"
#include "base/wipe.h"
#include "engine/secure_random/sample_kernels.h"

namespace tacet::secure_random {
namespace {

/// Random bytes drawn many at a time and used in small pieces, because a request of a SecureRandom
/// costs a change of its key. Consumed or not, they are wiped.
class DrawnBytes {
 public:
  /// `n_expected` bytes will be taken, perhaps more.
  DrawnBytes(SecureRandom& random, size_t n_expected) : random_(random), n_expected_(n_expected) {}
  ~DrawnBytes() { wipe(bytes_.data(), n_touched_); }
  DrawnBytes(const DrawnBytes&) = delete;
  auto operator=(const DrawnBytes&) -> DrawnBytes& = delete;

  /// The next `n` bytes, valid until the next call; `n` is at most `kBinomialBlockBytes`.
  auto take(size_t n) -> const std::byte* {
    if (n > n_drawn_ - n_used_) {
      draw(n);
    }
    const std::byte* taken = bytes_.data() + n_used_;
    n_used_ += n;
    return taken;
  }

 private:
  static constexpr size_t kCapacity = 24 * kBinomialBlockBytes;

  /// What is left and too little is dropped.
  void draw(size_t n) {
    n_drawn_ = std::min(std::max(n, n_expected_), kCapacity);
    n_expected_ -= std::min(n_expected_, n_drawn_);
    n_touched_ = std::max(n_touched_, n_drawn_);
    n_used_ = 0;
    random_.fill(std::span(bytes_).first(n_drawn_));
  }

  SecureRandom& random_;
  size_t n_expected_;
  size_t n_drawn_ = 0;
  size_t n_used_ = 0;
  size_t n_touched_ = 0;
  alignas(
      64) std::array<std::byte, kCapacity> bytes_;  // not initialised: only what is drawn is read
};

}  // namespace

/// Draws the numbers of the places in `rejected` again, until they are accepted.
static void redraw_ternary(DrawnBytes& bytes, uint64_t rejected, int8_t* out,
                           const SampleKernels& kernels) {
  if (rejected == 0) {
    return;
  }
  std::array<std::byte, kTernaryBlock> one{};
  std::array<int8_t, kTernaryBlock> number{};
  ScopedWipe one_guard(one);
  ScopedWipe number_guard(number);
  while (rejected != 0) {
    one[0] = *bytes.take(1);
    // Independent of the numbers that are accepted, here and below.
    uint64_t again = declassified(kernels.ternary(one.data(), number.data()) & 1);
    out[std::countr_zero(rejected)] = number[0];
    rejected &= rejected - (again ^ 1);
  }
}

void sample_ternary(SecureRandom& random, std::span<int8_t> out, Isa isa) {
  const SampleKernels& kernels = sample_kernels(isa);
  size_t n_blocks = (out.size() + kTernaryBlock - 1) / kTernaryBlock;
  // One byte in 256 is rejected.
  DrawnBytes bytes(random, n_blocks * (kTernaryBlock + 1) + 32);
  auto block = [&](int8_t* to) {
    uint64_t rejected = declassified(kernels.ternary(bytes.take(kTernaryBlock), to));
    redraw_ternary(bytes, rejected, to, kernels);
  };
  for (; out.size() >= kTernaryBlock; out = out.subspan(kTernaryBlock)) {
    block(out.data());
  }
  if (!out.empty()) {
    std::array<int8_t, kTernaryBlock> last;
    ScopedWipe guard(last);
    block(last.data());
    std::copy_n(last.begin(), out.size(), out.begin());
  }
}

void sample_binomial(SecureRandom& random, std::span<int8_t> out, Isa isa) {
  const SampleKernels& kernels = sample_kernels(isa);
  size_t n_blocks = (out.size() + kBinomialBlock - 1) / kBinomialBlock;
  DrawnBytes bytes(random, n_blocks * kBinomialBlockBytes);
  for (; out.size() >= kBinomialBlock; out = out.subspan(kBinomialBlock)) {
    kernels.binomial(bytes.take(kBinomialBlockBytes), out.data());
  }
  if (!out.empty()) {
    std::array<int8_t, kBinomialBlock> last;
    ScopedWipe guard(last);
    kernels.binomial(bytes.take(kBinomialBlockBytes), last.data());
    std::copy_n(last.begin(), out.size(), out.begin());
  }
}

/// Keeps of the candidates `words` those below `modulus`, at the front; returns how many.
static auto keep_accepted(std::span<uint64_t> words, uint64_t mask, uint64_t modulus,
                          const SampleKernels& kernels) -> size_t {
  uint64_t* const front = words.data();
  size_t n_kept = 0;
  for (; words.size() >= kUniformBlock; words = words.subspan(kUniformBlock)) {
    // Which candidates are rejected says nothing of the values of the others.
    uint64_t accepted = declassified(kernels.mask_and_compare(words.data(), mask, modulus));
    if (front + n_kept == words.data() && accepted == ~uint64_t{0}) {
      n_kept += kUniformBlock;
    } else {
      n_kept += kernels.compact(words.data(), accepted, front + n_kept);
    }
  }
  for (uint64_t word : words) {
    word &= mask;
    front[n_kept] = word;
    n_kept += declassified((word - modulus) >> 63);
  }
  return n_kept;
}

void sample_uniform(RandomStream& stream, uint64_t modulus, std::span<uint64_t> out, Isa isa) {
  TACET_CHECK(modulus != 0 && modulus <= kMaxUniformModulus, "no modulus to sample for");
  constexpr size_t kMaxWords = 1024;  // 8 KiB: still in the first cache when they are compared
  const SampleKernels& kernels = sample_kernels(isa);
  uint64_t mask = std::bit_ceil(modulus) - 1;
  while (!out.empty()) {
    auto words = out.first(std::min(out.size(), kMaxWords));
    stream.fill_words(words);
    out = out.subspan(keep_accepted(words, mask, modulus, kernels));
  }
}

void lift_signed(std::span<const int8_t> values, uint64_t modulus, std::span<uint64_t> out,
                 Isa isa) {
  TACET_CHECK(values.size() == out.size(), "a residue for each value");
  sample_kernels(isa).lift(values.data(), values.size(), modulus, out.data());
}

}  // namespace tacet::secure_random
