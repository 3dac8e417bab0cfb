#include "compiler/he/approximate/approximation.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/he/approximate/minimax.h"
#include "compiler/he/approximate/sign.h"

namespace tacet::approximate {
namespace {

using array::FunctionKind;

constexpr unsigned kMostDegree = 511;
constexpr unsigned kMostPlainDegree = 255;  ///< of series with all coefficients
constexpr unsigned kMostLevels = 24;
/// Chebyshev polynomials grow fast beyond 1: numbers up to here are taken as they are.
constexpr double kMostUnscaled = 1 + 0x1p-14;

/// One way to have one series.
struct Form {
  Scaling scaling;
  Parity parity = Parity::None;
  double constant = 0;  ///< added to the series of the parity
  double slope = 0;     ///< times u, likewise
};

auto middle_of(RealInterval x) -> double {
  return x.low + (x.high - x.low) / 2;
}

/// With u in [-1, 1].
auto scaling_of(RealInterval x) -> Scaling {
  const double scale = 2 / (x.high - x.low);
  return {.scale = scale, .shift = -middle_of(x) * scale};
}

/// Of f less the constant, and the slope times x, of its form.
auto parity_of(FunctionKind kind) -> Parity {
  if (kind == FunctionKind::Ramp || kind == FunctionKind::Cos) {
    return Parity::Even;
  }
  const bool is_odd = kind == FunctionKind::Sigmoid || kind == FunctionKind::Tanh ||
                      kind == FunctionKind::Erf || kind == FunctionKind::Sin;
  return is_odd ? Parity::Odd : Parity::None;
}

auto forms_of(FunctionKind kind, RealInterval x) -> std::vector<Form> {
  const double largest = std::max(std::abs(x.low), std::abs(x.high));
  std::vector<Form> forms;
  const bool is_symmetric = parity_of(kind) != Parity::None;
  const bool is_unscaled = largest <= kMostUnscaled && x.high - x.low >= 1;
  const bool is_around_zero = is_symmetric && x.low < 0 && x.high > 0;
  const bool is_nearly_full = x.high - x.low > 1.5;  // so that scaling saves no level
  for (const bool has_scale : {false, true}) {
    if (has_scale ? is_unscaled && is_nearly_full : !is_unscaled) {
      continue;
    }
    // Around a kink, and where the interval is as large on both sides, symmetry is always better.
    const bool is_even_better =
        is_around_zero && (kind == FunctionKind::Ramp || std::min(-x.low, x.high) > 0.75 * largest);
    if (!is_even_better) {
      forms.push_back({.scaling = has_scale ? scaling_of(x) : Scaling{}});
    }
    if (is_around_zero) {
      Form form{.scaling = {.scale = has_scale ? 1 / largest : 1, .shift = 0},
                .parity = parity_of(kind),
                .constant = kind == FunctionKind::Sigmoid ? 0.5 : 0};
      form.slope = kind == FunctionKind::Ramp ? 0.5 / form.scaling.scale : 0;
      forms.push_back(form);
    }
  }
  return forms;
}

/// The series of a form with a number of terms, and its certified error.
class SeriesOfForm {
 public:
  SeriesOfForm(FunctionKind kind, RealInterval x, const Form& form)
      : kind_(kind), x_(x), form_(form) {}

  [[nodiscard]] auto degree(unsigned n) const -> unsigned {
    return form_.parity == Parity::None ? n : 2 * n + (form_.parity == Parity::Odd ? 1 : 0);
  }

  [[nodiscard]] auto with_terms(unsigned n) const -> Approximation {
    const auto f = [&](double u) {
      const double x = (u - form_.scaling.shift) / form_.scaling.scale;
      return array::real_value(kind_, x) - form_.constant - form_.slope * u;
    };
    Series series = minimax(f, interval(), degree(n), form_.parity);
    series.resize(std::max<size_t>(series.size(), form_.slope != 0 ? 2 : 1));
    series[0] += form_.constant;
    if (form_.slope != 0) {
      series[1] += form_.slope;
    }
    Approximation result{.kind = kind_, .x = x_, .scaling = form_.scaling, .stages = {series}};
    result.error = certified_error(kind_, x_, form_.scaling, series);
    return result;
  }

  /// The fewest terms that are enough, up to a degree.
  [[nodiscard]] auto within(double error, unsigned most_degree) const
      -> std::optional<Approximation> {
    std::optional<Approximation> found;
    unsigned enough = 0;
    unsigned too_few = least_terms(error);  // the first number that may be enough
    for (unsigned n = 0; !found; n = 2 * n + 1) {
      if (degree(n) > most_degree || degree(too_few) > most_degree) {
        return std::nullopt;
      }
      if (n < too_few) {
        continue;
      }
      Approximation candidate = with_terms(n);
      if (candidate.error <= error) {
        found = std::move(candidate);
        enough = n;
      } else {
        too_few = n + 1;
      }
    }
    while (too_few < enough) {
      const unsigned middle = (too_few + enough) / 2;
      Approximation candidate = with_terms(middle);
      if (candidate.error <= error) {
        found = std::move(candidate);
        enough = middle;
      } else {
        too_few = middle + 1;
      }
    }
    return found;
  }

 private:
  /// No polynomial of degree 2n is within 1 / (8n) of |u| on [-1, 1]: the product of the degree and
  /// the least error is 1 / 4 for 2, grows with n and has the limit 0.2801… (R. Varga and A.
  /// Carpenter, "On the Bernstein conjecture in approximation theory", 1985).
  [[nodiscard]] auto least_terms(double error) const -> unsigned {
    if (kind_ != FunctionKind::Ramp || form_.parity != Parity::Even || !(error > 0)) {
      return 0;
    }
    const double largest = std::max(std::abs(x_.low), std::abs(x_.high));
    const double n = largest / 16 / error * (1 - 0x1p-20);
    return static_cast<unsigned>(std::min(n, double{kMostDegree}));
  }

