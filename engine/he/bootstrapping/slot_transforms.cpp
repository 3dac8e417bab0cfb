#include "engine/he/bootstrapping/slot_transforms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

namespace tacet::he {

using Complex = std::complex<double>;

namespace {

enum class Direction : bool { ToSlots, ToCoefficients };

/// The stage on blocks of `length` slots: butterflies of each first half with the second one.
///
/// With ζ = exp(πi/(2 n_slots)), slot j of a block of the transform of `length` numbers is the
/// value at ζ^(5^j n_slots / length).
auto stage(size_t n_slots, size_t length, Direction direction) -> DiagonalMatrix {
  const size_t half = length / 2;
  DiagonalMatrix matrix;
  std::vector<Complex>& main = matrix.diagonals[0];
  main.resize(n_slots);
  matrix.diagonals[half].resize(n_slots);
  matrix.diagonals[n_slots - half].resize(n_slots);  // the same if the block is everything
  std::vector<Complex>& up = matrix.diagonals[half];
  std::vector<Complex>& down = matrix.diagonals[n_slots - half];
  size_t exponent = 1;  // 5^j modulo 4 length
  for (size_t j = 0; j < half; ++j) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(exponent) / (4 * static_cast<double>(length));
    const Complex root = std::polar(1.0, angle);
    for (size_t block = 0; block < n_slots; block += length) {
      const size_t low = block + j;
      const size_t high = low + half;
      if (direction == Direction::ToSlots) {
        main[low] = 1;
        up[low] = root;
        down[high] = 1;
        main[high] = -root;
      } else {
        main[low] = 0.5;
        up[low] = 0.5;
        down[high] = 0.5 * std::conj(root);
        main[high] = -0.5 * std::conj(root);
      }
    }
    exponent = exponent * 5 % (4 * length);
  }
  return matrix;
}

/// `second` after `first`.
auto product(const DiagonalMatrix& second, const DiagonalMatrix& first) -> DiagonalMatrix {
  const size_t n = second.diagonals.begin()->second.size();
  DiagonalMatrix result;
  for (const auto& [d, outer] : second.diagonals) {
    for (const auto& [e, inner] : first.diagonals) {
      std::vector<Complex>& sum = result.diagonals[(d + e) % n];
      sum.resize(n);
      for (size_t i = 0; i < n; ++i) {
        const Complex& a = outer[i];
        const Complex& b = inner[(i + d) % n];
        sum[i] += Complex(a.real() * b.real() - a.imag() * b.imag(),
                          a.real() * b.imag() + a.imag() * b.real());
      }
    }
  }
  return result;
}

/// The lengths of the blocks of each factor's stages.
auto lengths_of(size_t n_slots, size_t n_factors, Direction direction)
    -> std::vector<std::vector<size_t>> {
  std::vector<size_t> lengths;
  for (size_t length = 2; length <= n_slots; length *= 2) {
    lengths.push_back(length);
  }
  if (direction == Direction::ToCoefficients) {
    std::reverse(lengths.begin(), lengths.end());
  }
  std::vector<std::vector<size_t>> result;
  for (size_t k = 0; k < n_factors; ++k) {
    const auto at = [&](size_t factor) {
      return lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * factor / n_factors);
    };
    result.emplace_back(at(k), at(k + 1));
  }
  return result;
}

auto factors(size_t n_slots, size_t n_factors, Direction direction) -> std::vector<DiagonalMatrix> {
  std::vector<DiagonalMatrix> result;
  for (const std::vector<size_t>& lengths : lengths_of(n_slots, n_factors, direction)) {
    DiagonalMatrix matrix = stage(n_slots, lengths.front(), direction);
    for (size_t i = 1; i < lengths.size(); ++i) {
      matrix = product(stage(n_slots, lengths[i], direction), matrix);
    }
    result.push_back(std::move(matrix));
  }
  return result;
}

auto diagonals(size_t n_slots, size_t n_factors, Direction direction)
    -> std::vector<std::vector<size_t>> {
  std::vector<std::vector<size_t>> result;
  for (const std::vector<size_t>& lengths : lengths_of(n_slots, n_factors, direction)) {
    std::set<size_t> sums = {0};
    for (const size_t length : lengths) {
      std::set<size_t> next;
      for (const size_t sum : sums) {
        for (const size_t diagonal : {size_t{0}, length / 2, n_slots - length / 2}) {
          next.insert((sum + diagonal) % n_slots);
        }
      }
      sums = std::move(next);
    }
    result.emplace_back(sums.begin(), sums.end());
  }
  return result;
}

}  // namespace

auto times(const DiagonalMatrix& matrix, const std::vector<Complex>& vector)
    -> std::vector<Complex> {
  const size_t n = vector.size();
  std::vector<Complex> result(n);
  for (const auto& [d, diagonal] : matrix.diagonals) {
    for (size_t i = 0; i < n; ++i) {
      result[i] += diagonal[i] * vector[(i + d) % n];
    }
  }
  return result;
}

auto slots_of_coefficients(size_t n_slots, size_t n_factors) -> std::vector<DiagonalMatrix> {
  return factors(n_slots, n_factors, Direction::ToSlots);
}

auto coefficients_of_slots(size_t n_slots, size_t n_factors) -> std::vector<DiagonalMatrix> {
  return factors(n_slots, n_factors, Direction::ToCoefficients);
}

auto diagonals_to_slots(size_t n_slots, size_t n_factors) -> std::vector<std::vector<size_t>> {
  return diagonals(n_slots, n_factors, Direction::ToSlots);
}

auto diagonals_to_coefficients(size_t n_slots, size_t n_factors)
    -> std::vector<std::vector<size_t>> {
  return diagonals(n_slots, n_factors, Direction::ToCoefficients);
}

}  // namespace tacet::he
