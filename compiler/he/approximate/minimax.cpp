#include "compiler/he/approximate/minimax.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace tacet::approximate {
namespace {

using Real = long double;
using Vector = std::vector<Real>;

/// Solves rows * x = right by elimination with pivots; nothing if it is singular.
auto solved(std::vector<Vector> rows, Vector right) -> std::optional<Vector> {
  const size_t n = rows.size();
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      pivot = std::abs(rows[i][k]) > std::abs(rows[pivot][k]) ? i : pivot;
    }
    if (!(std::abs(rows[pivot][k]) > 1e-30L)) {
      return std::nullopt;
    }
    std::swap(rows[k], rows[pivot]);
    std::swap(right[k], right[pivot]);
    for (size_t i = k + 1; i < n; ++i) {
      const Real factor = rows[i][k] / rows[k][k];
      for (size_t j = k; factor != 0 && j < n; ++j) {
        rows[i][j] -= factor * rows[k][j];
      }
      right[i] -= factor * right[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; ++j) {
      right[k] -= rows[k][j] * right[j];
    }
    right[k] /= rows[k][k];
  }
  return right;
}

class Exchange {
 public:
  Exchange(const std::function<Real(Real)>& f, RealInterval u, unsigned degree, Parity parity)
      : f_(f), parity_(parity) {
    for (unsigned k = parity == Parity::Odd ? 1 : 0; k <= degree;
         k += parity == Parity::None ? 1 : 2) {
      basis_.push_back(k);
    }
    const size_t n_points = kPointsPerTerm * (basis_.size() + 1);
    for (size_t i = parity == Parity::Odd && u.low == 0 ? 1 : 0; i <= n_points; ++i) {
      const Real part = static_cast<Real>(i) / static_cast<Real>(n_points);
      const Real point = parity == Parity::None ? between(u, part) : half_between(u, part);
      points_.push_back(point);
      values_.push_back(f(point));
      terms_.push_back(terms_at(point));
    }
  }

  auto run(Real excess) -> Series {
    const size_t n = basis_.size() + 1;
    Vector reference(n);
    for (size_t i = 0; i < n; ++i) {
      reference[i] = points_[i * (points_.size() - 1) / (n - 1)];
    }
    Vector best(basis_.size());
    Real least = INFINITY;
    for (int round = 0; round < kMostRounds; ++round) {
      const std::optional<Vector> solution = levelled(reference);
      if (!solution) {
        break;
      }
      const std::vector<Extreme> extremes = extremes_of(*solution);
      const Real largest = largest_of(extremes);
      if (largest < least) {
        least = largest;
        best.assign(solution->begin(), solution->end() - 1);
      }
      const bool is_level = largest <= std::abs(solution->back()) * (1 + excess);
      if (is_level || extremes.size() < n) {
        break;
      }
      reference = shortened(extremes, n);
    }
    return series_of(best);
  }

 private:
  static constexpr size_t kPointsPerTerm = 16;
  static constexpr int kMostRounds = 40;
  struct Extreme {
    Real point;
    Real error;
  };

  /// As dense at the ends as extremes are.
  static auto between(RealInterval u, Real part) -> Real {
    const Real cosine = std::cos(std::numbers::pi_v<Real> * part);
    return u.low + (static_cast<Real>(u.high) - u.low) * (1 - cosine) / 2;
  }

  /// Of the interval and its mirror image together, but for what is between them.
  static auto half_between(RealInterval u, Real part) -> Real {
    const Real first = std::asin(static_cast<Real>(u.low) / u.high);
    const Real angle = first + (std::numbers::pi_v<Real> / 2 - first) * part;
    return part == 0 ? u.low : u.high * std::sin(angle);
  }

  /// The terms of a parity are those of a recurrence in T_2(u), of all in u itself.
  [[nodiscard]] auto variable_at(Real u) const -> Real {
    return parity_ == Parity::None ? u : 2 * u * u - 1;
  }

  /// Of the second term by the first one, which is 1, or u of odd polynomials.
  [[nodiscard]] auto second_at(Real variable) const -> Real {
    return parity_ == Parity::Odd ? 2 * variable - 1 : variable;
  }

  auto terms_at(Real u) const -> Vector {
    const Real variable = variable_at(u);
    Vector terms(basis_.size());
    terms[0] = parity_ == Parity::Odd ? u : 1;
    for (size_t k = 1; k < terms.size(); ++k) {
      terms[k] =
          k == 1 ? terms[0] * second_at(variable) : 2 * variable * terms[k - 1] - terms[k - 2];
    }
    return terms;
  }

