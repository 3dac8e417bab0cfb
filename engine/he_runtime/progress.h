#pragma once

#include <cstddef>
#include <functional>

namespace tacet::engine {

/// Hears how many of the steps of a phase are done: keys, encodings or operations, whose numbers
/// are public. Called from any thread, and from several at once. May be empty.
using HeProgress = std::function<void(size_t n_done, size_t n_steps)>;

}  // namespace tacet::engine
