#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/mpc/bits.h"
#include "engine/mpc/share.h"

/// Private to this folder: the loops of products.
namespace tacet::mpc {

/// The words of both parts.
template <class T>
struct PartWords {
  const T* first;
  const T* second;
};

template <class T>
auto words_of(const Share& x) -> PartWords<T> {
  return {x.parts[0].words<T>().data(), x.parts[1].words<T>().data()};
}
inline auto words_of(const Bits& x) -> PartWords<uint64_t> {
  return {x.parts[0].words().data(), x.parts[1].words().data()};
}

/// out[i] = the local summand of product `begin + i`, plus plus[i] - minus[i] unless they are null.
template <class T>
void add_products(PartWords<T> x, PartWords<T> y, size_t begin, const T* plus, const T* minus,
                  std::span<T> out) {
  const T* x0 = x.first + begin;
  const T* x1 = x.second + begin;
  const T* y0 = y.first + begin;
  const T* y1 = y.second + begin;
  if (plus == nullptr) {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = x0[i] * (y0[i] + y1[i]) + x1[i] * y0[i];
    }
    return;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = x0[i] * (y0[i] + y1[i]) + x1[i] * y0[i] + plus[i] - minus[i];
  }
}

template <class T>
void add_masks(const T* plus, const T* minus, std::span<T> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] += plus[i] - minus[i];
  }
}

/// The same modulo 2, 64 at a time.
inline void add_conjunctions(PartWords<uint64_t> x, PartWords<uint64_t> y, size_t begin,
                             const uint64_t* plus, const uint64_t* minus, std::span<uint64_t> out) {
  const uint64_t* x0 = x.first + begin;
  const uint64_t* x1 = x.second + begin;
  const uint64_t* y0 = y.first + begin;
  const uint64_t* y1 = y.second + begin;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = (x0[i] & (y0[i] ^ y1[i])) ^ (x1[i] & y0[i]) ^ plus[i] ^ minus[i];
  }
}

}  // namespace tacet::mpc
