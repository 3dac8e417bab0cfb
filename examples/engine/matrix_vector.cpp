// A plaintext matrix times an encrypted vector, by diagonals (Halevi and Shoup, "Algorithms in
// HElib"): with v rotated by d steps and the d-th diagonal, both slot by slot,
//
//   M v = sum over d of diagonal(d) * rotated(v, d)
//
// With d = g B + b the rotations by g B steps can be done after the sum over b: B rotations of v,
// which share most of their work by hoisting, and n / B others, instead of n.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/cpu.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"

namespace he = tacet::he;

constexpr size_t kSize = 64;
constexpr size_t kBabySteps = 8;
constexpr double kScale = 0x1p+40;

template <class T>
auto or_exit(tacet::Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

auto matrix(size_t row, size_t column) -> double {
  return std::sin(static_cast<double>(row * kSize + column));
}

auto vector(size_t i) -> double {
  return std::cos(static_cast<double>(3 * i)) * 2;
}

/// Diagonal `giant` + `baby`, moved back by `giant` steps, as often as it fits into the slots.
auto diagonal(const he::Context& context, const he::ComplexEncoder& encoder, size_t giant,
              size_t baby) -> he::PlainFactor {
  std::vector<double> slots;
  for (size_t i = 0; i < context.n() / 2; ++i) {
    const size_t row = (i + kSize - giant) % kSize;
    slots.push_back(matrix(row, (row + giant + baby) % kSize));
  }
  return or_exit(he::prepare_factor(context, or_exit(encoder.encode(slots, kScale))));
}

auto multiply(const he::Context& context, const he::ComplexEncoder& encoder, he::Ciphertext v,
              const he::RotationKeys& keys) -> he::Ciphertext {
  const he::HoistedCiphertext hoisted = or_exit(he::hoist(context, std::move(v)));
  std::vector<he::Ciphertext> rotated;
  for (size_t baby = 0; baby < kBabySteps; ++baby) {
    rotated.push_back(
        baby == 0 ? hoisted.ciphertext
                  : or_exit(he::rotate(context, hoisted, static_cast<int64_t>(baby), keys)));
  }
  std::optional<he::Ciphertext> result;
  for (size_t giant = 0; giant < kSize; giant += kBabySteps) {
    std::optional<he::Ciphertext> sum;
    for (size_t baby = 0; baby < kBabySteps; ++baby) {
      he::Ciphertext term = or_exit(
          he::multiply_plain(context, rotated[baby], diagonal(context, encoder, giant, baby)));
      sum = sum ? or_exit(he::add(context, std::move(*sum), term)) : std::move(term);
    }
    if (giant != 0) {
      sum = or_exit(he::rotate(context, *sum, static_cast<int64_t>(giant), keys));
    }
    result = result ? or_exit(he::add(context, std::move(*result), *sum)) : std::move(*sum);
  }
  // The scale is that of the vector times that of the matrix: back to one of them.
  return or_exit(he::drop_prime(context, std::move(*result)));
}

auto main() -> int {
  const auto parameters = or_exit(he::make_parameters({.scheme = he::Scheme::Ckks,
                                                       .ring_dimension = 8192,
                                                       .data_prime_bits = {50, 40, 40},
                                                       .special_prime_bits = {50},
                                                       .plain_modulus = 0}));
  const auto context_ref = he::Context::make(parameters, {.n_threads = 2});
  const he::Context& context = *context_ref;
  auto random = or_exit(tacet::secure_random::SecureRandom::from_system(tacet::best_isa()));
  const he::SecretKey key = he::generate_secret_key(context, random);
  std::vector<uint64_t> elements;
  for (size_t baby = 1; baby < kBabySteps; ++baby) {
    elements.push_back(he::galois_element_of(context, static_cast<int64_t>(baby)));
  }
  for (size_t giant = kBabySteps; giant < kSize; giant += kBabySteps) {
    elements.push_back(he::galois_element_of(context, static_cast<int64_t>(giant)));
  }
  const auto keys = or_exit(he::generate_rotation_keys(context, key, elements, random));

  // The vector again and again in all slots, so that a rotation of these rotates it.
  std::vector<double> slots;
  for (size_t i = 0; i < context.n() / 2; ++i) {
    slots.push_back(vector(i % kSize));
  }
  const he::ComplexEncoder encoder(context);
  // That its numbers are no larger than 2 is what everyone may know of it.
  const he::Ciphertext v = or_exit(he::encrypt(
      context, key, or_exit(encoder.encode(slots, kScale, context.n_data(), 2)), random));
  const he::Ciphertext product = multiply(context, encoder, v, keys);
  fmt::print("{} rotations, {} products; errors of at most {:.1e} by the estimate\n",
             elements.size(), kSize, he::estimated_error(context, product));

  // The key's holder alone sees the result: nothing need be added to hide its noise.
  const auto decoded = or_exit(encoder.decode(or_exit(
      he::decrypt(context, key, product, random, {.kind = he::CkksAudience::Kind::KeyHolder}))));
  double largest_error = 0;
  for (size_t i = 0; i < kSize; ++i) {
    double expected = 0;
    for (size_t k = 0; k < kSize; ++k) {
      expected += matrix(i, k) * vector(k);
    }
    largest_error = std::max(largest_error, std::abs(decoded[i] - expected));
  }
  if (!(largest_error < 1e-4)) {
    fmt::print(stderr, "the largest error is {:.1e}\n", largest_error);
    return 1;
  }
  fmt::print("the product is right: the largest error is {:.1e}\n", largest_error);
  return 0;
}
