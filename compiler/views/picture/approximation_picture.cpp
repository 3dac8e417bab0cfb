#include "compiler/views/picture/approximation_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/device/array/real_functions.h"
#include "compiler/views/picture/svg.h"

namespace tacet::picture {

namespace {

constexpr double kWidth = 320;
constexpr double kFunctionHeight = 120;
constexpr double kErrorHeight = 70;
constexpr double kLabelWidth = 70;
constexpr int kPoints = 160;

/// A curve in a frame, from the left side to the right one.
class Frame {
 public:
  Frame(Svg& svg, double y, double height, double low, double high)
      : svg_(svg), box_{kLabelWidth, y, kWidth, height}, low_(low), high_(high) {
    svg_.rectangle(box_, "none");
    svg_.text(kLabelWidth - 8, y + 6, fmt::format("{:.3g}", high), "soft", Anchor::End);
    svg_.text(kLabelWidth - 8, box_.bottom() - 6, fmt::format("{:.3g}", low), "soft", Anchor::End);
  }

  void draw(const std::vector<double>& values, std::string_view classes) {
    const double step = kWidth / static_cast<double>(values.size() - 1);
    for (size_t i = 1; i < values.size(); ++i) {
      const double x = box_.x + step * static_cast<double>(i);
      svg_.line(x - step, y_of(values[i - 1]), x, y_of(values[i]), classes);
    }
  }

 private:
  [[nodiscard]] auto y_of(double value) const -> double {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
    return box_.bottom() - box_.height * std::clamp(share, 0.0, 1.0);
  }

  Svg& svg_;
  Box box_;
  double low_;
  double high_;
};

/// The curves, from `top` down. Returns where they end.
auto draw(Svg& svg, double top, const approximate::Approximation& approximation) -> double {
  const approximate::RealInterval& x = approximation.x;
  std::vector<double> exact;
  std::vector<double> errors;
  std::vector<double> computed;
  for (int i = 0; i <= kPoints; ++i) {
    const double at = x.low + (x.high - x.low) * i / kPoints;
    exact.push_back(array::real_value(approximation.kind, at));
    computed.push_back(approximate::value_at(approximation, at));
    errors.push_back(computed.back() - exact.back());
  }
  const auto [low, high] = std::minmax_element(exact.begin(), exact.end());
  Frame function(svg, top, kFunctionHeight, *low, *high);
  function.draw(exact, "edge dashed");
  function.draw(computed, "edge");
  const double y = top + kFunctionHeight + kLineHeight;
  svg.text(kLabelWidth, y - kLineHeight / 2, fmt::format("{:.4g}", x.low), "soft");
  svg.text(kLabelWidth + kWidth, y - kLineHeight / 2, fmt::format("{:.4g}", x.high), "soft",
           Anchor::End);
  Frame error(svg, y, kErrorHeight, -approximation.error, approximation.error);
  error.draw(errors, "edge");
  svg.text(kLabelWidth - 8, y + kErrorHeight / 2, "error", "soft", Anchor::End);
  return y + kErrorHeight;
}

constexpr std::string_view kDescription = "The function, its polynomial, and their difference";

}  // namespace

auto approximation_picture(const approximate::Approximation& approximation) -> std::string {
  Svg svg;
  draw(svg, 0, approximation);
  return svg.finish(kDescription);
}

auto approximations_picture(std::span<const CaptionedApproximation> approximations) -> std::string {
  Svg svg;
  double top = 0;
  for (const CaptionedApproximation& of : approximations) {
    svg.text(0, top + kLineHeight / 2, of.caption);
    top = draw(svg, top + 1.5 * kLineHeight, *of.approximation) + kLineHeight;
  }
  return svg.finish(kDescription);
}

}  // namespace tacet::picture
