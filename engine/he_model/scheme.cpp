#include "engine/he_model/scheme.h"

namespace tacet::he {
namespace {

struct SecurityRow {
  size_t n;
  unsigned bits128, bits192, bits256;  // 0: not in the table
};

constexpr SecurityRow kSecurityTable[] = {
    {1024, 26, 0, 0},         {2048, 53, 36, 27},         {4096, 106, 73, 56},
    {8192, 214, 147, 114},    {16384, 430, 297, 230},     {32768, 868, 597, 462},
    {65536, 1747, 1199, 929}, {131072, 3523, 2411, 1866},
};

}  // namespace

auto scheme_name(Scheme scheme) -> std::string_view {
  switch (scheme) {
    case Scheme::Bfv:
      return "BFV";
    case Scheme::Bgv:
      return "BGV";
    case Scheme::Ckks:
      return "CKKS";
  }
  return {};
}

auto max_modulus_bits(size_t ring_dimension, Security security) -> std::optional<unsigned> {
  for (const SecurityRow& row : kSecurityTable) {
    if (row.n != ring_dimension) {
      continue;
    }
    unsigned bits = row.bits128;
    if (security != Security::Bits128) {
      bits = security == Security::Bits192 ? row.bits192 : row.bits256;
    }
    return bits == 0 ? std::nullopt : std::optional(bits);
  }
  return std::nullopt;
}

auto level_scales(double top, const std::vector<double>& primes) -> std::vector<double> {
  std::vector<double> scales(primes.size(), top);
  for (size_t n = primes.size(); n-- > 1;) {
    scales[n - 1] = scales[n] * scales[n] / primes[n];
  }
  return scales;
}

}  // namespace tacet::he
