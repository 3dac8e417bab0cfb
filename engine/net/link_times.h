#pragma once

#include <variant>
#include <vector>

#include "engine/net/links.h"

namespace tacet::net {

/// What was measured of the link between two parties.
struct LinkTime {
  Rank from = 0;  ///< the lower rank
  Rank to = 0;
  double latency_milliseconds = 0;  ///< half of the time there and back: the median of several
  double megabits = 0;              ///< a second, in the slower direction
};

/// Measures all links, one pair of parties after the other, which takes up to two seconds for each:
/// 21 round trips of eight bytes, then as much at once as takes a fifth of a second, 64 MiB at
/// most. Every party calls it, and gets the times of all pairs. Times are what other parties say:
/// good for predictions alone. Nothing but zeros is sent, and the times.
[[nodiscard]] auto measure_links(Links& links) -> std::variant<std::vector<LinkTime>, LinkError>;

}  // namespace tacet::net
