#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/cggi/kernels.h"
#include "engine/cggi/transform_passes.h"

/// Blind rotation and key switching over vectors `V` of doubles with `V::Words` of as many words.
namespace tacet::cggi {

/// Fetches the next element of the key while the processor works on this one: loops over
/// polynomials do not read the key, and memory would be idle in them.
class ElementPrefetch {
 public:
  ElementPrefetch(const double* begin, size_t n_doubles, size_t n_steps)
      : next_(begin),
        end_(begin + n_doubles),
        per_step_((n_doubles / kPerLine + n_steps - 1) / n_steps * kPerLine) {}

  void step() {
    const double* const stop = std::min(next_ + per_step_, end_);
    for (; next_ < stop; next_ += kPerLine) {
      __builtin_prefetch(next_, 0, 2);
    }
  }

 private:
  static constexpr size_t kPerLine = 64 / sizeof(double);

  const double* next_;
  const double* end_;
  size_t per_step_;
};

/// For polynomials of `kSize` coefficients, or of any size if that is zero.
template <class V, size_t kSize>
class RotationLoops {
 public:
  static void transform_element(const RotationShape& shape, const FourierTables& tables,
                                const uint64_t* element, double* out, double* scratch) {
    for (size_t row = 0; row < shape.n_rows(); ++row) {
      for (size_t column = 0; column < shape.n_components; ++column) {
        const uint64_t* words =
            element + (row * shape.n_components + column) * tables.polynomial_size;
        transform_words(words, tables, scratch);
        scatter(shape, row, column, scratch, out);
      }
    }
  }

  static void rotate(const RotationShape& shape, const FourierTables& tables, const double* key,
                     size_t key_stride, const RotationJob* jobs, size_t n_jobs, double* scratch) {
    for (size_t job = 0; job < n_jobs; ++job) {
      extend(shape, jobs[job].accumulator);
    }
    const size_t steps = 2 * n_jobs * shape.n_components * (shape.polynomial_size / 2 / kLanes);
    for (size_t i = 0; i < shape.n_elements; ++i, key += key_stride) {
      const size_t ahead = i + 1 < shape.n_elements ? shape.element_size() : 0;
      ElementPrefetch prefetch(key + key_stride, ahead, steps);
      size_t job = 0;
      for (; job + 2 <= n_jobs; job += 2) {
        Spectra<2> both = {{scratch, scratch + shape.n_rows() * size(shape.polynomial_size)}};
        add_products<2>(shape, tables, key, jobs + job, i, both, prefetch);
      }
      if (job < n_jobs) {
        Spectra<1> one = {{scratch}};
        add_products<1>(shape, tables, key, jobs + job, i, one, prefetch);
      }
    }
  }

 private:
  using Words = typename V::Words;
  static constexpr size_t kLanes = V::kLanes;
  static constexpr size_t kMaxTile = 4;
  static constexpr size_t kMaxComponents = kMaxGlweDimension + 1;

  static constexpr auto size(size_t polynomial_size) -> size_t {
    return kSize == 0 ? polynomial_size : kSize;
  }

  template <size_t kJobs>
  struct Spectra {
    double* rows[kJobs];
  };

  /// Columns are handled in tiles whose sums fit the registers.
  static auto tile_width(size_t n_left) -> size_t {
    return n_left > kMaxTile ? (n_left + 1) / 2 : n_left;
  }

  /// Torus words as fractions, divided by N/2, in Fourier form.
  static void transform_words(const uint64_t* words, const FourierTables& tables, double* out) {
    const double scale = 0x1p-64 / static_cast<double>(tables.polynomial_size / 2);
    for (size_t j = 0; j < tables.polynomial_size; ++j) {
      out[j] = static_cast<double>(static_cast<int64_t>(words[j])) * scale;
    }
    Transform<V, kSize>(out, tables).forward();
  }

  /// Vectors of a key element: for each position, tile, row and column of the tile.
  static void scatter(const RotationShape& shape, size_t row, size_t column, const double* spectrum,
                      double* out) {
    const size_t half = shape.polynomial_size / 2;
    for (size_t x = 0; x < half / kLanes; ++x) {
      size_t place = x * shape.n_rows() * shape.n_components;
      size_t first = 0;
      size_t width = tile_width(shape.n_components);
      while (column >= first + width) {
        place += shape.n_rows() * width;
        first += width;
        width = tile_width(shape.n_components - first);
      }
      place += row * width + column - first;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        out[2 * place * kLanes + lane] = spectrum[x * kLanes + lane];
        out[(2 * place + 1) * kLanes + lane] = spectrum[half + x * kLanes + lane];
      }
    }
  }

