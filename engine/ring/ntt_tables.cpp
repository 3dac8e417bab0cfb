#include "engine/ring/ntt_tables.h"

#include <bit>

#include "base/check.h"
#include "engine/ring/kernels.h"
#include "engine/ring/primes.h"

namespace tacet::ring {
namespace {

/// How a kernel keeps a root.
auto words_for(Isa isa, uint64_t root, const Modulus& q) -> RootWords {
  switch (isa) {
    case Isa::Scalar:
      return scalar_root(root, q);
    case Isa::Avx2: {
      const auto near_zero = static_cast<double>(centred(root, q));
      return {std::bit_cast<uint64_t>(near_zero), std::bit_cast<uint64_t>(near_zero / q.as_double)};
    }
    case Isa::Avx512Ifma:
      return {root, static_cast<uint64_t>((static_cast<Uint128>(root) << 52) / q.value)};
  }
  return {};
}

/// See `RootTable::inside`.
auto inside_table(const std::vector<uint64_t>& roots, const Modulus& q) -> AlignedWords {
  constexpr size_t kLanes = 8;
  const size_t n_nodes = roots.size() / kLanes;
  AlignedWords table;
  for (size_t first = n_nodes; first < 2 * n_nodes; first += kLanes) {
    for (size_t row = 1; row < kLanes; row *= 2) {
      for (size_t below = 0; below < row; ++below) {
        const size_t start = table.size();
        table.resize(start + 2 * kLanes);
        for (size_t lane = 0; lane < kLanes; ++lane) {
          const RootWords words =
              words_for(Isa::Avx512Ifma, roots[(first + lane) * row + below], q);
          table[start + lane] = words.root;
          table[start + kLanes + lane] = words.quotient;
        }
      }
    }
  }
  return table;
}

auto table(const std::vector<uint64_t>& roots, const Modulus& q, Isa isa) -> RootTable {
  const size_t n = isa == Isa::Avx512Ifma ? roots.size() / 8 : roots.size();
  RootTable result{.roots = AlignedWords(n), .quotients = AlignedWords(n), .inside = {}};
  for (size_t i = 0; i < n; ++i) {
    const RootWords words = words_for(isa, roots[i], q);
    result.roots[i] = words.root;
    result.quotients[i] = words.quotient;
  }
  if (isa == Isa::Avx512Ifma) {
    result.inside = inside_table(roots, q);
  }
  return result;
}

}  // namespace

auto reverse_bits(uint64_t x, unsigned n_bits) -> uint64_t {
  uint64_t result = 0;
  for (unsigned i = 0; i < n_bits; ++i) {
    result |= ((x >> i) & 1) << (n_bits - 1 - i);
  }
  return result;
}

NttTables::NttTables(size_t n, const Modulus& q, Isa kernel)
    : dimension(n), modulus(q), isa(kernel) {
  TACET_CHECK(std::has_single_bit(n) && n >= kMinDimension && n <= kMaxDimension,
              "a ring dimension is a power of two of 64 to 131072");
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  const uint64_t psi = least_primitive_root(2 * n, q);
  const uint64_t inverse_psi = power(psi, 2 * n - 1, q);
  std::vector<uint64_t> roots(n);
  std::vector<uint64_t> inverse_roots(n);
  uint64_t root = 1;
  uint64_t inverse_root = 1;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t node = reverse_bits(i, log_n);
    roots[node] = root;
    inverse_roots[node] = inverse_root;
    root = multiply(root, psi, q);
    inverse_root = multiply(inverse_root, inverse_psi, q);
  }
  const uint64_t one_over_n = power(n, q.value - 2, q);
  inverse_roots[1] = multiply(inverse_roots[1], one_over_n, q);
  forward = table(roots, q, isa);
  inverse = table(inverse_roots, q, isa);
  const RootWords words = words_for(isa, one_over_n, q);
  scale = words.root;
  scale_quotient = words.quotient;
}

}  // namespace tacet::ring
