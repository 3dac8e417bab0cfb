#include "engine/mpc/aby3_active/prime_loops.h"

#include "base/cpu.h"
#include "engine/mpc/aby3_active/prime_kernels.h"

namespace tacet::mpc {

#if defined(__x86_64__)
// Compiled elsewhere.
extern template struct PrimeKernels<1>;
TACET_PRIME_KERNELS_OF_WORD(extern, 1, uint32_t)
TACET_PRIME_KERNELS_OF_WORD(extern, 1, uint64_t)
#endif

namespace {

/// Calls `body` with the kernels of the widest instruction set that this processor has.
template <class Body>
auto with_prime_kernels(Body body) {
#if defined(__x86_64__)
  static const Isa isa = best_isa();
  if (isa == Isa::Avx512Ifma) {
    return body(PrimeKernels<1>());
  }
#endif
  return body(PrimeKernels<0>());
}

}  // namespace

template <class Word>
void compute_carries(const ClaimWords<Word>& claims, size_t n, size_t row, CarryBlock& out) {
  with_prime_kernels([&](auto kernels) { kernels.compute_carries(claims, n, row, out); });
}

void add_carries(const CarryBlock& carries, const uint64_t* bits, CarrySums& sums) {
  with_prime_kernels([&](auto kernels) { kernels.add_carries(carries, bits, sums); });
}

void weights_of_bits(const PrimeField& field, const uint64_t* bits, const uint64_t* weights,
                     uint64_t* out) {
  with_prime_kernels([&](auto kernels) { kernels.weights_of_bits(field, bits, weights, out); });
}

template <class Word>
void reduce_words(const PrimeField& field, const Word* x, size_t n, uint64_t* out) {
  with_prime_kernels([&](auto kernels) { kernels.reduce_words(field, x, n, out); });
}

void weigh_elements(const PrimeField& field, const uint64_t* weights, size_t n, uint64_t* x) {
  with_prime_kernels([&](auto kernels) { kernels.weigh_elements(field, weights, n, x); });
}

void add_elements(const PrimeField& field, const uint64_t* x, const uint64_t* y, size_t n,
                  uint64_t* out) {
  with_prime_kernels([&](auto kernels) { kernels.add_elements(field, x, y, n, out); });
}

auto dot_of_elements(const uint64_t* x, const uint64_t* y, size_t n) -> Word128 {
  return with_prime_kernels([&](auto kernels) { return kernels.dot_of_elements(x, y, n); });
}

void add_pairs(const TermRows& terms, size_t n, Word128* sums) {
  with_prime_kernels([&](auto kernels) { kernels.add_pairs(terms, n, sums); });
}

void combine_elements(const PrimeField& field, const uint64_t* x, size_t stride, size_t rows,
                      const uint64_t* weights, size_t n, uint64_t* out) {
  with_prime_kernels(
      [&](auto kernels) { kernels.combine_elements(field, x, stride, rows, weights, n, out); });
}

template struct PrimeKernels<0>;
TACET_PRIME_KERNELS_OF_WORD(, 0, uint32_t)
TACET_PRIME_KERNELS_OF_WORD(, 0, uint64_t)
template void compute_carries<uint32_t>(const ClaimWords<uint32_t>&, size_t, size_t, CarryBlock&);
template void compute_carries<uint64_t>(const ClaimWords<uint64_t>&, size_t, size_t, CarryBlock&);
template void reduce_words<uint32_t>(const PrimeField&, const uint32_t*, size_t, uint64_t*);
template void reduce_words<uint64_t>(const PrimeField&, const uint64_t*, size_t, uint64_t*);

}  // namespace tacet::mpc
