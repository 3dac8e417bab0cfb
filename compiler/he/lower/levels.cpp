#include "compiler/he/lower/levels.h"

#include <numeric>

namespace tacet::he_lower {

auto total_bits(const Setting& setting) -> unsigned {
  const auto sum = [](const std::vector<unsigned>& bits) {
    return std::accumulate(bits.begin(), bits.end(), 0U);
  };
  return sum(setting.data_prime_bits) + sum(setting.special_prime_bits);
}

auto has_at_most(const Setting& setting, unsigned bits) -> bool {
  const double size = std::accumulate(
      setting.data_sizes.begin(), setting.data_sizes.end(),
      std::accumulate(setting.special_sizes.begin(), setting.special_sizes.end(), 0.0));
  return total_bits(setting) <= bits && size <= bits + he::kModulusSlack;
}

}  // namespace tacet::he_lower
