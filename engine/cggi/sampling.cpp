#include "engine/cggi/sampling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/wipe.h"

namespace tacet::cggi {
namespace {

static_assert(std::endian::native == std::endian::little, "streams are words, low bytes first");

constexpr size_t kSummands = 8;
constexpr size_t kErrorsPerDraw = 512;

/// floor(a b / 2^64), in a time that depends on neither.
auto multiply_high(uint64_t a, uint64_t b) -> uint64_t {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

/// How many integers a summand is drawn from, for words modulo 2^log2_modulus.
auto summand_width(double variance, unsigned log2_modulus) -> uint64_t {
  const double scaled = variance * std::exp2(2.0 * log2_modulus);
  return static_cast<uint64_t>(std::ceil(std::sqrt(12.0 / kSummands * scaled + 1)));
}

template <class Word>
void sample(SecureRandom& random, uint64_t width, std::span<Word> out) {
  SecureVector<uint64_t> words(std::min(out.size(), kErrorsPerDraw) * kSummands);
  while (!out.empty()) {
    const size_t n = std::min(out.size(), kErrorsPerDraw);
    random.fill_words(std::span(words).first(n * kSummands));
    for (size_t i = 0; i < n; ++i) {
      uint64_t sum = 0;
      for (size_t k = 0; k < kSummands; ++k) {
        sum += multiply_high(words[i * kSummands + k], width);
      }
      out[i] = static_cast<Word>(sum - kSummands / 2 * (width - 1));
    }
    out = out.subspan(n);
  }
}

}  // namespace

void sample_bits(SecureRandom& random, std::span<uint8_t> out) {
  SecureVector<std::byte> bytes((out.size() + 7) / 8);
  random.fill(bytes);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<uint8_t>((std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8)) & 1);
  }
}

void sample_errors(SecureRandom& random, double variance, std::span<uint64_t> out) {
  sample(random, summand_width(variance, 64), out);
}

void sample_errors(SecureRandom& random, double variance, std::span<uint32_t> out) {
  sample(random, summand_width(variance, 32), out);
}

void expand_words(const PublicSeed& seed, uint64_t stream, std::span<uint64_t> out, Isa isa) {
  secure_random::SeedExpander(seed, stream, isa).fill(std::as_writable_bytes(out));
}

void expand_words(const PublicSeed& seed, uint64_t stream, std::span<uint32_t> out, Isa isa) {
  secure_random::SeedExpander(seed, stream, isa).fill(std::as_writable_bytes(out));
}

}  // namespace tacet::cggi
