#include "engine/mpc_model/programs/round_spans.h"

#include <algorithm>

namespace tacet::mpc_model {

auto n_rounds_of(std::vector<Span>& spans) -> uint64_t {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  uint64_t n = 0;
  uint64_t end = 0;
  for (const Span& span : spans) {
    n += span.end > end ? span.end - std::max(end, span.begin) : 0;
    end = std::max(end, span.end);
  }
  return n;
}

}  // namespace tacet::mpc_model
