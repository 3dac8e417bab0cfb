#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "lsp/server/event_loop.h"

namespace tacet::lsp {

/// Calls `died` when a process ends, at once where the kernel reports it (pidfd) and within half a
/// second where it must be polled. Also if there is no such process.
class ParentWatch {
 public:
  ParentWatch(EventLoop& loop, int64_t process_id, std::function<void()> died);
  ~ParentWatch();
  ParentWatch(const ParentWatch&) = delete;
  auto operator=(const ParentWatch&) -> ParentWatch& = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tacet::lsp
