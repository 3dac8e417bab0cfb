#include "engine/mpc/ring_arithmetic.h"

#include <algorithm>
#include <cstring>

#include "engine/mpc/ring_loops.h"

namespace tacet::mpc {

namespace {

void check_alike(const RingArray& x, const RingArray& y) {
  TACET_CHECK(x.ring() == y.ring() && x.size() == y.size(), "operands of different shapes");
}

/// `body(x[i])` for every word.
template <class Body>
auto map(const RingArray& x, Body body) -> RingArray {
  RingArray out = x.like();
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* in = x.words<T>().data();
    T* to = out.edit<T>().data();
    for (size_t i = 0; i < x.size(); ++i) {
      to[i] = static_cast<T>(body(in[i]));
    }
  });
  return out;
}

template <class Body>
auto map(const RingArray& x, const RingArray& y, Body body) -> RingArray {
  check_alike(x, y);
  RingArray out = x.like();
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* left = x.words<T>().data();
    const T* right = y.words<T>().data();
    T* to = out.edit<T>().data();
    for (size_t i = 0; i < x.size(); ++i) {
      to[i] = static_cast<T>(body(left[i], right[i]));
    }
  });
  return out;
}

template <class T>
struct SignedWord {
  using Type = std::make_signed_t<T>;
};
template <>
struct SignedWord<Word128> {
  __extension__ using Type = __int128;
};

template <class T>
auto as_signed(T word) {
  return static_cast<typename SignedWord<T>::Type>(word);
}

}  // namespace

auto add(const RingArray& x, const RingArray& y) -> RingArray {
  return map(x, y, [](auto a, auto b) { return a + b; });
}

auto subtract(const RingArray& x, const RingArray& y) -> RingArray {
  return map(x, y, [](auto a, auto b) { return a - b; });
}

auto negate(const RingArray& x) -> RingArray {
  return map(x, [](auto a) { return 0 - a; });
}

auto multiply(const RingArray& x, const RingArray& y) -> RingArray {
  return map(x, y, [](auto a, auto b) { return a * b; });
}

auto add_constant(const RingArray& x, Word128 constant) -> RingArray {
  return map(x, [=](auto a) { return a + static_cast<decltype(a)>(constant); });
}

auto scale(const RingArray& x, Word128 constant) -> RingArray {
  return map(x, [=](auto a) { return a * static_cast<decltype(a)>(constant); });
}

auto multiply_add(const RingArray& x, const RingArray& y, const RingArray& z) -> RingArray {
  check_alike(x, y);
  check_alike(x, z);
  RingArray out = x.like();
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* a = x.words<T>().data();
    const T* b = y.words<T>().data();
    const T* c = z.words<T>().data();
    T* to = out.edit<T>().data();
    for (size_t i = 0; i < x.size(); ++i) {
      to[i] = a[i] * b[i] + c[i];
    }
  });
  return out;
}

auto shift_left(const RingArray& x, unsigned distance) -> RingArray {
  return map(x, [=](auto a) { return a << distance; });
}

auto shift_right(const RingArray& x, unsigned distance) -> RingArray {
  return map(x, [=](auto a) { return a >> distance; });
}

auto shift_right_arithmetic(const RingArray& x, unsigned distance) -> RingArray {
  return map(x, [=](auto a) { return as_signed(a) >> distance; });
}

auto low_bits(const RingArray& x, unsigned count) -> RingArray {
  if (count >= n_bits(x.ring())) {
    return x;
  }
  const Word128 mask = (Word128{1} << count) - 1;
  return map(x, [=](auto a) { return a & static_cast<decltype(a)>(mask); });
}

auto convert(const RingArray& x, Ring ring, Extend extend) -> RingArray {
  if (ring == x.ring()) {
    return x;
  }
  RingArray out(ring, x.size(), x.memory());
  with_word(x.ring(), [&]<class From>(std::type_identity<From>) {
    with_word(ring, [&]<class To>(std::type_identity<To>) {
      const From* in = x.words<From>().data();
      To* to = out.edit<To>().data();
      for (size_t i = 0; i < x.size(); ++i) {
        to[i] = extend == Extend::Sign ? static_cast<To>(as_signed(in[i])) : static_cast<To>(in[i]);
      }
    });
  });
  return out;
}

