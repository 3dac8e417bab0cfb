#include "cli/own_process.h"

#include <atomic>

namespace tacet::cli {

static std::atomic<bool> is_own_process = false;

void own_process() {
  is_own_process = true;
}

auto owns_process() -> bool {
  return is_own_process;
}

}  // namespace tacet::cli
