#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/net/links.h"

namespace tacet::net {

/// The links of `n` parties inside one process, by rank: queues, one for each pair of parties and
/// direction, of any length. The parties are named `party 0`, `party 1` and so on. Of `limits` only
/// the patience means something.
[[nodiscard]] auto make_in_process_links(Rank n, const TimeLimits& limits = {})
    -> std::vector<std::unique_ptr<Links>>;

/// Runs `body` for each party, on a thread each, and returns when all have. A party's links are
/// destroyed as soon as its body returns.
void run_on_threads(std::vector<std::unique_ptr<Links>> links,
                    const std::function<void(Links&)>& body);

}  // namespace tacet::net
