#include "compiler/he/lower/polynomial_arcs.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "base/elementary.h"

namespace tacet::he_lower {

static constexpr double kArc = std::numbers::pi / kArcs;

PolynomialArcs::PolynomialArcs(const approximate::Series& series) : values(kArcs), reach(kArcs) {
  double bends = 0;
  for (size_t k = 0; k < series.size(); ++k) {
    bends += static_cast<double>(k * k) * std::abs(series[k]);
  }
  for (size_t i = 0; i < kArcs; ++i) {
    const double angle = (static_cast<double>(i) + 0.5) * kArc;
    const double step = 2 * elementary::cos(angle);
    double now = 1;                          // cos(k a)
    double before = elementary::cos(angle);  // cos((k - 1) a)
    double sine = 0;                         // sin(k a)
    double sine_before = -elementary::sin(angle);
    double slope = 0;
    for (size_t k = 0; k < series.size(); ++k) {
      values[i] += series[k] * now;
      slope -= static_cast<double>(k) * series[k] * sine;
      before = std::exchange(now, step * now - before);
      sine_before = std::exchange(sine, step * sine - sine_before);
    }
    reach[i] = kArc / 2 * (std::abs(slope) + bends * kArc / 2);
  }
}

/// Of all ends between arcs, from 1 to -1.
static auto cosines_of_ends() -> const std::vector<double>& {
  static const std::vector<double> cosines = [] {
    std::vector<double> all;
    for (size_t i = 1; i < kArcs; ++i) {
      all.push_back(elementary::cos(static_cast<double>(i) * kArc));
    }
    return all;
  }();
  return cosines;
}

static auto arc_of(double number) -> size_t {
  const std::vector<double>& ends = cosines_of_ends();
  const auto found = std::lower_bound(ends.begin(), ends.end(), number, std::greater());
  return static_cast<size_t>(found - ends.begin());
}

/// `visit(from, to)` for each two arcs such that a number of the one may lead to one of the other.
template <class Visit>
static void for_each_path(const PolynomialArcs& polynomial, const Visit& visit) {
  for (size_t from = 0; from < kArcs; ++from) {
    const size_t last = arc_of(polynomial.values[from] - polynomial.reach[from]);
    for (size_t to = arc_of(polynomial.values[from] + polynomial.reach[from]); to <= last; ++to) {
      visit(from, to);
    }
  }
}

auto led_to(const PolynomialArcs& polynomial, const std::vector<double>& by_arc)
    -> std::vector<double> {
  std::vector<double> result(kArcs);
  for_each_path(polynomial,
                [&](size_t from, size_t to) { result[from] = std::max(result[from], by_arc[to]); });
  return result;
}

auto led_from(const PolynomialArcs& polynomial, const std::vector<double>& by_arc)
    -> std::vector<double> {
  std::vector<double> result(kArcs);
  for_each_path(polynomial,
                [&](size_t from, size_t to) { result[to] = std::max(result[to], by_arc[from]); });
  return result;
}

}  // namespace tacet::he_lower
