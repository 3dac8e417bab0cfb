#include "engine/program/he/residues.h"

#include <map>

#include "base/check.h"

namespace tacet::engine {
namespace {

using Int128 = __int128;
using Uint128 = unsigned __int128;

/// x modulo m, of [0, m).
auto modulo(Int128 x, uint64_t m) -> uint64_t {
  const auto rest = static_cast<int64_t>(x % static_cast<Int128>(m));
  return rest < 0 ? static_cast<uint64_t>(rest + static_cast<int64_t>(m))
                  : static_cast<uint64_t>(rest);
}

auto multiply(uint64_t a, uint64_t b, uint64_t m) -> uint64_t {
  return static_cast<uint64_t>(static_cast<Uint128>(a) * b % m);
}

/// By Fermat; m is prime.
auto inverse(uint64_t a, uint64_t m) -> uint64_t {
  uint64_t result = 1;
  for (uint64_t exponent = m - 2; exponent != 0; exponent >>= 1, a = multiply(a, a, m)) {
    result = (exponent & 1) != 0 ? multiply(result, a, m) : result;
  }
  return result;
}

/// Garner's algorithm: x = d0 + d1 m0 + d2 m0 m1 …, digit by digit, then near zero.
auto combined(const std::vector<int64_t>& residues, const std::vector<uint64_t>& moduli) -> Int128 {
  Int128 x = 0;
  Int128 product = 1;
  for (size_t i = 0; i < moduli.size(); ++i) {
    const uint64_t m = moduli[i];
    const uint64_t digit = multiply(modulo(static_cast<Int128>(residues[i]) - modulo(x, m), m),
                                    inverse(modulo(product, m), m), m);
    x += product * static_cast<Int128>(digit);
    product *= static_cast<Int128>(m);
  }
  return x > product / 2 ? x - product : x;
}

}  // namespace

auto residues_of(const HeIntegers& integers, uint64_t modulus) -> HeValues {
  const auto m = static_cast<int64_t>(modulus);
  HeValues result;
  for (const auto& [name, numbers] : integers) {
    std::vector<double>& residues = result[name];
    residues.reserve(numbers.size());
    for (const int64_t number : numbers) {
      int64_t rest = number % m;
      rest -= rest > m / 2 ? m : 0;
      rest += rest < -(m / 2) ? m : 0;
      residues.push_back(static_cast<double>(rest));
    }
  }
  return result;
}

auto combine_residues(const std::vector<HeValues>& residues, const std::vector<uint64_t>& moduli)
    -> HeIntegers {
  TACET_CHECK(!moduli.empty() && residues.size() == moduli.size(), "residues of each modulus");
  /// Where an output's residues are, and modulo what.
  struct Parts {
    std::vector<const std::vector<double>*> numbers;
    std::vector<uint64_t> moduli;
  };
  std::map<std::string, Parts, std::less<>> outputs;
  for (size_t i = 0; i < residues.size(); ++i) {
    for (const auto& [name, numbers] : residues[i]) {
      outputs[name].numbers.push_back(&numbers);
      outputs[name].moduli.push_back(moduli[i]);
    }
  }
  HeIntegers result;
  for (const auto& [name, parts] : outputs) {
    std::vector<int64_t>& numbers = result[name];
    std::vector<int64_t> row(parts.moduli.size());
    for (size_t at = 0; at < parts.numbers.front()->size(); ++at) {
      for (size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<int64_t>((*parts.numbers[i])[at]);
      }
      numbers.push_back(static_cast<int64_t>(static_cast<uint64_t>(combined(row, parts.moduli))));
    }
  }
  return result;
}

}  // namespace tacet::engine
