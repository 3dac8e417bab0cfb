#include "compiler/he/approximate/sign.h"

#include <algorithm>
#include <cmath>

#include "compiler/he/approximate/evaluation.h"
#include "compiler/he/approximate/minimax.h"

namespace tacet::approximate {
namespace {

constexpr unsigned kDegrees[] = {3, 7, 15, 31};
/// Of a piece, its end by its beginning.
constexpr double kRatio = 1.1;

struct Candidate {
  SignComposition composition;
  double gap = 0;  ///< what is left of it, relative to the largest value
};

struct Stage {
  Series series;
  double error = 0;
};

/// Certified on [gap, 1].
auto stage_on(double gap, unsigned degree) -> Stage {
  // Errors are near 1, and only the difference to 1 matters.
  constexpr double kExcess = 1e-8;
  const Series series = minimax([](double) { return 1.0; }, {gap, 1}, degree, Parity::Odd, kExcess);
  // The least value decides how many stages follow, and is near 0.
  constexpr unsigned kPointsPerDegree = 512;
  const RealInterval values = range_of(series, {gap, 1}, kPointsPerDegree);
  return {series, std::max(std::abs(values.low - 1), std::abs(values.high - 1))};
}

auto extended(const Candidate& before, const Stage& stage, bool is_last) -> Candidate {
  Candidate next = before;
  const double divisor = is_last ? 1 : 1 + stage.error;
  Series series = stage.series;
  for (double& coefficient : series) {
    coefficient /= divisor;
  }
  // Division rounds.
  const double low = (1 - stage.error) / divisor * (1 - 0x1p-44);
  const double high = (1 + stage.error) / divisor * (1 + 0x1p-44);
  next.gap = low;
  next.composition.levels += least_levels(degree_of(series));
  next.composition.n_products += plan_of(series).n_products;
  next.composition.stages.push_back(
      {.series = std::move(series), .gap = before.gap, .image = {low, high}});
  return next;
}

auto mapped(const SignComposition& sign, RealInterval u) -> RealInterval {
  constexpr double kMostValue = 1 + 0x1p-40;
  for (const SignStage& stage : sign.stages) {
    const bool is_behind_gap = u.low >= stage.gap && u.high <= kMostValue;
    u = range_of(stage.series, u);
    if (is_behind_gap) {
      u = {std::max(u.low, stage.image.low), std::min(u.high, stage.image.high)};
    }
  }
  return u;
}

}  // namespace

auto sign_composition(double gap, double error, unsigned most_levels)
    -> std::optional<SignComposition> {
  std::vector<std::optional<Candidate>> reached(most_levels + 1);
  reached[0] = Candidate{.composition = {}, .gap = gap};
  for (unsigned levels = 1; levels <= most_levels; ++levels) {
    std::optional<Candidate> done;
    for (const unsigned degree : kDegrees) {
      const unsigned own = least_levels(degree);
      if (own > levels || !reached[levels - own]) {
        continue;
      }
      const Candidate& before = *reached[levels - own];
      const Stage stage = stage_on(before.gap, degree);
      if (stage.error <= error) {
        Candidate last = extended(before, stage, true);
        if (!done || last.composition.n_products < done->composition.n_products) {
          done = std::move(last);
        }
      } else if (stage.error < 1) {
        Candidate next = extended(before, stage, false);
        if (!reached[levels] || next.gap > reached[levels]->gap) {
          reached[levels] = std::move(next);
        }
      }
    }
    if (done) {
      return done->composition;
    }
  }
  return std::nullopt;
}

auto weighed_error(const SignComposition& sign) -> double {
  constexpr double kLeast = 1e-9;
  double error = 0;
  for (double low = 0, high = kLeast; low < 1; low = high, high = std::min(high * kRatio, 1.0)) {
    const RealInterval values = mapped(sign, {low, high});
    error = std::max(error, high * std::max(std::abs(values.low - 1), std::abs(values.high - 1)));
  }
  return error;
}

auto largest_value(const SignComposition& sign) -> double {
  double largest = 0;
  for (double low = 0, high = 1e-9; low < 1; low = high, high = std::min(high * kRatio, 1.0)) {
    const RealInterval values = mapped(sign, {low, high});
    largest = std::max({largest, std::abs(values.low), std::abs(values.high)});
  }
  return largest;
}

}  // namespace tacet::approximate
