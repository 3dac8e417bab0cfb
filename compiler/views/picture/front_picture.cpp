#include "compiler/views/picture/front_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/views/picture/svg.h"
#include "compiler/views/picture/timeline_picture.h"

namespace tacet::picture {

namespace {

constexpr double kWidth = 480;
constexpr double kHeight = 300;
constexpr double kPoint = 9;
constexpr double kLeft = 80;  ///< of the axis of bytes
constexpr double kTop = 2 * kLineHeight;

auto size_text(double bytes) -> std::string {
  return bytes >= 1e9   ? fmt::format("{:.3g} GB", bytes / 1e9)
         : bytes >= 1e6 ? fmt::format("{:.3g} MB", bytes / 1e6)
         : bytes >= 1e3 ? fmt::format("{:.3g} KB", bytes / 1e3)
                        : fmt::format("{:.0f} B", bytes);
}

/// Powers of ten between which all values are, one apart at least.
struct Decades {
  double low = 0;
  double high = 1;

  explicit Decades(const std::vector<double>& values) {
    if (values.empty()) {
      return;
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    low = std::floor(std::log10(*least));
    high = std::max(low + 1, std::ceil(std::log10(*most)));
  }

  /// From 0 to 1.
  [[nodiscard]] auto place(double value) const -> double {
    return (std::log10(value) - low) / (high - low);
  }
};

class FrontDrawing {
 public:
  explicit FrontDrawing(const std::vector<FrontPoint>& points)
      : points_(points), times_(seconds_of(points)), sizes_(bytes_of(points)) {
    has_nothing_ = std::any_of(points.begin(), points.end(),
                               [](const FrontPoint& point) { return point.bytes < 1; });
  }

  auto draw(const std::string& title) -> std::string {
    svg_.text(0, kLineHeight / 2, title);
    draw_axes();
    for (const FrontPoint& point : points_) {
      const double x = x_of(point);
      const double y = y_of(point);
      svg_.rectangle({x - kPoint / 2, y - kPoint / 2, kPoint, kPoint},
                     point.is_on_front ? "c0" : "box",
                     fmt::format("{}: {}, {}", point.label, duration_text(point.seconds),
                                 size_text(point.bytes)));
    }
    draw_labels();
    return svg_.finish(
        fmt::format("time against bytes of {} ways to compute {}", points_.size(), title));
  }

 private:
  static auto seconds_of(const std::vector<FrontPoint>& points) -> Decades {
    std::vector<double> values;
    for (const FrontPoint& point : points) {
      values.push_back(point.seconds);
    }
    return Decades(values);
  }

  static auto bytes_of(const std::vector<FrontPoint>& points) -> Decades {
    std::vector<double> values;
    for (const FrontPoint& point : points) {
      if (point.bytes >= 1) {
        values.push_back(point.bytes);
      }
    }
    return Decades(values);
  }

  [[nodiscard]] auto x_of(const FrontPoint& point) const -> double {
    return kLeft + times_.place(point.seconds) * kWidth;
  }

  /// What sends nothing is a line below the axis.
  [[nodiscard]] auto y_of(const FrontPoint& point) const -> double {
    return point.bytes < 1 ? kTop + kHeight + kLineHeight
                           : kTop + (1 - sizes_.place(point.bytes)) * kHeight;
  }

  void draw_axes() {
    const double bottom = kTop + kHeight + (has_nothing_ ? kLineHeight : 0);
    for (double power = times_.low; power <= times_.high; ++power) {
      const double x = kLeft + (power - times_.low) / (times_.high - times_.low) * kWidth;
      svg_.line(x, kTop, x, bottom, "dashed");
      svg_.text(x, bottom + kLineHeight, duration_text(std::pow(10, power)), "soft",
                Anchor::Middle);
    }
    for (double power = sizes_.low; power <= sizes_.high; ++power) {
      const double y = kTop + (sizes_.high - power) / (sizes_.high - sizes_.low) * kHeight;
      svg_.line(kLeft, y, kLeft + kWidth, y, "dashed");
      svg_.text(kLeft - 8, y, size_text(std::pow(10, power)), "soft", Anchor::End);
    }
    if (has_nothing_) {
      svg_.text(kLeft - 8, bottom, "none", "soft", Anchor::End);
    }
    svg_.text(kLeft + kWidth / 2, bottom + 2 * kLineHeight, "time", "soft", Anchor::Middle);
    svg_.text(kLeft - 8, kTop - kLineHeight, "sent and keys", "soft", Anchor::End);
  }

  /// Those on the front, from the top; one that would be over another is left to the mouse.
  void draw_labels() {
    std::vector<const FrontPoint*> front;
    for (const FrontPoint& point : points_) {
      if (point.is_on_front) {
        front.push_back(&point);
      }
    }
    std::stable_sort(front.begin(), front.end(),
                     [&](const FrontPoint* a, const FrontPoint* b) { return y_of(*a) < y_of(*b); });
    double last = 0;
    for (const FrontPoint* const point : front) {
      if (y_of(*point) - last >= kLineHeight) {
        last = y_of(*point);
        svg_.text(x_of(*point) + kPoint, last, point->label);
      }
    }
  }

  const std::vector<FrontPoint>& points_;
  Decades times_;
  Decades sizes_;
  bool has_nothing_ = false;
  Svg svg_;
};

}  // namespace

auto front_picture(const std::string& title, const std::vector<FrontPoint>& points) -> std::string {
  return points.empty() ? std::string() : FrontDrawing(points).draw(title);
}

}  // namespace tacet::picture
