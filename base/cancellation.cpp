#include "base/cancellation.h"

namespace tacet {

// Like the handler of failed checks: safe points are where nothing could carry a token to.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
static thread_local const CancellationToken* token_of_thread = nullptr;

CancellationScope::CancellationScope(const CancellationToken* token) : previous_(token_of_thread) {
  token_of_thread = token;
}

CancellationScope::~CancellationScope() {
  token_of_thread = previous_;
}

auto thread_cancellation() -> const CancellationToken* {
  return token_of_thread;
}

auto cancellation_of_thread() -> CancellationToken {
  return token_of_thread == nullptr ? CancellationToken() : *token_of_thread;
}

auto is_cancelled() -> bool {
  return token_of_thread != nullptr && token_of_thread->is_cancelled();
}

void stop_if_cancelled() {
  if (is_cancelled()) {
    throw Cancelled{};
  }
}

}  // namespace tacet