  /// Writes what is in front of each polynomial.
  static void extend(const RotationShape& shape, uint64_t* accumulator) {
    const size_t n = size(shape.polynomial_size);
    for (size_t c = 0; c < shape.n_components; ++c) {
      uint64_t* const words = accumulator + c * accumulator_stride(n);
      for (size_t j = 1; j <= kAccumulatorPad; ++j) {
        *(words - j) = uint64_t{0} - words[n - j];
      }
    }
  }

  /// Reads X^r a.
  struct Rotated {
    const uint64_t* words;
    size_t n;
    size_t shift;
    bool negative;

    auto at(size_t j) const -> Words {
      // Vectors that begin less than a pad before the polynomial are readable there.
      const bool wraps = j + kAccumulatorPad < shift;
      const uint64_t* const place = words + j + (wraps ? n : 0) - shift;
      const Words sign = Words::set(wraps != negative ? ~uint64_t{0} : 0);
      return (Words::load_unaligned(place) ^ sign) - sign;
    }
  };

  /// Signed digits as doubles.
  struct Digits {
    Digits(const Decomposition& d, Words offset_)
        : offset(offset_),
          mask(Words::set((uint64_t{1} << d.log2_base) - 1)),
          exponent(Words::set(0x4330000000000000)),  // of 2^52
          centre(V::set(0x1p52 + static_cast<double>(uint64_t{1} << (d.log2_base - 1)))),
          log2_base(d.log2_base) {}

    /// Of `x` with the offset.
    void store(Words x, unsigned level, double* to) const {
      const Words digit = shift_right(x, 64 - log2_base * (level + 1)) & mask;
      V::store(to, V::from_bits(digit | exponent) - centre);
    }

    Words offset;
    Words mask;
    Words exponent;
    V centre;
    unsigned log2_base;
  };

  /// Gives `store` each vector of X^r a - a and where its first digits belong.
  template <class Store>
  [[gnu::always_inline]] static void take_digits(const Rotated& rotated, Words offset, double* rows,
                                                 ElementPrefetch& prefetch, Store store) {
    const size_t half = size(rotated.n) / 2;
    for (size_t j = 0; j < half; j += kLanes) {
      for (const size_t place : {j, j + half}) {
        store(rotated.at(place) - Words::load(rotated.words + place) + offset, rows + place);
      }
      prefetch.step();
    }
  }

  /// The Fourier forms of the digits of X^r a - a.
  static void decompose(const RotationShape& shape, const FourierTables& tables,
                        const uint64_t* words, uint32_t rotation, double* rows,
                        ElementPrefetch& prefetch) {
    const size_t n = size(shape.polynomial_size);
    const unsigned base = shape.decomposition.log2_base;
    const unsigned levels = shape.decomposition.n_levels;
    const Rotated rotated = {words, n, rotation & (n - 1), (rotation & n) != 0};
    uint64_t rounding = uint64_t{1} << (63 - base * levels);
    for (unsigned level = 1; level <= levels; ++level) {
      rounding += uint64_t{1} << (63 - base * (level - 1));
    }
    const Digits digits = {shape.decomposition, Words::set(rounding)};
    if (levels == 1) {
      take_digits(rotated, digits.offset, rows, prefetch,
                  [&](Words x, double* to) { digits.store(x, 0, to); });
    } else {
      take_digits(rotated, digits.offset, rows, prefetch, [&](Words x, double* to) {
        for (unsigned level = 0; level < levels; ++level) {
          digits.store(x, level, to + level * n);
        }
      });
    }
    for (unsigned level = 0; level < levels; ++level) {
      Transform<V, kSize>(rows + level * n, tables).forward();
    }
  }

