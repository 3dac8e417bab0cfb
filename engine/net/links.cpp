#include "engine/net/links.h"

#include <fmt/format.h>

#include "base/cancellation.h"

namespace tacet::net {

auto describe(const Links& links, const LinkError& error) -> std::string {
  return fmt::format("{}: {}", links.name(error.party), error.reason);
}

auto next_look() -> std::chrono::steady_clock::time_point {
  static constexpr std::chrono::milliseconds kBetweenLooks{20};
  static constexpr std::chrono::hours kNever{24 * 365};
  const auto now = std::chrono::steady_clock::now();
  return thread_cancellation() == nullptr ? now + kNever : now + kBetweenLooks;
}

auto describe(std::chrono::milliseconds time) -> std::string {
  return time.count() % 1000 == 0 ? fmt::format("{} s", time.count() / 1000)
                                  : fmt::format("{} ms", time.count());
}

}  // namespace tacet::net
