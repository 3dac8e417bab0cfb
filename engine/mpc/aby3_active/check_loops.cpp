#include "engine/mpc/aby3_active/check_loops.h"

#include <type_traits>
#include <vector>

#include "base/cpu.h"
#include "engine/mpc/aby3_active/check_kernels.h"

namespace tacet::mpc {

#if defined(__x86_64__)
// Compiled elsewhere.
#define TACET_CHECK_LOOPS(...)                         \
  extern template struct CheckKernels<__VA_ARGS__, 1>; \
  extern template struct CheckKernels<__VA_ARGS__, 2>;
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS
extern template struct CheckKernels<BinaryField<64>, 3>;
#endif

namespace {

auto isa_of_checks() -> Isa {
  static const Isa isa = best_isa();
  return isa;
}

#if defined(__x86_64__)
/// Not all processors with AVX-512 have carry-less products of its vectors.
auto has_wide_carryless() -> bool {
  static const bool has = __builtin_cpu_supports("vpclmulqdq") != 0;
  return has;
}
#endif

/// Calls `body` with the kernels of the widest instruction set that this processor has.
template <class A, class Body>
auto with_kernels(Body body) {
#if defined(__x86_64__)
  switch (isa_of_checks()) {
    case Isa::Avx512Ifma:
      if constexpr (std::is_same_v<A, BinaryField<64>>) {
        if (has_wide_carryless()) {
          return body(CheckKernels<A, 3>());
        }
      }
      return body(CheckKernels<A, 2>());
    case Isa::Avx2:
      return body(CheckKernels<A, 1>());
    case Isa::Scalar:
      break;
  }
#endif
  return body(CheckKernels<A, 0>());
}

}  // namespace

template <class A>
void multiply_rows(const Block<A>& block, typename A::Element* out) {
  std::vector<typename A::Word> words(block.columns);
  with_kernels<A>([&](auto kernels) { kernels.multiply_rows(block, words.data(), out); });
}

template <class A>
void weigh_rows(const typename A::Word* x, size_t rows, size_t columns,
                const typename A::Weight* weights, typename A::Element* out) {
  with_kernels<A>([&](auto kernels) { kernels.weigh_rows(x, rows, columns, weights, out); });
}

template <class A>
void combine_rows(const typename A::Word* x, size_t rows, size_t columns,
                  const typename A::Weight* weights, typename A::Element* out) {
  with_kernels<A>([&](auto kernels) { kernels.combine_rows(x, rows, columns, weights, out); });
}

template <class A>
auto local_dot(PartsOf<typename A::Element> x, PartsOf<typename A::Element> y, size_t n) ->
    typename A::Element {
  return with_kernels<A>([&](auto kernels) { return kernels.local_dot(x, y, n); });
}

template <class A>
void weigh_each(typename A::Element* x, size_t n, const typename A::Weight* weights) {
  with_kernels<A>([&](auto kernels) { kernels.weigh_each(x, n, weights); });
}

template <class A>
void add_weighed(typename A::Element* sum, const typename A::Element* x, size_t n,
                 typename A::Weight weight) {
  with_kernels<A>([&](auto kernels) { kernels.add_weighed(sum, x, n, weight); });
}

#define TACET_CHECK_LOOPS(...)                                                                \
  template struct CheckKernels<__VA_ARGS__, 0>;                                               \
  template void multiply_rows<__VA_ARGS__>(const Block<__VA_ARGS__>&, __VA_ARGS__::Element*); \
  template void weigh_rows<__VA_ARGS__>(const __VA_ARGS__::Word*, size_t, size_t,             \
                                        const __VA_ARGS__::Weight*, __VA_ARGS__::Element*);   \
  template void combine_rows<__VA_ARGS__>(const __VA_ARGS__::Word*, size_t, size_t,           \
                                          const __VA_ARGS__::Weight*, __VA_ARGS__::Element*); \
  template auto local_dot<__VA_ARGS__>(PartsOf<__VA_ARGS__::Element>,                         \
                                       PartsOf<__VA_ARGS__::Element>, size_t)                 \
      ->__VA_ARGS__::Element;                                                                 \
  template void weigh_each<__VA_ARGS__>(__VA_ARGS__::Element*, size_t,                        \
                                        const __VA_ARGS__::Weight*);                          \
  template void add_weighed<__VA_ARGS__>(__VA_ARGS__::Element*, const __VA_ARGS__::Element*,  \
                                         size_t, __VA_ARGS__::Weight);
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS

}  // namespace tacet::mpc
