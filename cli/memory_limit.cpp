#include "cli/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace tacet::cli {

auto default_memory_limit() -> uint64_t {
  constexpr uint64_t kUnknown = uint64_t{4} << 30;
  long n_pages = ::sysconf(_SC_PHYS_PAGES);
  long page_size = ::sysconf(_SC_PAGESIZE);
  uint64_t memory = n_pages > 0 && page_size > 0
                        ? static_cast<uint64_t>(n_pages) * static_cast<uint64_t>(page_size)
                        : kUnknown;
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) {  // the word `max` is no number
      memory = std::min(memory, limit);
    }
  }
  return memory / 4 * 3;
}

auto peak_memory_bytes() -> uint64_t {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) {
    return 0;
  }
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace tacet::cli
