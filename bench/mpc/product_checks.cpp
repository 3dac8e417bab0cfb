#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <random>
#include <type_traits>
#include <vector>

#include "base/cpu.h"
#include "engine/mpc/aby3_active/prime_check.h"
#include "engine/mpc/aby3_active/product_check.h"

/// The processor time that one party of `aby3-active` spends to check a batch of products, without
/// messages: all three parties compute in one thread, one of them is timed.
namespace tacet::mpc {
namespace {

constexpr size_t kParties = 3;
constexpr size_t kTimes = 7;
constexpr size_t kWords = size_t{1} << 18;

auto key_of(uint64_t number) -> secure_random::AesKey {
  secure_random::AesKey key{};
  std::memcpy(key.data(), &number, sizeof(number));
  return key;
}

auto processor_seconds() -> double {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Three parts of each factor and product. The check takes as long for wrong products.
template <class Word>
using Shared = std::array<std::vector<Word>, kParties>;

template <class Word>
auto random_words(size_t n) -> Shared<Word> {
  static std::mt19937_64 random;
  Shared<Word> shared;
  for (auto& part : shared) {
    part.resize(n);
    std::generate(part.begin(), part.end(), [&] { return static_cast<Word>(random()); });
  }
  return shared;
}

/// Of products that were masked.
auto some_origins(size_t n) -> const ClaimOrigin* {
  static std::vector<ClaimOrigin> origins;
  for (size_t i = origins.size(); i < n; ++i) {
    origins.push_back(i * i % 3 == 0 ? ClaimOrigin::Borrow : ClaimOrigin::NoBorrow);
  }
  return origins.data();
}

/// One check, and what party 0 spent on it.
template <class Check, class Word>
auto seconds_of(const std::array<Shared<Word>, 3>& words) -> double {
  std::array<Check, kParties> checks;
  std::vector<std::array<secure_random::AesCtr, 2>> streams;
  double seconds = 0;
  const auto timed = [&](size_t party, auto body) {
    const double begin = processor_seconds();
    body();
    seconds += party == 0 ? processor_seconds() - begin : 0;
  };
  for (size_t party = 0; party < kParties; ++party) {
    const size_t next = (party + 1) % kParties;
    streams.push_back({{{key_of(party), {}, best_isa()}, {key_of(next), {}, best_isa()}}});
    const auto parts = [&](size_t i) {
      return PartsOf<Word>{words[i][party].data(), words[i][next].data()};
    };
    const size_t n = words[0][0].size();
    const ClaimOrigin* origins = some_origins(n);
    timed(party, [&] {
      if constexpr (std::is_same_v<Check, PrimeCheck>) {
        checks[party].template add_dots<Word>(parts(0), parts(1), parts(2), origins, n, 1);
      } else {
        checks[party].add_dots(parts(0), parts(1), parts(2), n, 1);
      }
      checks[party].weigh(key_of(100));
    });
  }
  while (!checks[0].is_done()) {
    std::array<std::vector<std::byte>, kParties> messages;
    for (size_t party = 0; party < kParties; ++party) {
      timed(party, [&] {
        messages[party] = checks[party].message(
            [&](size_t part, std::span<std::byte> bytes) { streams[party][part].fill(bytes); });
      });
    }
    for (size_t party = 0; party < kParties; ++party) {
      timed(party, [&] {
        checks[party].receive(messages[(party + 1) % kParties]);
        checks[party].fold(key_of(200));
      });
    }
  }
  return seconds;
}

template <class Check, class Word>
void measure(std::string_view name, size_t n) {
  const std::array<Shared<Word>, 3> words{random_words<Word>(n), random_words<Word>(n),
                                          random_words<Word>(n)};
  std::array<double, kTimes> seconds{};
  std::generate(seconds.begin(), seconds.end(), [&] { return seconds_of<Check, Word>(words); });
  std::sort(seconds.begin(), seconds.end());
  const double unit = 1e9 / static_cast<double>(n);
  fmt::print("{:<24} {:>9.2f} {:>9.2f} ns\n", name, seconds.front() * unit,
             seconds[kTimes / 2] * unit);
}

}  // namespace
}  // namespace tacet::mpc

/// Prints the least and the median time for a product.
auto main() -> int {
  using namespace tacet::mpc;
  measure<PrimeCheck, uint32_t>("product of 32 bits", kWords);
  measure<PrimeCheck, uint64_t>("product of 64 bits", kWords);
  measure<ProductCheck<GaloisRing<uint64_t, 47, 5>>, uint64_t>("64 bits, Galois ring", kWords);
  measure<ProductCheck<GaloisRing<Word128, 47, 5>>, Word128>("product of 128 bits", kWords / 8);
  measure<ProductCheck<BinaryField<64>>, uint64_t>("conjunction of 64 bits", kWords);
  measure<PrimeCheck, uint64_t>("100 products of 64 bits", 100);
  measure<ProductCheck<GaloisRing<uint64_t, 47, 5>>, uint64_t>("the same, Galois ring", 100);
  return 0;
}