  [[nodiscard]] auto interval() const -> RealInterval {
    const auto low = static_cast<double>(form_.scaling.at(x_.low));
    const auto high = static_cast<double>(form_.scaling.at(x_.high));
    return form_.parity == Parity::None ? RealInterval{low, high}
                                        : RealInterval{0, std::max(std::abs(low), std::abs(high))};
  }

  FunctionKind kind_;
  RealInterval x_;
  const Form& form_;
};

void count(Approximation& approximation) {
  approximation.levels = approximation.scaling.scale != 1 ? 1 : 0;
  approximation.n_products = 0;
  for (const Series& stage : approximation.stages) {
    const bool is_itself = stage == Series{0, 1};
    approximation.levels += is_itself ? 0 : least_levels(degree_of(stage));
    approximation.n_products += plan_of(stage).n_products;
  }
  if (approximation.is_sign) {
    approximation.levels += 1;
    approximation.n_products += 1;
  }
}

void keep_better(Approximation a, std::optional<Approximation>& best) {
  if (!best || a.levels < best->levels ||
      (a.levels == best->levels && a.n_products < best->n_products)) {
    best = std::move(a);
  }
}

/// What is known without an approximation; u is x.
auto exact(FunctionKind kind, RealInterval x) -> std::optional<Approximation> {
  Approximation result{.kind = kind, .x = x, .scaling = {}, .stages = {}};
  if (x.low == x.high) {
    result.stages = {{static_cast<double>(array::real_value(kind, x.low))}};
    result.error = 0x1p-52 * std::abs(result.stages[0][0]);
    return result;
  }
  const bool is_ramp = kind == FunctionKind::Ramp;
  if (!is_ramp && kind != FunctionKind::Step) {
    return std::nullopt;
  }
  if (x.high <= 0) {
    result.stages = {{0}};
    return result;
  }
  if (is_ramp ? x.low >= 0 : x.low > 0) {
    result.stages = {is_ramp ? Series{0, 1} : Series{1}};
    return result;
  }
  return std::nullopt;
}

auto ramp_by_sign(RealInterval x, double error, unsigned most_levels)
    -> std::optional<Approximation> {
  const double largest = std::max(-x.low, x.high);
  const double relative = error / largest;
  std::optional<Approximation> best;
  // The wider the gap, the more is left to the error inside of it.
  for (const double part : {6.0, 4.0, 3.0, 2.0}) {
    const double gap = part * relative;
    const unsigned most = best ? best->levels : most_levels;
    constexpr unsigned kOwnLevels = 2;  // what scales the operand, and the product with it
    std::optional<SignComposition> sign =
        gap < 1 && most >= kOwnLevels ? sign_composition(gap, 1.9 * relative, most - kOwnLevels)
                                      : std::nullopt;
    if (!sign) {
      continue;
    }
    Approximation result{.kind = FunctionKind::Ramp,
                         .x = x,
                         .scaling = {.scale = 1 / largest, .shift = 0},
                         .stages = {},
                         .is_sign = true};
    result.error = largest * (weighed_error(*sign) / 2 + 0x1p-44);
    for (SignStage& stage : sign->stages) {
      result.stages.push_back(std::move(stage.series));
    }
    count(result);
    if (result.error <= error) {
      keep_better(std::move(result), best);
    }
  }
  return best;
}

}  // namespace

auto Approximation::degree() const -> unsigned {
  unsigned product = 1;
  for (const Series& stage : stages) {
    product *= degree_of(stage);
  }
  return product + (is_sign ? 1 : 0);
}

auto choose_approximation(FunctionKind kind, RealInterval x, double error)
    -> Result<Approximation> {
  if (const std::string fault = array::domain_fault(kind, x); !fault.empty()) {
    return Error{fault};
  }
  if (std::optional<Approximation> known = exact(kind, x)) {
    count(*known);
    return *known;
  }
  if (kind == FunctionKind::Step) {
    return Error{"is compared, which no polynomial does near the threshold"};
  }
  std::optional<Approximation> best;
  for (const Form& form : forms_of(kind, x)) {
    const unsigned levels = best ? best->levels - (form.scaling.scale != 1 ? 1 : 0) : kMostLevels;
    const unsigned most_degree =
        std::min(form.parity == Parity::None ? kMostPlainDegree : kMostDegree, (1U << levels) - 1);
    std::optional<Approximation> found = SeriesOfForm(kind, x, form).within(error, most_degree);
    if (found) {
      count(*found);
      keep_better(std::move(*found), best);
    }
  }
  if (kind == FunctionKind::Ramp) {
    if (std::optional<Approximation> found =
            ramp_by_sign(x, error, best ? best->levels : kMostLevels)) {
      keep_better(std::move(*found), best);
    }
  }
  if (!best) {
    return Error{fmt::format(
        "is between {:.6g} and {:.6g}, where a polynomial of degree {} is not within {:.2g}", x.low,
        x.high, kMostDegree, error)};
  }
  return *best;
}

auto value_at(const Approximation& approximation, double x) -> double {
  DoubleDouble value = approximation.scaling.at(x);
  for (const Series& stage : approximation.stages) {
    value = value_at(stage, value);
  }
  return static_cast<double>(approximation.is_sign ? DoubleDouble(x / 2) * (value + 1) : value);
}

}  // namespace tacet::approximate
