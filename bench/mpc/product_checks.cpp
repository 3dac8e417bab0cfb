#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include "base/cpu.h"
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

template <class A>
auto random_words(size_t n) -> Shared<typename A::Word> {
  static std::mt19937_64 random;
  Shared<typename A::Word> shared;
  for (auto& part : shared) {
    part.resize(n);
    std::generate(part.begin(), part.end(),
                  [&] { return static_cast<typename A::Word>(random()); });
  }
  return shared;
}

/// One check, and what party 0 spent on it.
template <class A>
auto seconds_of(const std::array<Shared<typename A::Word>, 3>& words) -> double {
  std::array<ProductCheck<A>, kParties> checks;
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
      return PartsOf<typename A::Word>{words[i][party].data(), words[i][next].data()};
    };
    timed(party, [&] {
      checks[party].add_dots(parts(0), parts(1), parts(2), words[0][0].size(), 1);
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

template <class A>
void measure(std::string_view name, size_t n) {
  const std::array<Shared<typename A::Word>, 3> words{random_words<A>(n), random_words<A>(n),
                                                      random_words<A>(n)};
  std::array<double, kTimes> seconds{};
  std::generate(seconds.begin(), seconds.end(), [&] { return seconds_of<A>(words); });
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
  measure<GaloisRing<uint32_t, 47, 5>>("product of 32 bits", kWords);
  measure<GaloisRing<uint64_t, 47, 5>>("product of 64 bits", kWords);
  measure<GaloisRing<Word128, 47, 5>>("product of 128 bits", kWords / 8);
  measure<BinaryField<64>>("conjunction of 64 bits", kWords);
  return 0;
}
