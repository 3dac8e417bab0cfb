#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/mpc/ring_array.h"

/// The inner loops of products by triples. Spans of a call have one size.
namespace tacet::mpc {

/// out = x - y
template <class T>
void subtract_words(std::span<T> out, std::span<const T> x, std::span<const T> y);
/// out += x
template <class T>
void add_words(std::span<T> out, std::span<const T> x);
/// out = c + d b + e a, and d e if `with_product`.
template <class T>
void finish_products(std::span<T> out, std::span<const T> a, std::span<const T> b,
                     std::span<const T> c, std::span<const T> d, std::span<const T> e,
                     bool with_product);
/// out = c + 2 d a, and d^2 if `with_product`.
template <class T>
void finish_squares(std::span<T> out, std::span<const T> a, std::span<const T> c,
                    std::span<const T> d, bool with_product);
/// `finish_products` modulo 2.
void finish_conjunctions(std::span<uint64_t> out, std::span<const uint64_t> a,
                         std::span<const uint64_t> b, std::span<const uint64_t> c,
                         std::span<const uint64_t> d, std::span<const uint64_t> e,
                         bool with_product);
/// out ^= x
void exclusive_or_into(std::byte* out, const std::byte* x, size_t n);

}  // namespace tacet::mpc
