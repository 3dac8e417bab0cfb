#include "engine/he/bootstrapping/linear_transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "engine/he/encoding.h"

namespace tacet::he {
namespace {

/// Diagonals as steps near zero, so that few multiples of a number of baby steps reach all.
auto steps_of(const std::vector<size_t>& diagonals, size_t n_slots) -> std::vector<int64_t> {
  std::vector<int64_t> steps;
  for (const size_t d : diagonals) {
    const auto step = static_cast<int64_t>(d);
    steps.push_back(2 * d > n_slots ? step - static_cast<int64_t>(n_slots) : step);
  }
  return steps;
}

/// `step` as a multiple of `size` and the rest, which is not negative.
auto split(int64_t step, int64_t size) -> std::pair<int64_t, int64_t> {
  const int64_t rest = ((step % size) + size) % size;
  return {step - rest, rest};
}

/// The size of giant steps that takes the fewest rotations.
auto best_giant_step(const std::vector<int64_t>& steps) -> int64_t {
  int64_t unit = 0;
  for (const int64_t step : steps) {
    unit = std::gcd(unit, std::abs(step));
  }
  unit = std::max<int64_t>(unit, 1);
  int64_t best = unit;
  size_t fewest = steps.size() + 1;
  for (int64_t size = unit; size <= unit * static_cast<int64_t>(steps.size()); size *= 2) {
    std::set<int64_t> giants;
    std::set<int64_t> babies;
    for (const int64_t step : steps) {
      const auto [giant, baby] = split(step, size);
      giants.insert(giant);
      babies.insert(baby);
    }
    if (giants.size() + babies.size() < fewest) {
      fewest = giants.size() + babies.size();
      best = size;
    }
  }
  return best;
}

auto largest(const std::vector<std::complex<double>>& numbers) -> double {
  double most = 0;
  for (const std::complex<double>& number : numbers) {
    most = std::max(most, std::abs(number));
  }
  return most;
}

}  // namespace

auto transform_elements(const Context& context, const std::vector<size_t>& diagonals)
    -> std::vector<uint64_t> {
  const std::vector<int64_t> steps = steps_of(diagonals, context.n() / 2);
  const int64_t giant_step = best_giant_step(steps);
  std::set<uint64_t> elements;
  for (const int64_t step : steps) {
    const auto [giant, baby] = split(step, giant_step);
    elements.insert(galois_element_of(context, giant));
    elements.insert(galois_element_of(context, baby));
  }
  elements.erase(1);
  return {elements.begin(), elements.end()};
}

auto LinearTransform::make(const Context& context, const DiagonalMatrix& matrix, size_t n_primes,
                           double scale) -> Result<LinearTransform> {
  const size_t n_slots = context.n() / 2;
  LinearTransform transform;
  transform.n_primes_ = n_primes;
  transform.scale_ = scale;
  const ComplexEncoder encoder(context);
  std::vector<size_t> diagonals;
  for (const auto& [d, diagonal] : matrix.diagonals) {
    diagonals.push_back(d);
  }
  const std::vector<int64_t> steps = steps_of(diagonals, n_slots);
  const int64_t giant_step = best_giant_step(steps);
  std::map<int64_t, size_t> babies;
  std::map<int64_t, std::vector<std::pair<int64_t, size_t>>> giants;  // baby step, diagonal
  size_t at = 0;
  for (const auto& [d, diagonal] : matrix.diagonals) {
    const auto [giant, baby] = split(steps[at++], giant_step);
    giants[giant].emplace_back(baby, d);
    if (babies.try_emplace(baby, babies.size()).second) {
      transform.babies_.push_back(galois_element_of(context, baby));
    }
  }
  for (const auto& [giant, terms] : giants) {
    Giant& made = transform.giants_.emplace_back();
    made.galois_element = galois_element_of(context, giant);
    for (const auto& [baby, d] : terms) {
      // Moved back, as the sum that it is in is moved by the giant step.
      const std::vector<std::complex<double>>& diagonal = matrix.diagonals.at(d);
      std::vector<std::complex<double>> moved(n_slots);
      for (size_t i = 0; i < n_slots; ++i) {
        const auto from = static_cast<int64_t>(i + n_slots) - giant;
        moved[i] = diagonal[static_cast<size_t>(from) % n_slots];
      }
      Result<Rows> encoded =
          encoder.encode_extended(moved, scale, n_primes, std::max(largest(moved), 0x1p-40));
      if (!encoded) {
        return encoded.error();
      }
      made.terms.push_back({.baby = babies.at(baby), .diagonal = std::move(*encoded)});
    }
  }
  return transform;
}

auto LinearTransform::apply(const Context& context, Ciphertext a, const RotationKeys& keys) const
    -> Result<Ciphertext> {
  Result<Ciphertext> operand = truncate_to(context, std::move(a), n_primes_);
  if (!operand) {
    return operand;
  }
  CiphertextMetadata metadata = operand->metadata;
  const Result<HoistedCiphertext> hoisted = hoist(context, std::move(*operand));
  if (!hoisted) {
    return hoisted.error();
  }
  std::vector<ExtendedCiphertext> rotated;
  for (const uint64_t element : babies_) {
    Result<ExtendedCiphertext> baby = rotate_extended(context, hoisted.value(), element, keys);
    if (!baby) {
      return baby.error();
    }
    rotated.push_back(std::move(*baby));
  }
  metadata.scale *= scale_;
  std::vector<ExtendedCiphertext> sums = sums_of(context, rotated);
  rotated.clear();
  std::optional<ExtendedCiphertext> sum;
  for (size_t k = 0; k < giants_.size(); ++k) {
    Result<ExtendedCiphertext> moved =
        rotate_extended(context, std::move(sums[k]), n_primes_, giants_[k].galois_element, keys);
    if (!moved) {
      return moved.error();
    }
    if (sum) {
      add_extended(context, *sum, *moved, n_primes_);
    } else {
      sum = std::move(*moved);
    }
  }
  return drop_prime(context, divided(context, std::move(*sum), n_primes_, metadata));
}

/// Diagonals times rotations, by giant step. What the rotations have in a piece of a row stays in
/// the cache while all sums take it.
auto LinearTransform::sums_of(const Context& context,
                              const std::vector<ExtendedCiphertext>& rotated) const
    -> std::vector<ExtendedCiphertext> {
  constexpr size_t kPieceWords = 2048;
  const size_t n_rows = n_primes_ + context.n_special();
  const size_t n_words = std::min(context.n(), kPieceWords);
  std::vector<ExtendedCiphertext> sums;
  for (size_t k = 0; k < giants_.size(); ++k) {
    sums.push_back({.parts = {context.rows(n_rows), context.rows(n_rows)}});
  }
  context.for_each(n_rows, [&](size_t i) {
    const Modulus& q = context.modulus(context.prime_of_row(n_primes_, i));
    std::vector<const uint64_t*> diagonals;
    std::vector<const uint64_t*> halves[2];
    for (size_t begin = 0; begin < context.n(); begin += n_words) {
      for (size_t k = 0; k < giants_.size(); ++k) {
        diagonals.clear();
        halves[0].clear();
        halves[1].clear();
        for (const Term& term : giants_[k].terms) {
          diagonals.push_back(term.diagonal.row(i) + begin);
          for (size_t half = 0; half < 2; ++half) {
            halves[half].push_back(rotated[term.baby].parts[half].row(i) + begin);
          }
        }
        context.kernels().inner_products(
            sums[k].parts[0].row(i) + begin, sums[k].parts[1].row(i) + begin, diagonals.data(),
            halves[0].data(), halves[1].data(), diagonals.size(), n_words, q);
      }
    }
  });
  return sums;
}

}  // namespace tacet::he
