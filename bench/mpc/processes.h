#pragma once

#include <functional>
#include <memory>

#include "engine/net/links.h"

/// Parties as processes of a benchmark.
namespace tacet::mpc {

/// Runs `body` for each of `n` parties, a process each, over loopback TCP without TLS. Ends the
/// program if they do not meet.
void in_processes(net::Rank n, const std::function<void(std::unique_ptr<net::Links>)>& body);

}  // namespace tacet::mpc
