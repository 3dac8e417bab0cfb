#pragma once

#include <string>
#include <vector>

namespace tacet::picture {

/// One way to compute something.
struct FrontPoint {
  double seconds = 0;  ///< more than 0
  double bytes = 0;    ///< that are sent or stored, 0 or more
  std::string label;
  bool is_on_front = false;  ///< nothing else is better in one respect and not worse in another
};

/// Time against bytes, both by powers of ten, each point with its label where the mouse rests and
/// those on the front named. Empty without points.
auto front_picture(const std::string& title, const std::vector<FrontPoint>& points) -> std::string;

}  // namespace tacet::picture