  /// Sums of digits times a tile of the key at position `x`.
  template <size_t kJobs, size_t kWidth>
  static void multiply_tile(const RotationShape& shape, const double* key,
                            const Spectra<kJobs>& spectra, size_t x, Complex<V>* sums) {
    Complex<V> sum[kJobs][kWidth];
    for (size_t job = 0; job < kJobs; ++job) {
      for (size_t column = 0; column < kWidth; ++column) {
        sum[job][column] = {V::zero(), V::zero()};
      }
    }
    const size_t n = size(shape.polynomial_size);
    for (size_t row = 0; row < shape.n_rows(); ++row, key += 2 * kWidth * kLanes) {
      Complex<V> digit[kJobs];
      for (size_t job = 0; job < kJobs; ++job) {
        const double* const place = spectra.rows[job] + row * n + x * kLanes;
        digit[job] = {V::load(place), V::load(place + n / 2)};
      }
      for (size_t column = 0; column < kWidth; ++column) {
        const V re = V::load(key + 2 * column * kLanes);
        const V im = V::load(key + (2 * column + 1) * kLanes);
        for (size_t job = 0; job < kJobs; ++job) {
          Complex<V>& to = sum[job][column];
          to.re = multiply_add(digit[job].re, re, to.re);
          to.im = multiply_add(digit[job].re, im, to.im);
          to.re = subtract_product(to.re, digit[job].im, im);
          to.im = multiply_add(digit[job].im, re, to.im);
        }
      }
    }
    for (size_t job = 0; job < kJobs; ++job) {
      for (size_t column = 0; column < kWidth; ++column) {
        sums[job * kMaxComponents + column] = sum[job][column];
      }
    }
  }

  /// Replaces the spectra of digits by those of the products' components.
  template <size_t kJobs>
  static void multiply(const RotationShape& shape, const double* key, Spectra<kJobs>& spectra) {
    const size_t n = size(shape.polynomial_size);
    for (size_t x = 0; x < n / 2 / kLanes; ++x) {
      Complex<V> sums[kJobs * kMaxComponents];
      size_t width = 0;
      for (size_t first = 0; first < shape.n_components; first += width) {
        width = tile_width(shape.n_components - first);
        multiply_width<kJobs>(shape, key, spectra, x, width, sums + first);
        key += 2 * kLanes * shape.n_rows() * width;
      }
      for (size_t job = 0; job < kJobs; ++job) {
        for (size_t c = 0; c < shape.n_components; ++c) {
          double* const place = spectra.rows[job] + c * n + x * kLanes;
          V::store(place, sums[job * kMaxComponents + c].re);
          V::store(place + n / 2, sums[job * kMaxComponents + c].im);
        }
      }
    }
  }

  template <size_t kJobs>
  static void multiply_width(const RotationShape& shape, const double* key,
                             const Spectra<kJobs>& spectra, size_t x, size_t width,
                             Complex<V>* sums) {
    switch (width) {
      case 1:
        return multiply_tile<kJobs, 1>(shape, key, spectra, x, sums);
      case 2:
        return multiply_tile<kJobs, 2>(shape, key, spectra, x, sums);
      case 3:
        return multiply_tile<kJobs, 3>(shape, key, spectra, x, sums);
      default:
        return multiply_tile<kJobs, 4>(shape, key, spectra, x, sums);
    }
  }

  /// Adds the polynomial whose Fourier form is `spectrum`, in torus units.
  static void add_inverse(const FourierTables& tables, double* spectrum, uint64_t* words,
                          ElementPrefetch& prefetch) {
    Transform<V, kSize>(spectrum, tables).inverse();
    const size_t half = size(tables.polynomial_size) / 2;
    for (size_t j = 0; j < half; j += kLanes) {
      for (const size_t place : {j, j + half}) {
        const Words sum = Words::load(words + place) + V::to_torus(V::load(spectrum + place));
        Words::store(words + place, sum);
      }
      prefetch.step();
    }
  }

  /// Adds to each accumulator a the product of X^r a - a and an element of the key.
  template <size_t kJobs>
  static void add_products(const RotationShape& shape, const FourierTables& tables,
                           const double* key, const RotationJob* jobs, size_t element,
                           Spectra<kJobs>& spectra, ElementPrefetch& prefetch) {
    const size_t n = size(shape.polynomial_size);
    const unsigned levels = shape.decomposition.n_levels;
    for (size_t job = 0; job < kJobs; ++job) {
      const uint32_t rotation = jobs[job].rotations[element];
      for (size_t c = 0; c < shape.n_components; ++c) {
        decompose(shape, tables, jobs[job].accumulator + c * accumulator_stride(n), rotation,
                  spectra.rows[job] + c * levels * n, prefetch);
      }
    }
    multiply<kJobs>(shape, key, spectra);
    for (size_t job = 0; job < kJobs; ++job) {
      for (size_t c = 0; c < shape.n_components; ++c) {
        add_inverse(tables, spectra.rows[job] + c * n,
                    jobs[job].accumulator + c * accumulator_stride(n), prefetch);
      }
      extend(shape, jobs[job].accumulator);
    }
  }
};

