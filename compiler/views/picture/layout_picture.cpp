#include "compiler/views/picture/layout_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/views/picture/svg.h"

namespace tacet::picture {

namespace {

using he_views::Layout;
using he_views::Slot;

constexpr double kCellHeight = 20;
constexpr double kLeastCell = 24;
constexpr double kGapWidth = 20;
constexpr int64_t kColours = 8;

auto is_gap(const std::vector<int64_t>& numbers, size_t i) -> bool {
  return i > 0 && numbers[i] != numbers[i - 1] + 1;
}

class Drawing {
 public:
  Drawing(const Layout& layout, std::string_view name, Svg& svg)
      : layout_(layout), name_(name), svg_(svg) {
    for (const Slot& slot : layout.slots) {
      cell_ = std::max(cell_, text_width(he_views::slot_text(slot)) + 10);
    }
    for (int64_t column : layout.columns) {
      cell_ = std::max(cell_, text_width(std::to_string(column)) + 10);
    }
    labels_ = text_width("slot");
    for (size_t v = 0; v < layout.numbers.size(); ++v) {
      labels_ = std::max(labels_, text_width(label_of(v, layout.n_rows - 1)));
    }
    labels_ += 10;
  }

  /// Below `y`; gives back where it ends.
  auto draw(double y) -> double {
    svg_.text(labels_ - 10, y + kCellHeight / 2, "slot", "soft", Anchor::End);
    for (size_t column = 0; column < layout_.columns.size(); ++column) {
      svg_.text(x_of(column) + cell_ / 2, y + kCellHeight / 2,
                std::to_string(layout_.columns[column]), "soft", Anchor::Middle);
    }
    y += kCellHeight;
    for (size_t v = 0; v < layout_.numbers.size(); ++v) {
      if (is_gap(layout_.numbers, v)) {
        svg_.text(labels_ - 10, y + kCellHeight / 2, "⋮", "soft", Anchor::End);
        y += kCellHeight;
      }
      for (int64_t row = 0; row < layout_.n_rows; ++row) {
        draw_row(v, row, y);
        y += kCellHeight;
      }
    }
    return y;
  }

 private:
  void draw_row(size_t v, int64_t row, double y) {
    svg_.text(labels_ - 10, y + kCellHeight / 2, label_of(v, row), "soft", Anchor::End);
    for (size_t column = 0; column < layout_.columns.size(); ++column) {
      if (is_gap(layout_.columns, column)) {
        svg_.text(x_of(column) - kGapWidth / 2, y + kCellHeight / 2, "…", "soft", Anchor::Middle);
      }
      const Slot& slot = layout_.slot(v, row, column);
      const Box box{x_of(column), y, cell_, kCellHeight};
      svg_.rectangle(box, classes_of(slot), {}, {.line = 0, .name = name_});
      svg_.text(box.middle_x(), box.middle_y(), he_views::slot_text(slot), {}, Anchor::Middle);
    }
  }

  [[nodiscard]] auto x_of(size_t column) const -> double {
    double x = labels_ + static_cast<double>(column) * cell_;
    for (size_t i = 1; i <= column; ++i) {
      x += is_gap(layout_.columns, i) ? kGapWidth : 0;
    }
    return x;
  }

  [[nodiscard]] auto label_of(size_t v, int64_t row) const -> std::string {
    std::string text = he_views::vector_text(layout_, layout_.numbers[v]);
    if (layout_.n_rows == 1) {
      return text;
    }
    return row == 0 ? text + (text.empty() ? "row 0" : ", row 0") : fmt::format("row {}", row);
  }

  static auto classes_of(const Slot& slot) -> std::string {
    if (slot.kind != Slot::Kind::Element && slot.kind != Slot::Kind::Summand) {
      return slot.kind == Slot::Kind::Anything ? "none" : "gap";
    }
    const int64_t first = slot.indices.empty() ? 0 : slot.indices.front();
    return first == Slot::kEvery ? std::string("c7") : fmt::format("c{}", first % kColours);
  }

  const Layout& layout_;
  std::string_view name_;
  Svg& svg_;
  double cell_ = kLeastCell;
  double labels_ = 0;
};

/// The array of a caption such as `a[i]`; none of `→ out`.
auto array_of(std::string_view caption) -> std::string_view {
  const size_t bracket = caption.find('[');
  return bracket == std::string_view::npos || caption.find(' ') < bracket
             ? std::string_view()
             : caption.substr(0, bracket);
}

}  // namespace

auto layout_picture(const std::vector<CaptionedLayout>& layouts) -> std::string {
  Svg svg;
  double y = 0;
  for (const CaptionedLayout& one : layouts) {
    if (!one.caption.empty()) {
      svg.text(0, y + kLineHeight / 2, one.caption);
      y += kLineHeight + 4;
    }
    y = Drawing(one.layout, array_of(one.caption), svg).draw(y) + 14;
  }
  return svg.finish("the element in each slot");
}

}  // namespace tacet::picture
