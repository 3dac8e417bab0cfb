#include "engine/mpc/aby3_active/check_loops.h"

#include <algorithm>
#include <vector>

namespace tacet::mpc {

template <class A>
void multiply_rows(const Block<A>& block, typename A::Element* out) {
  using Word = typename A::Word;
  auto product = [&](size_t at_x, size_t at_y) {
    return A::local_product(block.x.first[at_x], block.x.second[at_x], block.y.first[at_y],
                            block.y.second[at_y]);
  };
  std::vector<Word> words(block.columns);
  for (size_t c = 0; c < block.rows; ++c) {
    for (size_t a = 0; a <= c; ++a) {
      for (size_t b = 0; b < block.columns; ++b) {
        const size_t first = a * block.columns + b;
        const size_t second = c * block.columns + b;
        words[b] = product(first, second);
        if (a != c) {
          if constexpr (A::kWordElements == 1) {
            words[b] = static_cast<Word>(words[b] + product(second, first));
          } else {
            words[b] ^= product(second, first);
          }
        }
      }
      weigh_rows<A>(words.data(), 1, block.columns, block.weights, out + pair_index(a, c));
    }
  }
}

template <class A>
void weigh_rows(const typename A::Word* x, size_t rows, size_t columns,
                const typename A::Weight* weights, typename A::Element* out) {
  for (size_t a = 0; a < rows; ++a) {
    const typename A::Word* row = x + a * columns;
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

template <class A>
void combine_rows(const typename A::Word* x, size_t rows, size_t columns,
                  const typename A::Weight* weights, typename A::Element* out) {
  std::fill(out, out + columns * A::kWordElements, typename A::Element{});
  for (size_t a = 0; a < rows; ++a) {
    const typename A::Word* row = x + a * columns;
    for (size_t b = 0; b < columns; ++b) {
      if constexpr (A::kWordElements == 1) {
        A::add_word(out[b], row[b], weights[a]);
      } else {
        for (size_t i = 0; i < A::kWordElements; ++i) {
          out[b * A::kWordElements + i] ^= weights[a] & (0 - (row[b] >> i & 1));
        }
      }
    }
  }
}

template <class A>
auto local_dot(PartsOf<typename A::Element> x, PartsOf<typename A::Element> y, size_t n) ->
    typename A::Element {
  typename A::Wide sum{};
  for (size_t i = 0; i < n; ++i) {
    typename A::Element both = y.first[i];
    A::add(both, y.second[i]);
    A::multiply_add(sum, x.first[i], both);
    A::multiply_add(sum, x.second[i], y.first[i]);
  }
  return A::reduced(sum);
}

template <class A>
void weigh_each(typename A::Element* x, size_t n, const typename A::Weight* weights) {
  for (size_t i = 0; i < n; ++i) {
    typename A::Wide product{};
    A::weigh_add(product, x[i], weights[i]);
    x[i] = A::reduced(product);
  }
}

template <class A>
void add_weighed(typename A::Element* sum, const typename A::Element* x, size_t n,
                 typename A::Weight weight) {
  for (size_t i = 0; i < n; ++i) {
    typename A::Wide product{};
    A::weigh_add(product, x[i], weight);
    A::add(sum[i], A::reduced(product));
  }
}

#define TACET_CHECK_LOOPS(...)                                                                   \
  template void multiply_rows<__VA_ARGS__>(const Block<__VA_ARGS__>&, __VA_ARGS__::Element*);    \
  template void weigh_rows<__VA_ARGS__>(const __VA_ARGS__::Word*, size_t, size_t,                \
                                        const __VA_ARGS__::Weight*, __VA_ARGS__::Element*);      \
  template void combine_rows<__VA_ARGS__>(const __VA_ARGS__::Word*, size_t, size_t,              \
                                          const __VA_ARGS__::Weight*, __VA_ARGS__::Element*);    \
  template auto local_dot<__VA_ARGS__>(PartsOf<__VA_ARGS__::Element>,                            \
                                       PartsOf<__VA_ARGS__::Element>, size_t)                    \
      ->__VA_ARGS__::Element;                                                                    \
  template void weigh_each<__VA_ARGS__>(__VA_ARGS__::Element*, size_t,                           \
                                        const __VA_ARGS__::Weight*);                             \
  template void add_weighed<__VA_ARGS__>(__VA_ARGS__::Element*, const __VA_ARGS__::Element*,     \
                                         size_t, __VA_ARGS__::Weight);
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS

}  // namespace tacet::mpc