auto sum_rows(const RingArray& x, size_t length) -> RingArray {
  TACET_CHECK(length > 0 && x.size() % length == 0, "rows of that length do not fill the array");
  RingArray out = x.like(x.size() / length);
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* in = x.words<T>().data();
    for (T& sum : out.edit<T>()) {
      sum = 0;
      for (size_t i = 0; i < length; ++i) {
        sum += *in++;
      }
    }
  });
  return out;
}

auto dot_rows(const RingArray& x, const RingArray& y, size_t length) -> RingArray {
  check_alike(x, y);
  TACET_CHECK(length > 0 && x.size() % length == 0, "rows of that length do not fill the array");
  RingArray out = x.like(x.size() / length);
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* left = x.words<T>().data();
    const T* right = y.words<T>().data();
    for (T& sum : out.edit<T>()) {
      sum = 0;
      for (size_t i = 0; i < length; ++i) {
        sum += *left++ * *right++;
      }
    }
  });
  return out;
}

auto multiply_matrices(const RingArray& x, const RingArray& y, MatrixShape shape) -> RingArray {
  TACET_CHECK(x.ring() == y.ring() && x.size() == shape.rows * shape.inner &&
                  y.size() == shape.inner * shape.columns,
              "matrices of other shapes");
  RingArray out = RingArray::zeros(x.ring(), shape.rows * shape.columns, x.memory());
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    add_matrix_product(x.words<T>().data(), y.words<T>().data(), out.edit<T>().data(), shape);
  });
  return out;
}

auto gather(const RingArray& x, std::span<const uint32_t> indices) -> RingArray {
  RingArray out(x.ring(), indices.size(), x.memory());
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* in = x.words<T>().data();
    T* to = out.edit<T>().data();
    for (const uint32_t index : indices) {
      *to++ = in[index];
    }
  });
  return out;
}

auto scatter(const RingArray& x, std::span<const uint32_t> indices) -> RingArray {
  TACET_CHECK(x.size() == indices.size(), "a permutation of another size");
  RingArray out = x.like();
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const T* in = x.words<T>().data();
    T* to = out.edit<T>().data();
    for (const uint32_t index : indices) {
      to[index] = *in++;
    }
  });
  return out;
}

auto slice(const RingArray& x, size_t begin, size_t n) -> RingArray {
  return x.range(begin, n);
}

auto concatenate(std::span<const RingArray> arrays) -> RingArray {
  size_t n = 0;
  for (const RingArray& array : arrays) {
    TACET_CHECK(array.ring() == arrays[0].ring(), "operands of different rings");
    n += array.size();
  }
  TACET_CHECK(!arrays.empty(), "nothing to concatenate");
  RingArray out = arrays[0].like(n);
  std::byte* to = out.edit_bytes().data();
  for (const RingArray& array : arrays) {
    const std::span<const std::byte> bytes = array.bytes();
    to = std::copy(bytes.begin(), bytes.end(), to);
  }
  return out;
}

auto repeat_each(const RingArray& x, size_t count) -> RingArray {
  RingArray out = x.like(x.size() * count);
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    T* to = out.edit<T>().data();
    for (const T word : x.words<T>()) {
      to = std::fill_n(to, count, word);
    }
  });
  return out;
}

auto tile(const RingArray& x, size_t count) -> RingArray {
  RingArray out = x.like(x.size() * count);
  const std::span<const std::byte> bytes = x.bytes();
  std::byte* to = out.edit_bytes().data();
  for (size_t i = 0; i < count; ++i) {
    to = std::copy(bytes.begin(), bytes.end(), to);
  }
  return out;
}

}  // namespace tacet::mpc
