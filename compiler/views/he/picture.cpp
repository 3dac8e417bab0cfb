#include <fmt/format.h>

#include <algorithm>

#include "compiler/views/he/layout.h"

namespace tacet::he_views {

namespace {

auto element_text(const std::vector<int64_t>& indices) -> std::string {
  std::string text;
  for (int64_t index : indices) {
    text += text.empty() ? "" : ",";
    text += index == Slot::kEvery ? std::string("*") : std::to_string(index);
  }
  return text.empty() ? std::string("•") : text;
}

}  // namespace

auto slot_text(const Slot& slot) -> std::string {
  switch (slot.kind) {
    case Slot::Kind::Element:
      return element_text(slot.indices);
    case Slot::Kind::Summand:
      return "+" + element_text(slot.indices);
    case Slot::Kind::Outside:
      return "∅";
    case Slot::Kind::Padding:
      return "·";
    case Slot::Kind::Anything:
      return "?";
  }
  return {};
}

auto vector_text(const Layout& layout, int64_t number) -> std::string {
  std::string text;
  for (auto loop = layout.loops.rbegin(); loop != layout.loops.rend(); ++loop) {
    text = fmt::format("{} = {}{}{}", loop->name, number % loop->extent, text.empty() ? "" : ", ",
                       text);
    number /= loop->extent;
  }
  return text;
}

namespace {

/// How many characters wide a text is drawn; each of ours is one wide.
auto width(const std::string& text) -> size_t {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

auto padded(const std::string& text, size_t to) -> std::string {
  return std::string(to - std::min(to, width(text)), ' ') + text;
}

auto is_gap(const std::vector<int64_t>& numbers, size_t i) -> bool {
  return i > 0 && numbers[i] != numbers[i - 1] + 1;
}

/// A line of the grid: in front of the bar, and behind it.
struct Line {
  std::string label;
  std::string cells;
};

class Grid {
 public:
  explicit Grid(const Layout& layout) : layout_(layout) {}

  auto text() -> std::string {
    find_widths();
    std::vector<Line> lines;
    std::vector<std::string> header;
    for (int64_t column : layout_.columns) {
      header.push_back(std::to_string(column));
    }
    lines.push_back({"slot", cells(header)});
    for (size_t v = 0; v < layout_.numbers.size(); ++v) {
      if (is_gap(layout_.numbers, v)) {
        lines.push_back({"⋮", ""});
      }
      for (int64_t row = 0; row < layout_.n_rows; ++row) {
        std::vector<std::string> texts;
        for (size_t column = 0; column < layout_.columns.size(); ++column) {
          texts.push_back(slot_text(layout_.slot(v, row, column)));
        }
        lines.push_back({label(v, row), cells(texts)});
      }
    }
    return joined(lines);
  }

 private:
  void find_widths() {
    for (size_t column = 0; column < layout_.columns.size(); ++column) {
      size_t widest = std::to_string(layout_.columns[column]).size();
      for (size_t v = 0; v < layout_.numbers.size(); ++v) {
        for (int64_t row = 0; row < layout_.n_rows; ++row) {
          widest = std::max(widest, width(slot_text(layout_.slot(v, row, column))));
        }
      }
      widths_.push_back(widest);
    }
  }

  [[nodiscard]] auto cells(const std::vector<std::string>& texts) const -> std::string {
    std::string line;
    for (size_t i = 0; i < texts.size(); ++i) {
      line += is_gap(layout_.columns, i) ? " …" : "";
      line += " " + padded(texts[i], widths_[i]);
    }
    return line;
  }

  [[nodiscard]] auto label(size_t v, int64_t row) const -> std::string {
    std::string text = row == 0 ? vector_text(layout_, layout_.numbers[v]) : "";
    return layout_.n_rows == 1 ? text
                               : fmt::format("{}{}row {}", text, text.empty() ? "" : ", ", row);
  }

  static auto joined(const std::vector<Line>& lines) -> std::string {
    size_t label = 0;
    size_t cells = 0;
    for (const Line& line : lines) {
      label = std::max(label, width(line.label));
      cells = std::max(cells, width(line.cells));
    }
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) {
      text += fmt::format("{} │{}\n", padded(lines[i].label, label), lines[i].cells);
      if (i == 0) {
        text += repeated("─", label + 1) + "┼" + repeated("─", cells) + "\n";
      }
    }
    return text;
  }

  static auto repeated(std::string_view piece, size_t n) -> std::string {
    std::string text;
    for (size_t i = 0; i < n; ++i) {
      text += piece;
    }
    return text;
  }

  const Layout& layout_;
  std::vector<size_t> widths_;
};

}  // namespace

auto picture(const Layout& layout) -> std::string {
  return Grid(layout).text();
}

}  // namespace tacet::he_views
