#include "compiler/he/lower/prime_finder.h"

#include <cmath>

#include "base/primes.h"

namespace tacet::he_lower {

PrimeFinder::PrimeFinder(size_t ring_dimension, uint64_t plain_modulus)
    : step_(2 * ring_dimension), taken_({plain_modulus}) {}

/// As `he::insecure_test_parameters` chooses them.
auto PrimeFinder::find_levels(Setting& setting) -> bool {
  std::map<unsigned, size_t> n_used;
  const auto next = [&](unsigned bits, double& size) {
    const uint64_t prime =
        levels_.try_emplace(bits, he::LevelPrimes(bits, step_)).first->second.at(n_used[bits]++);
    size = std::log2(static_cast<double>(prime));
    return prime != 0;
  };
  setting.data_sizes.resize(setting.data_prime_bits.size());
  setting.special_sizes.resize(setting.special_prime_bits.size());
  bool is_good = true;
  for (size_t i = setting.data_sizes.size(); i-- > 0 && is_good;) {
    is_good = next(setting.data_prime_bits[i], setting.data_sizes[i]);
  }
  for (size_t i = 0; i < setting.special_sizes.size() && is_good; ++i) {
    is_good = next(setting.special_prime_bits[i], setting.special_sizes[i]);
  }
  return is_good;
}

auto PrimeFinder::find(Setting& setting) -> bool {
  if (setting.scheme == he::Scheme::Ckks) {
    return find_levels(setting);
  }
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
