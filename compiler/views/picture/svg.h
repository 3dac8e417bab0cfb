#pragma once

#include <string>
#include <string_view>

/// Pictures as SVG, for hovers and panels of editors. Text in, text out.
namespace tacet::picture {

/// A rectangle; units are those of the picture, about a pixel of a screen.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] auto right() const -> double { return x + width; }
  [[nodiscard]] auto bottom() const -> double { return y + height; }
  [[nodiscard]] auto middle_x() const -> double { return x + width / 2; }
  [[nodiscard]] auto middle_y() const -> double { return y + height / 2; }
};

/// What in the source a box belongs to, for pages that link the two.
struct SourceMark {
  uint32_t line = 0;      ///< from 1; 0 for none
  std::string_view name;  ///< of an input, or empty
};

enum class Anchor : uint8_t { Begin, Middle, End };

inline constexpr double kTextSize = 12;
inline constexpr double kLineHeight = 18;

/// How wide a text is drawn: all letters of our font are as wide.
auto text_width(std::string_view text) -> double;

/// A picture that grows with what is drawn. Colours are names of classes (`box`, `soft`, `c0` …
/// `c7`), which the picture defines for light and dark; a page that shows it may define them anew.
class Svg {
 public:
  /// `title` is shown where the mouse rests.
  void rectangle(const Box& box, std::string_view classes, std::string_view title = {},
                 const SourceMark& mark = {});
  /// `y` is the middle of the line.
  void text(double x, double y, std::string_view text, std::string_view classes = {},
            Anchor anchor = Anchor::Begin);
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  /// Bends from the lower side of one thing to the upper side of another.
  void curve(double x1, double y1, double x2, double y2, std::string_view classes);

  /// The picture, with a margin; `description` is for those who cannot see it.
  [[nodiscard]] auto finish(std::string_view description) const -> std::string;

 private:
  void reach(double x, double y);

  std::string body_;
  double width_ = 0;
  double height_ = 0;
};

/// A picture as the address of an image: `data:image/svg+xml;base64,…`.
auto data_url(std::string_view svg) -> std::string;

}  // namespace tacet::picture
