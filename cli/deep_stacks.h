#pragma once

#include <functional>

namespace tacet::cli {

/// Runs `body` on a thread with a stack that is deep enough for the highest tree that the parser
/// builds, however little the process was given; so has every thread that is started in `body`.
auto with_deep_stacks(const std::function<int()>& body) -> int;

}  // namespace tacet::cli
