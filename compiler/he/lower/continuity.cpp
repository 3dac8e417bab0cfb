#include "compiler/he/lower/continuity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace tacet::he_lower {
namespace {

using approximate::RealInterval;
using approximate::Series;
using Node = RealFunction::Node;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kMostPieces = size_t{1} << 15;
constexpr unsigned kMostSplits = 40;
/// How far errors may be followed, in parts of what is possible.
constexpr std::array kParts{1.0, 0x1p-2, 0x1p-5, 0x1p-9};
/// Lines are found for slopes between these multiples of the largest derivative.
constexpr double kLeastSlope = 0.125;
constexpr double kMostSlope = 1.5;

/// p' as a series: by the recurrence c'_(k-1) = c'_(k+1) + 2 k c_k.
auto derivative_of(const Series& series) -> Series {
  const size_t n = series.size();
  Series result(std::max<size_t>(n, 2) - 1);
  for (size_t k = n; k-- > 1;) {
    const double two_behind = k + 1 < result.size() ? result[k + 1] : 0;
    result[k - 1] = two_behind + 2 * static_cast<double>(k) * series[k];
  }
  result[0] /= 2;
  return result;
}

/// By Clenshaw's recurrence, of several numbers at once.
template <size_t N>
auto values_at(const Series& series, const std::array<double, N>& u) -> std::array<double, N> {
  std::array<double, N> b1{};
  std::array<double, N> b2{};
  for (size_t k = series.size(); k-- > 1;) {
    for (size_t i = 0; i < N; ++i) {
      b2[i] = std::exchange(b1[i], series[k] + 2 * u[i] * b1[i] - b2[i]);
    }
  }
  std::array<double, N> values;
  for (size_t i = 0; i < N; ++i) {
    values[i] = series[0] + u[i] * b1[i] - b2[i];
  }
  return values;
}

auto value_at(const Series& series, double u) -> double {
  return values_at<1>(series, {u})[0];
}

/// The ends of pieces in which a second derivative is bounded: towards -1 and 1, where it grows,
/// and outwards from there, each is half as long as the one before, or twice.
auto piece_ends() -> std::vector<double> {
  constexpr int kHalves = 14;
  constexpr double kMiddle = 0.75;
  constexpr int kMiddlePieces = 12;
  std::vector<double> ends;
  for (int i = 0; i <= kMiddlePieces; ++i) {
    ends.push_back(kMiddle * (2.0 * i / kMiddlePieces - 1));
  }
  for (const double side : {-1.0, 1.0}) {
    for (int k = 3; k <= kHalves; ++k) {
      ends.push_back(side * (1 - std::ldexp(1, -k)));
      ends.push_back(side * (1 + std::ldexp(1, -k)));
    }
    ends.push_back(side);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// A polynomial, its derivative, and bounds of its second derivative near the interval.
class Smooth {
 public:
  explicit Smooth(const Series& series) : series_(series), slope_(derivative_of(series)) {
    const Series second = derivative_of(slope_);
    const unsigned degree = approximate::degree_of(second);
    const unsigned n_points = (kPointsPerDegree * degree / kAtOnce + 1) * kAtOnce;
    const std::vector<double> points = approximate::points_in({-1, 1}, n_points);
    for (size_t piece = 0; piece + 1 < ends_.size(); ++piece) {
      const double middle = (ends_[piece] + ends_[piece + 1]) / 2;
      const double half = (ends_[piece + 1] - ends_[piece]) / 2;
      double most = 0;
      for (size_t i = 0; i < points.size(); i += kAtOnce) {
        std::array<double, kAtOnce> u;
        for (size_t k = 0; k < kAtOnce; ++k) {
          u[k] = middle + half * points[i + k];
        }
        for (const double value : values_at(second, u)) {
          most = std::max(most, std::abs(value));
        }
      }
      second_.push_back(most * approximate::factor_of(degree, n_points));
    }
  }

  [[nodiscard]] auto value(double u) const -> double { return value_at(series_, u); }
  [[nodiscard]] auto slope(double u) const -> double { return value_at(slope_, u); }
  /// The largest second derivative from `low` to `high`; infinite too far from the interval.
  [[nodiscard]] auto second_derivative(double low, double high) const -> double {
    if (!(low > ends_.front() && high < ends_.back())) {
      return kInfinite;
    }
    const auto first = std::upper_bound(ends_.begin(), ends_.end(), low) - 1 - ends_.begin();
    double most = 0;
    for (auto i = static_cast<size_t>(first); ends_[i] <= high; ++i) {
      most = std::max(most, second_[i]);
    }
    return most;
  }

 private:
  static constexpr unsigned kPointsPerDegree = 2;
  static constexpr unsigned kAtOnce = 8;

  Series series_, slope_;
  std::vector<double> ends_ = piece_ends();
  std::vector<double> second_;  ///< by piece
};

/// value + slope * t, and off by at most `rest`, for t from -h to h. Second derivatives bound the
/// rest, so slopes elsewhere in the piece differ by at most 2 rest / h.
struct TaylorModel {
  double value = 0;
  double slope = 0;
  double rest = 0;
};

/// A piece of the operand's interval, and the function there.
struct Piece {
  double middle = 0;
  double half = 0;
  TaylorModel of;

  [[nodiscard]] auto low() const -> double { return middle - half; }
  [[nodiscard]] auto high() const -> double { return middle + half; }
  [[nodiscard]] auto most_slope() const -> double {
    return std::abs(of.slope) + 2 * of.rest / half;
  }
};

class Pieces {
 public:
  Pieces(const RealFunction& function, RealInterval operand, double steepest)
      : nodes_(function.nodes),
        operand_(operand),
        most_slope_(kMostSlope * steepest),
        made_(function.nodes.size()) {
    for (const Node& node : nodes_) {
      smooth_.emplace_back(node.series.empty() ? Series{0} : node.series);
    }
  }

  /// In the interval and outside of it, as far as they are found, in their order; none if they
  /// would be too many.
  auto run() -> std::vector<Piece> {
    const double width = operand_.high - operand_.low;
    constexpr unsigned kFirst = 64;
    double low = kInfinite;
    double high = -kInfinite;
    for (unsigned i = 0; i <= kFirst; ++i) {
      const double value = at(operand_.low + width * i / kFirst, 0).value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    tolerance_ = 0x1p-18 * (high - low);
    least_ = low - (high - low) / 16;
    most_ = high + (high - low) / 16;
    for (unsigned i = 0; i < kFirst; ++i) {
      if (!split(operand_.low + width * i / kFirst, operand_.low + width * (i + 1) / kFirst)) {
        return {};
      }
    }
    add_outside(operand_.high, 1);
    std::reverse(pieces_.begin(), pieces_.end());
    add_outside(operand_.low, -1);
    std::reverse(pieces_.begin(), pieces_.end());
    return std::move(pieces_);
  }

 private:
  auto at(double middle, double half) -> TaylorModel {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      const TaylorModel& a = made_[node.a];
      const TaylorModel& b = made_[node.b];
      switch (node.kind) {
        case Node::Kind::Operand:
          made_[i] = {middle, 1, 0};
          break;
        case Node::Kind::Number:
          made_[i] = {node.number, 0, 0};
          break;
        case Node::Kind::Polynomial:
          made_[i] = polynomial(i, a, half);
          break;
        case Node::Kind::Sum:
          made_[i] = {a.value + b.value, a.slope + b.slope, a.rest + b.rest};
          break;
        case Node::Kind::Difference:
          made_[i] = {a.value - b.value, a.slope - b.slope, a.rest + b.rest};
          break;
        case Node::Kind::Product:
          made_[i] = {
              a.value * b.value, a.value * b.slope + b.value * a.slope,
              std::abs(a.value) * b.rest + std::abs(b.value) * a.rest +
                  (std::abs(a.slope) * half + a.rest) * (std::abs(b.slope) * half + b.rest)};
          break;
      }
    }
    return made_.back();
  }

  [[nodiscard]] auto polynomial(size_t node, const TaylorModel& a, double half) const
      -> TaylorModel {
    const RealInterval& interval = nodes_[node].interval;
    const double radius = (interval.high - interval.low) / 2;
    const double u = (a.value - (interval.high + interval.low) / 2) / radius;
    const double slope = a.slope / radius;
    const double rest = a.rest / radius;
    const double reach = std::abs(slope) * half + rest;
    const double by = smooth_[node].slope(u);
    return {smooth_[node].value(u), by * slope,
            std::abs(by) * rest +
                smooth_[node].second_derivative(u - reach, u + reach) * reach * reach / 2};
  }

  /// Adds the pieces from one number to another; whether there are enough.
  auto split(double low, double high, unsigned n_splits = 0) -> bool {
    Piece piece{.middle = (low + high) / 2, .half = (high - low) / 2, .of = {}};
    piece.of = at(piece.middle, piece.half);
    if (piece.of.rest <= tolerance_) {
      pieces_.push_back(piece);
      return pieces_.size() <= kMostPieces;
    }
    return n_splits < kMostSplits && split(low, piece.middle, n_splits + 1) &&
           split(piece.middle, high, n_splits + 1);
  }

  /// Step by step, while results are hardly beyond those in the interval, and the function is
  /// hardly steeper. Below its lower end the pieces are added from the last to the first.
  void add_outside(double end, int direction) {
    constexpr double kLeastPart = 0x1p-16;
    constexpr double kMostPart = 0x1p-4;
    const double width = operand_.high - operand_.low;
    double before = 0;
    for (double part = kLeastPart; part < kMostPart; part *= 1.25) {
      const auto n_before = static_cast<std::ptrdiff_t>(pieces_.size());
      const double from = end + direction * before * width;
      const double to = end + direction * part * width;
      const bool is_found = split(std::min(from, to), std::max(from, to));
      const bool is_near =
          std::all_of(pieces_.begin() + n_before, pieces_.end(), [&](const Piece& piece) {
            return piece.of.value > least_ && piece.of.value < most_ &&
                   piece.most_slope() < most_slope_;
          });
      if (!is_found || !is_near) {
        pieces_.resize(static_cast<size_t>(n_before));
        return;
      }
      if (direction < 0) {
        std::reverse(pieces_.begin() + n_before, pieces_.end());
      }
      before = part;
    }
  }

  const std::vector<Node>& nodes_;
  RealInterval operand_;
  double most_slope_;
  std::vector<Smooth> smooth_;     ///< by node
  std::vector<TaylorModel> made_;  ///< likewise
  std::vector<Piece> pieces_;
  double tolerance_ = 0;
  double least_ = 0, most_ = 0;  ///< of results outside of the interval
};

/// As a polynomial.
auto degree_of(const RealFunction& function) -> double {
  std::vector<double> degrees;
  for (const Node& node : function.nodes) {
    switch (node.kind) {
      case Node::Kind::Operand:
        degrees.push_back(1);
        break;
      case Node::Kind::Number:
        degrees.push_back(0);
        break;
      case Node::Kind::Polynomial:
        degrees.push_back(degrees[node.a] * approximate::degree_of(node.series));
        break;
      case Node::Kind::Sum:
      case Node::Kind::Difference:
        degrees.push_back(std::max(degrees[node.a], degrees[node.b]));
        break;
      case Node::Kind::Product:
        degrees.push_back(degrees[node.a] + degrees[node.b]);
        break;
    }
  }
  return std::max(degrees.back(), 1.0);
}

/// How much f, or -f, less a line of this slope rises at most from a number to a larger one.
auto rise_above(double slope, const std::vector<Piece>& pieces) -> double {
  double most = 0;
  for (const double sign : {1.0, -1.0}) {
    double least = kInfinite;
    for (const Piece& piece : pieces) {
      const double middle = sign * piece.of.value - slope * piece.middle;
      const double change = (sign * piece.of.slope - slope) * piece.half;
      for (const double end : {middle - change, middle + change}) {
        least = std::min(least, end - piece.of.rest);
        most = std::max(most, end + piece.of.rest - least);
      }
    }
  }
  return most;
}

}  // namespace

auto operator<(const Node& x, const Node& y) -> bool {
  const auto key = [](const Node& node) {
    return std::tie(node.kind, node.number, node.a, node.b, node.series, node.interval.low,
                    node.interval.high);
  };
  return key(x) < key(y);
}

auto Continuity::slope_of(int i) -> double {
  return std::exp2(static_cast<double>(i - kFirstSlope) / kSlopesPerOctave);
}

auto Continuity::of_error(double error, double imaginary) const -> double {
  double least = kInfinite;
  for (int i = 0; i < kSlopes && error <= most && imaginary <= most_imaginary; ++i) {
    least = std::min(least, slope_of(i) * error + intercepts[static_cast<size_t>(i)]);
  }
  return least + second_derivative * imaginary * imaginary / 2;
}

void Continuity::join(const Continuity& other) {
  most = std::min(most, other.most);
  second_derivative = std::max(second_derivative, other.second_derivative);
  most_imaginary = std::min(most_imaginary, other.most_imaginary);
  for (size_t i = 0; i < intercepts.size(); ++i) {
    intercepts[i] = std::max(intercepts[i], other.intercepts[i]);
  }
}

auto find_continuity(const RealFunction& function, RealInterval operand, double steepest)
    -> std::vector<Continuity> {
  const std::vector<Piece> pieces = Pieces(function, operand, steepest).run();
  std::vector<Continuity> result;
  if (pieces.empty()) {
    return result;
  }
  // A little less, for what rounding may do to ends of pieces.
  const double possible =
      std::min(operand.low - pieces.front().low(), pieces.back().high() - operand.high) *
      (1 - 0x1p-10);
  // By Markov's inequality a polynomial of degree n on an interval of half-width h has second
  // derivatives up to n^2 / h times its largest first one; up to h / n^2 off the real numbers,
  // where Bernstein's ellipses have axes that sum to about (1 + 1 / n) h, none is `kOffReals` as
  // large.
  constexpr double kOffReals = 3;
  const double degree = degree_of(function);
  const double half = (operand.high - operand.low) / 2;
  for (const double part : kParts) {
    const double most = part * possible;
    std::vector<Piece> near;
    for (const Piece& piece : pieces) {
      if (piece.low() < operand.high + most && piece.high() > operand.low - most) {
        near.push_back(piece);
      }
    }
    Continuity found{
        .most = most,
        .most_imaginary = half / (degree * degree),
        .second_derivative = kOffReals * kMostSlope * steepest * degree * degree / half,
        .intercepts = std::vector<double>(Continuity::kSlopes, kInfinite)};
    int last = 0;
    for (int i = Continuity::kSlopes; i-- > 0;) {
      const double slope = Continuity::slope_of(i);
      if (slope < kLeastSlope * steepest) {
        break;
      }
      if (slope < kMostSlope * steepest) {
        found.intercepts[static_cast<size_t>(i)] = rise_above(slope, near);
        last = std::max(last, i);
      }
    }
    // Of other functions there may be lines that are steeper.
    for (int i = last + 1; i < Continuity::kSlopes; ++i) {
      found.intercepts[static_cast<size_t>(i)] = found.intercepts[static_cast<size_t>(last)];
    }
    result.push_back(std::move(found));
  }
  return result;
}

}  // namespace tacet::he_lower
