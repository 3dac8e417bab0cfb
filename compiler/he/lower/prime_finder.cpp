#include "compiler/he/lower/prime_finder.h"

#include <cmath>

#include "base/primes.h"

namespace tacet::he_lower {

PrimeFinder::PrimeFinder(size_t ring_dimension, uint64_t plain_modulus)
    : step_(2 * ring_dimension), taken_({plain_modulus}) {}

auto PrimeFinder::find(Setting& setting) -> bool {
  std::map<unsigned, size_t> n_used;
  const auto fill = [&](const std::vector<unsigned>& bits, std::vector<double>& sizes) {
    sizes.clear();
    for (const unsigned b : bits) {
      const std::optional<double> size = size_of(b, n_used[b]++);
      if (!size) {
        return false;
      }
      sizes.push_back(*size);
    }
    return true;
  };
  return fill(setting.data_prime_bits, setting.data_sizes) &&
         fill(setting.special_prime_bits, setting.special_sizes);
}

/// Of the `at`-th largest prime of so many bits.
auto PrimeFinder::size_of(unsigned bits, size_t at) -> std::optional<double> {
  Found& found =
      found_.try_emplace(bits, Found{.sizes = {}, .last = uint64_t{1} << bits}).first->second;
  const uint64_t least = (uint64_t{1} << (bits - 1)) + 1;
  while (found.sizes.size() <= at && found.sizes.size() < he::kMaxPrimes && found.last != 0) {
    found.last = greatest_prime(least, found.last, step_, taken_);
    if (found.last != 0) {
      found.sizes.push_back(std::log2(static_cast<double>(found.last)));
    }
  }
  return at < found.sizes.size() ? std::optional(found.sizes[at]) : std::nullopt;
}

}  // namespace tacet::he_lower
