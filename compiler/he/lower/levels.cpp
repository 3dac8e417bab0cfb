#include "compiler/he/lower/levels.h"

#include <numeric>

namespace tacet::he_lower {

auto total_bits(const Setting& setting) -> unsigned {
  const auto sum = [](const std::vector<unsigned>& bits) {
    return std::accumulate(bits.begin(), bits.end(), 0U);
  };
  return sum(setting.data_prime_bits) + sum(setting.special_prime_bits);
}

}  // namespace tacet::he_lower
