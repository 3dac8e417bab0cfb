#include "compiler/he/approximate/minimax.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/elementary.h"

namespace tacet::approximate {
namespace {

using Real = double;
using Vector = std::vector<Real>;

/// Solves rows * x = right by elimination with pivots; nothing if it is nearly singular.
auto solved(std::vector<Vector> rows, Vector right) -> std::optional<Vector> {
  const size_t n = rows.size();
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      pivot = std::abs(rows[i][k]) > std::abs(rows[pivot][k]) ? i : pivot;
    }
    if (!(std::abs(rows[pivot][k]) > 1e-14)) {
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

/// What runs from -1 to 1 as a variable runs through an interval: scale * variable + shift.
struct Mapping {
  DoubleDouble scale;
  DoubleDouble shift;

  Mapping(DoubleDouble low, DoubleDouble high)
      : scale(DoubleDouble(2) / (high - low)), shift(-(low + high) / (high - low)) {}
};

/// A sum of T_k(w), for the w of a mapping, as one of Chebyshev polynomials of its variable.
class Remapping {
 public:
  explicit Remapping(const Mapping& mapping) : mapping_(mapping) {}

  /// By Clenshaw's recurrence, whose numbers are sums themselves. O(n^2).
  [[nodiscard]] auto run(const Vector& coefficients) const -> std::vector<DoubleDouble> {
    const size_t n = coefficients.size();
    std::vector<DoubleDouble> b1(n);
    std::vector<DoubleDouble> b2(n);
    for (size_t k = n; k-- > 0;) {
      std::vector<DoubleDouble> b = times_mapped(b1);
      for (size_t i = 0; i < n; ++i) {
        b[i] = b[i] * (k == 0 ? 1 : 2) - b2[i];
      }
      b[0] = b[0] + coefficients[k];
      b2 = std::move(b1);
      b1 = std::move(b);
    }
    return b1;
  }

 private:
  [[nodiscard]] auto times_mapped(const std::vector<DoubleDouble>& sum) const
      -> std::vector<DoubleDouble> {
    std::vector<DoubleDouble> result(sum.size());
    const size_t n = sum.size();
    for (size_t i = 0; i < n && sum[i].high != 0; ++i) {
      result[i] = result[i] + mapping_.shift * sum[i];
      // t T_i is half of T_(i - 1) + T_(i + 1).
      const DoubleDouble part = mapping_.scale * sum[i] * (i == 0 ? 1 : 0.5);
      if (i + 1 < n) {
        result[i + 1] = result[i + 1] + part;
      }
      if (i > 0) {
        result[i - 1] = result[i - 1] + part;
      }
    }
    return result;
  }

  const Mapping& mapping_;
};

class Exchange {
 public:
  Exchange(const std::function<Real(Real)>& f, RealInterval u, unsigned degree, Parity parity)
      : f_(f), parity_(parity), u_(u), mapping_(mapping_of(u, parity)) {
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
    const Real cosine = elementary::cos(std::numbers::pi * part);
    return std::clamp(u.low + (u.high - u.low) * (1 - cosine) / 2, u.low, u.high);
  }

  /// With squares that are.
  static auto half_between(RealInterval u, Real part) -> Real {
    const Real sine = elementary::sin(std::numbers::pi / 2 * part);
    const Real square = u.low * u.low + (u.high - u.low) * (u.high + u.low) * sine * sine;
    return part == 0 ? u.low : std::min(std::sqrt(square), u.high);
  }

  /// The variable is T_2(u) of a parity, else u itself.
  static auto mapping_of(RealInterval u, Parity parity) -> Mapping {
    if (parity == Parity::None) {
      return {u.low, u.high};
    }
    const auto variable = [](double at) {
      return DoubleDouble::exact_product(at, at) * 2 - DoubleDouble(1);
    };
    return {variable(u.low), variable(u.high)};
  }

  /// From -1 to 1.
  [[nodiscard]] auto mapped(Real u) const -> Real {
    return parity_ == Parity::None ? ((u - u_.low) - (u_.high - u)) / (u_.high - u_.low)
                                   : ((u - u_.low) * (u + u_.low) - (u_.high - u) * (u_.high + u)) /
                                         ((u_.high - u_.low) * (u_.high + u_.low));
  }

  [[nodiscard]] auto terms_at(Real u) const -> Vector {
    const Real w = mapped(u);
    Vector terms(basis_.size());
    terms[0] = parity_ == Parity::Odd ? u : 1;
    for (size_t k = 1; k < terms.size(); ++k) {
      terms[k] = k == 1 ? terms[0] * w : 2 * w * terms[k - 1] - terms[k - 2];
    }
    return terms;
  }

  /// The polynomial with these coefficients, by Clenshaw's recurrence.
  [[nodiscard]] auto value_at(const Vector& coefficients, Real u) const -> Real {
    const Real w = mapped(u);
    Real b1 = 0;
    Real b2 = 0;
    for (size_t k = basis_.size(); k-- > 1;) {
      const Real b = coefficients[k] + 2 * w * b1 - b2;
      b2 = b1;
      b1 = b;
    }
    const Real value = coefficients[0] + w * b1 - b2;
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

  /// u T_k(T_2(u)) is half of T_(2k + 1) + T_(2k - 1).
  [[nodiscard]] auto series_of(const Vector& coefficients) const -> Series {
    const std::vector<DoubleDouble> sum = Remapping(mapping_).run(coefficients);
    std::vector<DoubleDouble> all(basis_.back() + 1);
    for (size_t k = 0; k < sum.size(); ++k) {
      if (parity_ != Parity::Odd) {
        all[basis_[k]] = sum[k];
        continue;
      }
      const DoubleDouble part = k == 0 ? sum[k] : sum[k] * 0.5;
      all[2 * k + 1] = all[2 * k + 1] + part;
      if (k > 0) {
        all[2 * k - 1] = all[2 * k - 1] + part;
      }
    }
    Series series;
    for (const DoubleDouble& each : all) {
      series.push_back(static_cast<double>(each));
    }
    return series;
  }

  const std::function<Real(Real)>& f_;
  Parity parity_;
  RealInterval u_;
  Mapping mapping_;
  std::vector<unsigned> basis_;  ///< degrees
  Vector points_;                ///< of the grid
  Vector values_;                ///< of the function, by point of the grid
  std::vector<Vector> terms_;    ///< of the basis, likewise
};

}  // namespace

auto minimax(const std::function<Real(Real)>& f, RealInterval u, unsigned degree, Parity parity,
             double excess) -> Series {
  return Exchange(f, u, degree, parity).run(excess);
}

}  // namespace tacet::approximate
