#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "engine/cggi/fourier_tables.h"
#include "engine/cggi_model/parameters.h"

namespace tacet::cggi {

/// What kernels need to know of a rotation key.
struct RotationShape {
  size_t n_components = 0;  ///< k + 1
  size_t polynomial_size = 0;
  size_t n_elements = 0;  ///< n
  Decomposition decomposition{};

  /// Rows of a GGSW ciphertext.
  [[nodiscard]] auto n_rows() const -> size_t { return n_components * decomposition.n_levels; }
  /// Doubles of an element in Fourier form.
  [[nodiscard]] auto element_size() const -> size_t {
    return n_rows() * n_components * polynomial_size;
  }
};

/// In front of each polynomial of an accumulator stand its negated last words, which
/// make a rotated polynomial readable by unaligned vectors.
constexpr size_t kAccumulatorPad = 8;

/// Words from one polynomial of an accumulator to the next.
constexpr auto accumulator_stride(size_t polynomial_size) -> size_t {
  return polynomial_size + kAccumulatorPad;
}

/// A GLWE ciphertext to be rotated: `n_components` polynomials, the first behind the first pad,
/// 64-byte aligned; and by how much each element's bit rotates it, modulo 2 N.
struct RotationJob {
  uint64_t* accumulator = nullptr;
  const uint32_t* rotations = nullptr;
};

/// What kernels need to know of a key that switches keys: for each word of the input, most
/// significant digit first, `n_levels` rows of `row_stride` words.
struct KeySwitchShape {
  size_t n_inputs = 0;    ///< words without the body, a multiple of eight
  size_t row_stride = 0;  ///< words of a row, a multiple of 16; those behind the body are zero
  Decomposition decomposition{};
};

/// Jobs of `rotate` and `switch_keys` that share one pass over the key.
constexpr size_t kMaxLockStep = 8;

/// The inner loops of bootstrapping, one table per instruction set. Integer results are the same
/// for all; transforms differ in how they round. No path or address depends on what is secret;
/// those of `rotate` depend on ciphertexts, which are public.
struct Kernels {
  Isa isa{};
  size_t lanes = 1;  ///< doubles of a vector

  /// The Fourier form of a GGSW ciphertext of `n_rows` · `n_components` polynomials of torus words,
  /// divided by N/2, in the order in which `rotate` reads it. `scratch` has N doubles.
  void (*transform_element)(const RotationShape& shape, const FourierTables& tables,
                            const uint64_t* element, double* out, double* scratch) = nullptr;

  /// Multiplies each accumulator by X^(r_1 s_1 + …) for the bits s of the key, whose elements are
  /// `key_stride` doubles apart. At most `kMaxLockStep` jobs. `scratch` has `rotation_scratch`
  /// doubles, 64-byte aligned.
  void (*rotate)(const RotationShape& shape, const FourierTables& tables, const double* key,
                 size_t key_stride, const RotationJob* jobs, size_t n_jobs,
                 double* scratch) = nullptr;

  /// outputs[j] -= the sum of the digits of inputs[j][i] times their rows, modulo 2^32.
  void (*switch_keys)(const KeySwitchShape& shape, const uint32_t* key,
                      const uint64_t* const* inputs, uint32_t* const* outputs,
                      size_t n_jobs) = nullptr;

  /// out += a s modulo X^n + 1 and 2^64 for `masks`, zero or all ones, of the coefficients of s.
  /// `extended` is -a and then a, 2 n words. Takes a time that does not depend on `masks`.
  void (*add_binary_product)(uint64_t* out, const uint64_t* extended, const uint64_t* masks,
                             size_t n) = nullptr;
};

/// Doubles of scratch memory that `rotate` needs.
inline auto rotation_scratch(const RotationShape& shape) -> size_t {
  return 2 * shape.n_rows() * shape.polynomial_size;
}

/// The kernels for `isa`, which this processor must have.
auto kernels_for(Isa isa) -> const Kernels&;

// Where they are defined.
auto scalar_kernels() -> const Kernels&;
auto avx2_kernels() -> const Kernels&;
auto avx512_kernels() -> const Kernels&;

}  // namespace tacet::cggi
