#include "engine/net/links.h"

#include <fmt/format.h>

namespace tacet::net {

auto describe(const Links& links, const LinkError& error) -> std::string {
  return fmt::format("{}: {}", links.name(error.party), error.reason);
}

auto describe(std::chrono::milliseconds time) -> std::string {
  return time.count() % 1000 == 0 ? fmt::format("{} s", time.count() / 1000)
                                  : fmt::format("{} ms", time.count());
}

}  // namespace tacet::net
