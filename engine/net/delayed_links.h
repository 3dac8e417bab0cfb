#pragma once

#include <chrono>
#include <memory>

#include "engine/net/links.h"

namespace tacet::net {

/// Links on which everything takes `delay` longer in each direction, and nothing else changes: for
/// tests and measurements of what a distance costs. All parties wrap theirs, and run on one
/// machine, whose clock they share. What is sent together arrives together; earlier messages are in
/// flight at the same time. A message that the sender does not flush leaves when it is 256 KB long.
///
/// Each message carries twelve bytes more, which are not counted.
[[nodiscard]] auto delay_links(std::unique_ptr<Links> links, std::chrono::nanoseconds delay)
    -> std::unique_ptr<Links>;

}  // namespace tacet::net