/// Rows of a key that are combined in one pass over the outputs.
constexpr size_t kRowsPerPass = 8;

/// Loops that the compiler vectorises as well as a person; each instruction set compiles its own.
template <class V>
struct IntegerKernels {
  static void switch_keys(const KeySwitchShape& shape, const uint32_t* key,
                          const uint64_t* const* inputs, uint32_t* const* outputs, size_t n_jobs) {
    const unsigned base = shape.decomposition.log2_base;
    const unsigned levels = shape.decomposition.n_levels;
    uint64_t offset = uint64_t{1} << (63 - base * levels);
    for (unsigned level = 1; level <= levels; ++level) {
      offset += uint64_t{1} << (63 - base * (level - 1));
    }
    const uint32_t half = uint32_t{1} << (base - 1);
    const uint64_t mask = 2 * half - 1;
    size_t input = 0;
    unsigned level = 0;
    for (size_t row = 0; row < shape.n_inputs * levels; row += kRowsPerPass) {
      size_t next_input = input;
      unsigned next_level = level;
      for (size_t job = 0; job < n_jobs; ++job) {
        uint32_t digits[kRowsPerPass];
        next_input = input;
        next_level = level;
        for (uint32_t& digit : digits) {
          const uint64_t x = (inputs[job][next_input] + offset) >> (64 - base * (next_level + 1));
          digit = static_cast<uint32_t>(x & mask) - half;
          next_level = next_level + 1 == levels ? 0 : next_level + 1;
          next_input += next_level == 0 ? 1 : 0;
        }
        subtract_rows(outputs[job], key, shape.row_stride, digits);
      }
      input = next_input;
      level = next_level;
      key += kRowsPerPass * shape.row_stride;
    }
  }

  static void subtract_rows(uint32_t* __restrict out, const uint32_t* __restrict rows,
                            size_t stride, const uint32_t (&digits)[kRowsPerPass]) {
    for (size_t j = 0; j < stride; ++j) {
      uint32_t sum = out[j];
      for (size_t row = 0; row < kRowsPerPass; ++row) {
        sum -= digits[row] * rows[row * stride + j];
      }
      out[j] = sum;
    }
  }

  static void add_binary_product(uint64_t* out, const uint64_t* extended, const uint64_t* masks,
                                 size_t n) {
    using Words = typename V::Words;
    constexpr size_t kVectors = 4;
    constexpr size_t kBlock = kVectors * V::kLanes;
    for (size_t i = 0; i < n; i += kBlock) {
      Words sums[kVectors];
      for (size_t v = 0; v < kVectors; ++v) {
        sums[v] = Words::load_unaligned(out + i + v * V::kLanes);
      }
      for (size_t j = 0; j < n; ++j) {
        const Words mask = Words::set(masks[j]);
        const uint64_t* const from = extended + n + i - j;
        for (size_t v = 0; v < kVectors; ++v) {
          sums[v] = sums[v] + (Words::load_unaligned(from + v * V::kLanes) & mask);
        }
      }
      for (size_t v = 0; v < kVectors; ++v) {
        Words::store_unaligned(out + i + v * V::kLanes, sums[v]);
      }
    }
  }
};

/// The loops for a shape. Gates run over the sizes that have their own.
template <class V>
void rotate_over(const RotationShape& shape, const FourierTables& tables, const double* key,
                 size_t key_stride, const RotationJob* jobs, size_t n_jobs, double* scratch) {
  const auto loops = [&] {
    switch (shape.polynomial_size) {
      case 256:
        return RotationLoops<V, 256>::rotate;
      case 512:
        return RotationLoops<V, 512>::rotate;
      default:
        return RotationLoops<V, 0>::rotate;
    }
  }();
  loops(shape, tables, key, key_stride, jobs, n_jobs, scratch);
}

/// The table of kernels over `V`.
template <class V>
constexpr auto kernels_over(Isa isa) -> Kernels {
  return {.isa = isa,
          .lanes = V::kLanes,
          .transform_element = RotationLoops<V, 0>::transform_element,
          .rotate = rotate_over<V>,
          .switch_keys = IntegerKernels<V>::switch_keys,
          .add_binary_product = IntegerKernels<V>::add_binary_product};
}

}  // namespace tacet::cggi
