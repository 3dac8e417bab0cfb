#include "compiler/views/picture/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/views/picture/svg.h"

namespace tacet::picture {

namespace {

constexpr double kWidth = 640;  ///< of the axis
constexpr double kRow = 20;
constexpr double kGap = 8;      ///< between lanes
constexpr double kLeast = 1.5;  ///< what takes no time at all is seen
constexpr size_t kColours = 8;
constexpr double kTicks = 6;

/// 1, 2 or 5 times a power of ten, so that the axis has about `kTicks` of them.
auto tick_of(double length) -> double {
  const double raw = length / kTicks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      return factor * power;
    }
  }
  return 10 * power;
}

/// Spans in rows, none over another.
class Rows {
 public:
  auto row_of(double begin, double end) -> size_t {
    const auto free =
        std::find_if(ends_.begin(), ends_.end(), [&](double last) { return last <= begin; });
    if (free == ends_.end()) {
      ends_.push_back(end);
      return ends_.size() - 1;
    }
    *free = end;
    return static_cast<size_t>(free - ends_.begin());
  }
  [[nodiscard]] auto n_rows() const -> size_t { return std::max<size_t>(ends_.size(), 1); }

 private:
  std::vector<double> ends_;
};

class Drawing {
 public:
  explicit Drawing(std::vector<Lane> lanes) : lanes_(std::move(lanes)) {
    for (Lane& lane : lanes_) {
      keep_longest(lane);
      names_ = std::max(names_, text_width(lane.name));
      for (const Span& span : lane.spans) {
        begin_ = std::min(begin_, span.begin);
        end_ = std::max(end_, span.end);
      }
    }
    names_ += 10;
  }

  auto draw() -> std::string {
    if (end_ <= begin_) {
      return {};
    }
    double y = kLineHeight + kGap;
    for (const Lane& lane : lanes_) {
      y = draw_lane(lane, y) + kGap;
    }
    draw_axis(y - kGap);
    return svg_.finish("timeline of the run");
  }

 private:
  static void keep_longest(Lane& lane) {
    if (lane.spans.size() > kMostSpans) {
      std::stable_sort(lane.spans.begin(), lane.spans.end(), [](const Span& a, const Span& b) {
        return a.end - a.begin > b.end - b.begin;
      });
      lane.name += fmt::format(" ({} of {})", kMostSpans, lane.spans.size());
      lane.spans.resize(kMostSpans);
    }
    std::stable_sort(lane.spans.begin(), lane.spans.end(),
                     [](const Span& a, const Span& b) { return a.begin < b.begin; });
  }

  [[nodiscard]] auto x_of(double time) const -> double {
    return names_ + (time - begin_) / (end_ - begin_) * kWidth;
  }

  /// Gives back where it ends.
  auto draw_lane(const Lane& lane, double y) -> double {
    svg_.text(names_ - 10, y + kRow / 2, lane.name, "soft", Anchor::End);
    Rows rows;
    size_t number = 0;
    for (const Span& span : lane.spans) {
      Box box{x_of(span.begin), 0, std::max(kLeast, x_of(span.end) - x_of(span.begin)), kRow - 3};
      box.y = y + static_cast<double>(rows.row_of(box.x, box.right())) * kRow;
      svg_.rectangle(box, fmt::format("c{}", number++ % kColours), title_of(span),
                     {.line = span.line, .name = {}});
      draw_label(span, box, lane.spans.size() == 1);
    }
    return y + static_cast<double>(rows.n_rows()) * kRow;
  }

  static auto title_of(const Span& span) -> std::string {
    return fmt::format("{}: {}{}{}", span.label, duration_text(span.end - span.begin),
                       span.detail.empty() ? "" : "; ", span.detail);
  }

  /// In the box if there is room; beside it if it is alone in its row.
  void draw_label(const Span& span, const Box& box, bool is_alone) {
    const std::string text = is_alone ? duration_text(span.end - span.begin) : span.label;
    if (text_width(text) + 6 <= box.width) {
      svg_.text(box.middle_x(), box.middle_y(), text, {}, Anchor::Middle);
    } else if (is_alone) {
      svg_.text(box.right() + 5, box.middle_y(), text);
    }
  }

  void draw_axis(double bottom) {
    const double tick = tick_of(end_ - begin_);
    for (double time = 0; time <= (end_ - begin_) * (1 + 1e-9); time += tick) {
      const double x = x_of(begin_ + time);
      svg_.line(x, kLineHeight, x, bottom, "dashed");
      svg_.text(x, kLineHeight / 2, duration_text(time), "soft", Anchor::Middle);
    }
  }

  std::vector<Lane> lanes_;
  Svg svg_;
  double names_ = 0;
  double begin_ = INFINITY;
  double end_ = -INFINITY;
};

}  // namespace

auto duration_text(double seconds) -> std::string {
  const double whole = std::abs(seconds);
  return whole == 0     ? std::string("0")
         : whole < 1e-3 ? fmt::format("{:.3g} µs", seconds * 1e6)
         : whole < 1    ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

auto timeline_picture(std::vector<Lane> lanes) -> std::string {
  return Drawing(std::move(lanes)).draw();
}

}  // namespace tacet::picture
