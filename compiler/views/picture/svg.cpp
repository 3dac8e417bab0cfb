#include "compiler/views/picture/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacet::picture {

namespace {

constexpr double kMargin = 6;
constexpr double kLetterWidth = 7.25;

/// The same colours in both modes: light ones behind dark text, and the other way about.
constexpr std::string_view kStyle =
    ".tp text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;"
    "dominant-baseline:central}"
    ".tp .soft{fill:#59636e}.tp .edge{stroke:#8c959f;fill:none}.tp .dashed{stroke-dasharray:3 3}"
    ".tp rect{stroke:#8c959f;stroke-width:.6;fill:#fff}.tp .none{fill:none}.tp .gap{fill:#eaeef2}"
    ".tp .c0{fill:#cfe8ff}.tp .c1{fill:#ffe2b8}.tp .c2{fill:#d2f4d3}.tp .c3{fill:#f9d6e4}"
    ".tp .c4{fill:#e6dcff}.tp .c5{fill:#c9f0ee}.tp .c6{fill:#fdf0a8}.tp .c7{fill:#e3e0d5}"
    "@media(prefers-color-scheme:dark){.tp text{fill:#e6edf3}.tp .soft{fill:#9198a1}"
    ".tp rect{fill:#0d1117}.tp .gap{fill:#262c36}"
    ".tp .c0{fill:#12395c}.tp .c1{fill:#5c3d0a}.tp .c2{fill:#174d22}.tp .c3{fill:#5c1f3a}"
    ".tp .c4{fill:#3c2a70}.tp .c5{fill:#0d4a4a}.tp .c6{fill:#54490b}.tp .c7{fill:#45423a}}";

auto escaped(std::string_view text) -> std::string {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // No other control character may be in XML.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

auto number(double value) -> std::string {
  return fmt::format("{:.6g}", std::round(value * 10) / 10);
}

auto class_attribute(std::string_view classes) -> std::string {
  return classes.empty() ? std::string() : fmt::format(" class=\"{}\"", classes);
}

auto mark_attributes(const SourceMark& mark) -> std::string {
  std::string text;
  if (mark.line > 0) {
    text += fmt::format(" data-line=\"{}\"", mark.line);
  }
  if (!mark.name.empty()) {
    text += fmt::format(" data-name=\"{}\"", escaped(mark.name));
  }
  return text;
}

}  // namespace

auto text_width(std::string_view text) -> double {
  const auto n_letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  });
  return static_cast<double>(n_letters) * kLetterWidth;
}

void Svg::reach(double x, double y) {
  width_ = std::max(width_, x);
  height_ = std::max(height_, y);
}

void Svg::rectangle(const Box& box, std::string_view classes, std::string_view title,
                    const SourceMark& mark) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"{}{}",
                       number(box.x), number(box.y), number(box.width), number(box.height),
                       class_attribute(classes), mark_attributes(mark));
  body_ += title.empty() ? std::string("/>\n")
                         : fmt::format("><title>{}</title></rect>\n", escaped(title));
  reach(box.right(), box.bottom());
}

void Svg::text(double x, double y, std::string_view text, std::string_view classes, Anchor anchor) {
  constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", number(x), number(y),
                  kAnchors[static_cast<size_t>(anchor)], class_attribute(classes), escaped(text));
  const double width = text_width(text);
  reach(anchor == Anchor::Begin    ? x + width
        : anchor == Anchor::Middle ? x + width / 2
                                   : x,
        y + kLineHeight / 2);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += fmt::format("<path d=\"M{} {}L{} {}\" class=\"edge {}\"/>\n", number(x1), number(y1),
                       number(x2), number(y2), classes);
  reach(std::max(x1, x2), std::max(y1, y2));
}

void Svg::curve(double x1, double y1, double x2, double y2, std::string_view classes) {
  const double middle = (y1 + y2) / 2;
  body_ += fmt::format("<path d=\"M{0} {1}C{0} {4} {2} {4} {2} {3}\" class=\"edge {5}\"/>\n",
                       number(x1), number(y1), number(x2), number(y2), number(middle), classes);
  reach(std::max(x1, x2), std::max(y1, y2));
}

auto Svg::finish(std::string_view description) const -> std::string {
  const double width = width_ + 2 * kMargin;
  const double height = height_ + 2 * kMargin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tp\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"{2} {2} {0} {1}\" role=\"img\" "
      "aria-label=\"{3}\">\n<style>{4}</style>\n{5}</svg>\n",
      number(width), number(height), number(-kMargin), escaped(description), kStyle, body_);
}

auto data_url(std::string_view svg) -> std::string {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string url = "data:image/svg+xml;base64,";
  for (size_t i = 0; i < svg.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8U | (i + j < svg.size() ? static_cast<unsigned char>(svg[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      url += i + j <= svg.size() ? kDigits[bits >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return url;
}

}  // namespace tacet::picture
