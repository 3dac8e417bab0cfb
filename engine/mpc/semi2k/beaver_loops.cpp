#include "engine/mpc/semi2k/beaver_loops.h"

namespace tacet::mpc {

template <class T>
void subtract_words(std::span<T> out, std::span<const T> x, std::span<const T> y) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = x[i] - y[i];
  }
}

template <class T>
void add_words(std::span<T> out, std::span<const T> x) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] += x[i];
  }
}

template <class T>
void finish_products(std::span<T> out, std::span<const T> a, std::span<const T> b,
                     std::span<const T> c, std::span<const T> d, std::span<const T> e,
                     bool with_product) {
  const T mask = with_product ? static_cast<T>(~T{0}) : T{0};
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = c[i] + d[i] * b[i] + e[i] * (a[i] + (d[i] & mask));
  }
}

template <class T>
void finish_squares(std::span<T> out, std::span<const T> a, std::span<const T> c,
                    std::span<const T> d, bool with_product) {
  const T mask = with_product ? static_cast<T>(~T{0}) : T{0};
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = c[i] + d[i] * (2 * a[i] + (d[i] & mask));
  }
}

void finish_conjunctions(std::span<uint64_t> out, std::span<const uint64_t> a,
                         std::span<const uint64_t> b, std::span<const uint64_t> c,
                         std::span<const uint64_t> d, std::span<const uint64_t> e,
                         bool with_product) {
  const uint64_t mask = with_product ? ~uint64_t{0} : 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = c[i] ^ (d[i] & b[i]) ^ (e[i] & (a[i] ^ (d[i] & mask)));
  }
}

void exclusive_or_into(std::byte* out, const std::byte* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    out[i] ^= x[i];
  }
}

#define TACET_INSTANTIATE(T)                                                                       \
  template void subtract_words(std::span<T>, std::span<const T>, std::span<const T>);              \
  template void add_words(std::span<T>, std::span<const T>);                                       \
  template void finish_products(std::span<T>, std::span<const T>, std::span<const T>,              \
                                std::span<const T>, std::span<const T>, std::span<const T>, bool); \
  template void finish_squares(std::span<T>, std::span<const T>, std::span<const T>,               \
                               std::span<const T>, bool);
TACET_INSTANTIATE(uint32_t)
TACET_INSTANTIATE(uint64_t)
TACET_INSTANTIATE(Word128)
#undef TACET_INSTANTIATE

}  // namespace tacet::mpc