  /// The polynomial with these coefficients, by Clenshaw's recurrence.
  [[nodiscard]] auto value_at(const Vector& coefficients, Real u) const -> Real {
    const Real variable = variable_at(u);
    Real b1 = 0;
    Real b2 = 0;
    for (size_t k = basis_.size(); k-- > 1;) {
      const Real b = coefficients[k] + 2 * variable * b1 - b2;
      b2 = b1;
      b1 = b;
    }
    const Real value = coefficients[0] + second_at(variable) * b1 - b2;
    return parity_ == Parity::Odd ? u * value : value;
  }

  /// The coefficients with errors of one size and alternating signs at the reference, and that
  /// size.
  auto levelled(const Vector& reference) const -> std::optional<Vector> {
    std::vector<Vector> rows;
    Vector right;
    for (size_t i = 0; i < reference.size(); ++i) {
      rows.push_back(terms_at(reference[i]));
      rows.back().push_back(i % 2 == 0 ? 1 : -1);
      right.push_back(f_(reference[i]));
    }
    return solved(std::move(rows), std::move(right));
  }

  auto errors_of(const Vector& solution) const -> Vector {
    Vector errors(values_);
    for (size_t i = 0; i < errors.size(); ++i) {
      for (size_t k = 0; k < basis_.size(); ++k) {
        errors[i] -= solution[k] * terms_[i][k];
      }
    }
    return errors;
  }

  static auto largest_of(const std::vector<Extreme>& extremes) -> Real {
    Real largest = 0;
    for (const Extreme& extreme : extremes) {
      largest = std::max(largest, std::abs(extreme.error));
    }
    return largest;
  }

  [[nodiscard]] auto error_at(const Vector& solution, Real point) const -> Real {
    return f_(point) - value_at(solution, point);
  }

  /// The largest error of each run of one sign on the grid, between the points next to it.
  [[nodiscard]] auto extremes_of(const Vector& solution) const -> std::vector<Extreme> {
    const Vector errors = errors_of(solution);
    std::vector<size_t> places;
    for (size_t i = 0; i < errors.size(); ++i) {
      if (places.empty() || (errors[i] > 0) != (errors[places.back()] > 0)) {
        places.push_back(i);
      } else if (std::abs(errors[i]) > std::abs(errors[places.back()])) {
        places.back() = i;
      }
    }
    std::vector<Extreme> extremes;
    for (const size_t i : places) {
      extremes.push_back(refined(solution, i, errors[i]));
    }
    return extremes;
  }

  /// The top of the parabola through three points, again and again, as long as it is higher.
  [[nodiscard]] auto refined(const Vector& solution, size_t i, Real error) const -> Extreme {
    Extreme best{points_[i], error};
    if (i == 0 || i + 1 == points_.size()) {
      return best;
    }
    Real step = std::min(points_[i] - points_[i - 1], points_[i + 1] - points_[i]);
    for (int round = 0; round < 4; ++round) {
      const Real left = error_at(solution, best.point - step);
      const Real right = error_at(solution, best.point + step);
      const Real bend = left - 2 * best.error + right;
      const Real move = bend == 0 ? 0 : step * (left - right) / (2 * bend);
      const Real point = best.point + std::clamp(move, -step, step);
      const Real there = error_at(solution, point);
      if (std::abs(there) > std::abs(best.error)) {
        best = {point, there};
      }
      step /= 8;
    }
    return best;
  }

  /// Without the smaller end, again and again, until `n` are left.
  static auto shortened(const std::vector<Extreme>& extremes, size_t n) -> Vector {
    size_t first = 0;
    size_t end = extremes.size();
    while (end - first > n) {
      const bool is_first_smaller =
          std::abs(extremes[first].error) < std::abs(extremes[end - 1].error);
      is_first_smaller ? ++first : --end;
    }
    Vector reference;
    for (size_t i = first; i < end; ++i) {
      reference.push_back(extremes[i].point);
    }
    return reference;
  }

  auto series_of(const Vector& coefficients) const -> Series {
    Series series(basis_.back() + 1);
    for (size_t k = 0; k < basis_.size(); ++k) {
      series[basis_[k]] = static_cast<double>(coefficients[k]);
    }
    return series;
  }

  const std::function<Real(Real)>& f_;
  Parity parity_;
  std::vector<unsigned> basis_;
  Vector points_;              ///< of the grid
  Vector values_;              ///< of the function, by point of the grid
  std::vector<Vector> terms_;  ///< of the basis, likewise
};

}  // namespace

auto minimax(const std::function<Real(Real)>& f, RealInterval u, unsigned degree, Parity parity,
             double excess) -> Series {
  return Exchange(f, u, degree, parity).run(excess);
}

}  // namespace tacet::approximate
