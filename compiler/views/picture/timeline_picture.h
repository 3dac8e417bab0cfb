#pragma once

#include <string>
#include <vector>

namespace tacet::picture {

/// Something that took a while.
struct Span {
  double begin = 0;  ///< seconds
  double end = 0;
  std::string label;
  std::string detail;  ///< shown where the mouse rests; may be empty
  uint32_t line = 0;   ///< in the source, from 1; 0 for none
};

/// Someone who does things, several at the same time if need be.
struct Lane {
  std::string name;
  std::vector<Span> spans;
};

/// Of more in one lane, the longest are drawn.
inline constexpr size_t kMostSpans = 400;

/// Who did what when: a row for each lane, or several where its spans overlap, over one axis of
/// time. Empty if nothing took any time.
auto timeline_picture(std::vector<Lane> lanes) -> std::string;

/// `1.5 ms`, as the axis and labels say it.
auto duration_text(double seconds) -> std::string;

}  // namespace tacet::picture
