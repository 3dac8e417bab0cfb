#include "engine/he/bootstrapping/linear_transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
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
      Result<Plaintext> encoded =
          encoder.encode(moved, scale, n_primes, std::max(largest(moved), 0x1p-40));
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
  std::vector<Ciphertext> rotated;
  for (const uint64_t element : babies_) {
    Result<Ciphertext> baby = apply_automorphism(context, hoisted.value(), element, keys);
    if (!baby) {
      return baby;
    }
    rotated.push_back(std::move(*baby));
  }
  metadata.scale *= scale_;
  Ciphertext sum;
  for (const Giant& giant : giants_) {
    Ciphertext inner{.parts = {}, .metadata = metadata};
    inner.parts.push_back(context.rows(n_primes_));
    inner.parts.push_back(context.rows(n_primes_));
    context.for_each(n_primes_, [&](size_t i) {
      std::vector<const uint64_t*> diagonals;
      std::vector<const uint64_t*> halves[2];
      for (const Term& term : giant.terms) {
        diagonals.push_back(term.diagonal.rows.row(i));
        for (size_t half = 0; half < 2; ++half) {
          halves[half].push_back(rotated[term.baby].parts[half].row(i));
        }
      }
      context.kernels().inner_products(inner.parts[0].row(i), inner.parts[1].row(i),
                                       diagonals.data(), halves[0].data(), halves[1].data(),
                                       diagonals.size(), context.n(), context.modulus(i));
    });
    Result<Ciphertext> moved = apply_automorphism(context, inner, giant.galois_element, keys);
    if (!moved) {
      return moved;
    }
    if (sum.parts.empty()) {
      sum = std::move(*moved);
      continue;
    }
    Result<Ciphertext> added = add(context, std::move(sum), *moved);
    if (!added) {
      return added;
    }
    sum = std::move(*added);
  }
  return drop_prime(context, std::move(sum));
}

}  // namespace tacet::he
