#include "compiler/he/prime_finder.h"

#include <cmath>

#include "base/primes.h"

namespace tacet::encrypted {

PrimeFinder::PrimeFinder(size_t ring_dimension, uint64_t plain_modulus)
    : step_(2 * ring_dimension), taken_({plain_modulus}) {}

auto PrimeFinder::find(Setting& setting) -> bool {
  std::map<unsigned, size_t> n_used;
  const auto fill = [&](const std::vector<unsigned>& bits, std::vector<double>& sizes) {
    sizes.clear();
    for (const unsigned b : bits) {
      const std::vector<double>& known = of_bits(b);
      const size_t i = n_used[b]++;
      if (i >= known.size()) {
        return false;
      }
      sizes.push_back(known[i]);
    }
    return true;
  };
  return fill(setting.data_prime_bits, setting.data_sizes) &&
         fill(setting.special_prime_bits, setting.special_sizes);
}

auto PrimeFinder::of_bits(unsigned bits) -> const std::vector<double>& {
  const auto [known, is_new] = sizes_.try_emplace(bits);
  if (is_new) {
    for (const uint64_t prime : largest_primes(bits, step_, he::kMaxPrimes, taken_)) {
      known->second.push_back(std::log2(static_cast<double>(prime)));
    }
  }
  return known->second;
}

}  // namespace tacet::encrypted
