#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/mpc/aby3_active/bit_kernels.h"
#include "engine/mpc/aby3_active/check_loops.h"
#include "engine/mpc/aby3_active/lanes.h"

/// Private to this folder: the loops of check_loops.h for one instruction set, which the including
/// file is compiled for. Nothing here may be emitted for another one: the kernels have its number
/// as a parameter, everything else is inlined.
namespace tacet::mpc {

template <class A, int kIsa>
struct CheckKernels {
  using Word = typename A::Word;
  using Weight = typename A::Weight;
  using Element = typename A::Element;

  static void multiply_rows(const Block<A>& block, Word* words, Element* out);
  static void weigh_rows(const Word* x, size_t rows, size_t columns, const Weight* weights,
                         Element* out);
  static void combine_rows(const Word* x, size_t rows, size_t columns, const Weight* weights,
                           Element* out);
  static auto local_dot(PartsOf<Element> x, PartsOf<Element> y, size_t n) -> Element;
  static void weigh_each(Element* x, size_t n, const Weight* weights);
  static void add_weighed(Element* sum, const Element* x, size_t n, Weight weight);
};

/// Sums of all subsets of four: element m has those whose bit in m is set.
template <class Lanes>
TACET_INLINE void subset_sums(const Lanes* from, Lanes* sums) {
  sums[0] = Lanes{};
  sums[1] = from[0];
  sums[2] = from[1];
  sums[3] = from[0] + from[1];
  for (size_t m = 0; m < 4; ++m) {
    sums[4 + m] = sums[m] + from[2];
  }
  for (size_t m = 0; m < 8; ++m) {
    sums[8 + m] = sums[m] + from[3];
  }
}

/// Bit j of four weights.
TACET_INLINE auto nibble_of(const uint64_t* weights, size_t j) -> unsigned {
  return static_cast<unsigned>((weights[0] >> j & 1) | (weights[1] >> j & 1) << 1 |
                               (weights[2] >> j & 1) << 2 | (weights[3] >> j & 1) << 3);
}

// Lanes are rows a; for each row c, the products with those up to c, 64 columns at a time. A weight
// takes a sum of some columns for each power of X: of four columns at a time there are 16 such
// sums.
template <class A>
TACET_INLINE void multiply_rows_in_lanes(const Block<A>& block, typename A::Element* out) {
  using T = typename A::Word;
  using L = LanesOf<T>;
  using Lanes = typename L::Type;
  constexpr size_t kColumns = 64;
  constexpr size_t kGroups = kColumns / 4;
  constexpr size_t kMaxRows = kMostRows;
  constexpr size_t kMaxVectors = kMaxRows / L::kCount;
  constexpr size_t kDegree = A::kDegree;
  alignas(64) T columns[4][kColumns][kMaxRows];
  alignas(64) Lanes products[kColumns];
  alignas(64) Lanes sums[kGroups][16];
  uint8_t nibbles[kDegree][kGroups];
  const size_t n_rows = block.rows;

  std::memset(out, 0, n_pairs(n_rows) * sizeof(*out));
  for (size_t begin = 0; begin < block.columns; begin += kColumns) {
    const size_t n = block.columns - begin < kColumns ? block.columns - begin : kColumns;
    std::memset(columns, 0, sizeof(columns));
    for (size_t a = 0; a < n_rows; ++a) {
      const size_t row = a * block.columns + begin;
      for (size_t b = 0; b < n; ++b) {
        columns[0][b][a] = block.x.first[row + b];
        columns[1][b][a] = block.x.second[row + b];
        columns[2][b][a] = block.y.first[row + b];
        columns[3][b][a] = block.y.first[row + b] + block.y.second[row + b];
      }
    }
    uint64_t weights[kColumns] = {};
    std::memcpy(weights, block.weights + begin, n * sizeof(uint64_t));
    for (size_t j = 0; j < kDegree; ++j) {
      for (size_t g = 0; g < kGroups; ++g) {
        nibbles[j][g] = static_cast<uint8_t>(nibble_of(weights + 4 * g, j));
      }
    }
    for (size_t c = 0; c < n_rows; ++c) {
      for (size_t v = 0; v <= c / L::kCount && v < kMaxVectors; ++v) {
        const size_t first = v * L::kCount;
        Lanes others = L::fill(static_cast<T>(~T{0}));
        if (c - first < L::kCount) {
          others[c - first] = 0;
        }
        for (size_t b = 0; b < kColumns; ++b) {
          const Lanes x0 = L::load(&columns[0][b][first]) + (L::fill(columns[0][b][c]) & others);
          const Lanes x1 = L::load(&columns[1][b][first]) + (L::fill(columns[1][b][c]) & others);
          const Lanes y0 = L::load(&columns[2][b][first]) + (L::fill(columns[2][b][c]) & others);
          const Lanes ys = L::load(&columns[3][b][first]) + (L::fill(columns[3][b][c]) & others);
          products[b] = x0 * ys + x1 * y0;
        }
        for (size_t g = 0; g < kGroups; ++g) {
          subset_sums(products + 4 * g, sums[g]);
        }
        const size_t n_lanes = c - first + 1 < L::kCount ? c - first + 1 : L::kCount;
        for (size_t j = 0; j < kDegree; ++j) {
          Lanes sum = sums[0][nibbles[j][0]];
          for (size_t g = 1; g < kGroups; ++g) {
            sum += sums[g][nibbles[j][g]];
          }
          T words[L::kCount];
          L::store(words, sum);
          for (size_t lane = 0; lane < n_lanes; ++lane) {
            out[pair_index(first + lane, c)][j] += words[lane];
          }
        }
      }
    }
  }
}

template <class A, int kIsa>
void CheckKernels<A, kIsa>::multiply_rows(const Block<A>& block, Word* words, Element* out) {
  if constexpr (kHasLanes<A>) {
    return multiply_rows_in_lanes<A>(block, out);
  }
#if defined(TACET_WIDE_CARRYLESS)
  if constexpr (kHasBitLanes<A>) {
    return multiply_rows_of_bits(block, out);
  }
#endif
  for (size_t c = 0; c < block.rows; ++c) {
    for (size_t a = 0; a <= c; ++a) {
      const Word* x0 = block.x.first + a * block.columns;
      const Word* x1 = block.x.second + a * block.columns;
      const Word* y0 = block.y.first + a * block.columns;
      const Word* y1 = block.y.second + a * block.columns;
      const size_t other = (c - a) * block.columns;
      const Word both = a == c ? Word{0} : static_cast<Word>(~Word{0});
      for (size_t b = 0; b < block.columns; ++b) {
        words[b] = A::local_product(
            A::plus(x0[b], x0[b + other] & both), A::plus(x1[b], x1[b + other] & both),
            A::plus(y0[b], y0[b + other] & both), A::plus(y1[b], y1[b + other] & both));
      }
      Element& sum = out[pair_index(a, c)];
      if constexpr (A::kWordElements == 1) {
        sum = {};
        for (size_t b = 0; b < block.columns; ++b) {
          A::add_word(sum, words[b], block.weights[b]);
        }
      } else {
        typename A::Wide wide{};
        for (size_t b = 0; b < block.columns; ++b) {
          A::weigh_add(wide, words[b], block.weights[b]);
        }
        sum = A::reduced(wide);
      }
    }
  }
}

// Lanes are rows, as above.
template <class A>
TACET_INLINE void weigh_rows_in_lanes(const typename A::Word* x, size_t rows, size_t columns,
                                      const typename A::Weight* weights, typename A::Element* out) {
  using T = typename A::Word;
  using L = LanesOf<T>;
  using Lanes = typename L::Type;
  constexpr size_t kColumns = 64;
  constexpr size_t kGroups = kColumns / 4;
  alignas(64) T words[kColumns][L::kCount];
  alignas(64) Lanes sums[kGroups][16];
  uint8_t nibbles[A::kDegree][kGroups];
  std::memset(out, 0, rows * sizeof(*out));
  for (size_t begin = 0; begin < columns; begin += kColumns) {
    const size_t n = columns - begin < kColumns ? columns - begin : kColumns;
    uint64_t padded[kColumns] = {};
    std::memcpy(padded, weights + begin, n * sizeof(uint64_t));
    for (size_t j = 0; j < A::kDegree; ++j) {
      for (size_t g = 0; g < kGroups; ++g) {
        nibbles[j][g] = static_cast<uint8_t>(nibble_of(padded + 4 * g, j));
      }
    }
    for (size_t first = 0; first < rows; first += L::kCount) {
      const size_t n_lanes = rows - first < L::kCount ? rows - first : L::kCount;
      std::memset(words, 0, sizeof(words));
      for (size_t a = 0; a < n_lanes; ++a) {
        const T* row = x + (first + a) * columns + begin;
        for (size_t b = 0; b < n; ++b) {
          words[b][a] = row[b];
        }
      }
      for (size_t g = 0; g < kGroups; ++g) {
        Lanes four[4];
        for (size_t i = 0; i < 4; ++i) {
          four[i] = L::load(words[4 * g + i]);
        }
        subset_sums(four, sums[g]);
      }
      for (size_t j = 0; j < A::kDegree; ++j) {
        Lanes sum = sums[0][nibbles[j][0]];
        for (size_t g = 1; g < kGroups; ++g) {
          sum += sums[g][nibbles[j][g]];
        }
        T of_rows[L::kCount];
        L::store(of_rows, sum);
        for (size_t lane = 0; lane < n_lanes; ++lane) {
          out[first + lane][j] += of_rows[lane];
        }
      }
    }
  }
}

template <class A, int kIsa>
void CheckKernels<A, kIsa>::weigh_rows(const Word* x, size_t rows, size_t columns,
                                       const Weight* weights, Element* out) {
  if constexpr (kHasLanes<A>) {
    return weigh_rows_in_lanes<A>(x, rows, columns, weights, out);
  }
  for (size_t a = 0; a < rows; ++a) {
    const Word* row = x + a * columns;
#if defined(TACET_WIDE_CARRYLESS)
    if constexpr (kHasBitLanes<A>) {
      out[a] = weigh_bits(row, columns, weights);
      continue;
    }
#endif
    if constexpr (A::kWordElements == 1) {
      out[a] = {};
      for (size_t b = 0; b < columns; ++b) {
        A::add_word(out[a], row[b], weights[b]);
      }
    } else {
      typename A::Wide sum{};
      for (size_t b = 0; b < columns; ++b) {
        A::weigh_add(sum, row[b], weights[b]);
      }
      out[a] = A::reduced(sum);
    }
  }
}

// Lanes are columns; of four rows at a time there are 16 sums.
template <class A>
TACET_INLINE void combine_rows_in_lanes(const typename A::Word* x, size_t rows, size_t columns,
                                        const typename A::Weight* weights,
                                        typename A::Element* out) {
  using T = typename A::Word;
  using L = LanesOf<T>;
  using Lanes = typename L::Type;
  constexpr size_t kMaxGroups = 8;
  constexpr size_t kDegree = A::kDegree;
  if (rows == 0) {
    std::memset(out, 0, columns * sizeof(*out));
  }
  for (size_t from = 0; from < rows; from += 4 * kMaxGroups) {
    const size_t n_rows = rows - from < 4 * kMaxGroups ? rows - from : 4 * kMaxGroups;
    const size_t n_groups = (n_rows + 3) / 4;
    uint64_t padded[4 * kMaxGroups] = {};
    std::memcpy(padded, weights + from, n_rows * sizeof(uint64_t));
    uint8_t nibbles[kDegree][kMaxGroups];
    for (size_t j = 0; j < kDegree; ++j) {
      for (size_t g = 0; g < n_groups; ++g) {
        nibbles[j][g] = static_cast<uint8_t>(nibble_of(padded + 4 * g, j));
      }
    }
    for (size_t b = 0; b < columns; b += L::kCount) {
      const size_t n = columns - b < L::kCount ? columns - b : L::kCount;
      alignas(64) Lanes sums[kMaxGroups][16];
      for (size_t g = 0; g < n_groups; ++g) {
        Lanes four[4] = {};
        for (size_t i = 0; i < 4 && 4 * g + i < n_rows; ++i) {
          const T* row = x + (from + 4 * g + i) * columns + b;
          if (n == L::kCount) {
            four[i] = L::load(row);
          } else {
            std::memcpy(&four[i], row, n * sizeof(T));
          }
        }
        subset_sums(four, sums[g]);
      }
      alignas(64) T words[kDegree][L::kCount];
      for (size_t j = 0; j < kDegree; ++j) {
        Lanes sum = sums[0][nibbles[j][0]];
        for (size_t g = 1; g < n_groups; ++g) {
          sum += sums[g][nibbles[j][g]];
        }
        L::store(words[j], sum);
      }
      for (size_t lane = 0; lane < n; ++lane) {
        typename A::Element& element = out[b + lane];
        for (size_t j = 0; j < kDegree; ++j) {
          element[j] = static_cast<T>((from == 0 ? 0 : element[j]) + words[j][lane]);
        }
      }
    }
  }
}

template <class A, int kIsa>
void CheckKernels<A, kIsa>::combine_rows(const Word* x, size_t rows, size_t columns,
                                         const Weight* weights, Element* out) {
  if constexpr (kHasLanes<A>) {
    return combine_rows_in_lanes<A>(x, rows, columns, weights, out);
  }
  std::memset(out, 0, columns * A::kWordElements * sizeof(*out));
  if constexpr (A::kWordElements == 1) {
    for (size_t a = 0; a < rows; ++a) {
      for (size_t b = 0; b < columns; ++b) {
        A::add_word(out[b], x[a * columns + b], weights[a]);
      }
    }
  } else {
    for (size_t b = 0; b < columns; ++b) {
#if defined(__AVX512F__)
      // Eight bits of a word choose where a row's weight is added.
      if constexpr (A::kWordElements == 64) {
        __m512i lanes[8] = {};
        for (size_t a = 0; a < rows; ++a) {
          const uint64_t word = x[a * columns + b];
          const __m512i weight = _mm512_set1_epi64(static_cast<int64_t>(weights[a]));
          for (size_t i = 0; i < 8; ++i) {
            const auto chosen = static_cast<__mmask8>(word >> (8 * i));
            lanes[i] = _mm512_mask_xor_epi64(lanes[i], chosen, lanes[i], weight);
          }
        }
        std::memcpy(out + b * A::kWordElements, lanes, sizeof(lanes));
        continue;
      }
#endif
      uint64_t sums[A::kWordElements] = {};
      for (size_t a = 0; a < rows; ++a) {
        const uint64_t word = x[a * columns + b];
        for (size_t i = 0; i < A::kWordElements; ++i) {
          sums[i] ^= weights[a] & (0 - (word >> i & 1));
        }
      }
      std::memcpy(out + b * A::kWordElements, sums, sizeof(sums));
    }
  }
}

template <class A, int kIsa>
auto CheckKernels<A, kIsa>::local_dot(PartsOf<Element> x, PartsOf<Element> y, size_t n) -> Element {
  if constexpr (kHasLanes<A>) {
    return local_dot_in_lanes<A>(x, y, n);
  }
#if defined(TACET_WIDE_CARRYLESS)
  if constexpr (kHasBitLanes<A>) {
    return local_dot_of_bits(x, y, n);
  }
#endif
  typename A::Wide sum{};
  for (size_t i = 0; i < n; ++i) {
    Element both = y.first[i];
    A::add(both, y.second[i]);
    A::multiply_add(sum, x.first[i], both);
    A::multiply_add(sum, x.second[i], y.first[i]);
  }
  return A::reduced(sum);
}

/// weight x.
template <class A>
TACET_INLINE auto weighed(const typename A::Element& x, typename A::Weight weight) ->
    typename A::Element {
  if constexpr (kHasLanes<A>) {
    using L = LanesOf<typename A::Word>;
    using Lanes = typename L::Type;
    // X^i x for each i, with zeros on both sides of x: which vectors they are is not known before.
    constexpr size_t kVectors = (2 * A::kDegree - 1 + L::kCount - 1) / L::kCount;
    typename A::Word words[A::kDegree + kVectors * L::kCount];
    std::memset(words, 0, sizeof(words));
    std::memcpy(words + A::kDegree, x.data(), sizeof(x));
    Lanes sums[kVectors] = {};
    for (uint64_t rest = weight; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(__builtin_ctzll(rest));
      for (size_t v = 0; v < kVectors; ++v) {
        sums[v] += L::load(words + A::kDegree + v * L::kCount - i);
      }
    }
    typename A::Wide wide;
    std::memcpy(wide.data(), sums, sizeof(wide));
    return A::reduced(wide);
  } else {
    typename A::Wide product{};
    A::weigh_add(product, x, weight);
    return A::reduced(product);
  }
}

template <class A, int kIsa>
void CheckKernels<A, kIsa>::weigh_each(Element* x, size_t n, const Weight* weights) {
#if defined(TACET_WIDE_CARRYLESS)
  if constexpr (kHasBitLanes<A>) {
    for (size_t i = 0; i < n; i += BitLanes::kCount) {
      const __mmask8 mask = BitLanes::mask_of(n - i);
      BitLanes products;
      products.multiply_add(BitLanes::load(x + i, mask), BitLanes::load(weights + i, mask));
      _mm512_mask_storeu_epi64(x + i, mask, products.reduced());
    }
    return;
  }
#endif
  for (size_t i = 0; i < n; ++i) {
    x[i] = weighed<A>(x[i], weights[i]);
  }
}

template <class A, int kIsa>
void CheckKernels<A, kIsa>::add_weighed(Element* sum, const Element* x, size_t n, Weight weight) {
#if defined(TACET_WIDE_CARRYLESS)
  if constexpr (kHasBitLanes<A>) {
    for (size_t i = 0; i < n; i += BitLanes::kCount) {
      const __mmask8 mask = BitLanes::mask_of(n - i);
      BitLanes products;
      products.multiply_add(BitLanes::load(x + i, mask), BitLanes::fill(weight));
      _mm512_mask_storeu_epi64(sum + i, mask,
                               _mm512_xor_si512(BitLanes::load(sum + i, mask), products.reduced()));
    }
    return;
  }
#endif
  for (size_t i = 0; i < n; ++i) {
    A::add(sum[i], weighed<A>(x[i], weight));
  }
}

#undef TACET_INLINE

}  // namespace tacet::mpc
