#include "cli/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

#include "cli/own_process.h"

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
    if (std::ifstream(path) >> limit && limit > 0) {  // the word `max` is not a number
      memory = std::min(memory, limit);
    }
  }
  return memory / 4 * 3;
}

/// What the process has allocated, in bytes.
static auto data_size() -> uint64_t {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    constexpr std::string_view kField = "VmData:";
    if (line.substr(0, kField.size()) == kField) {
      return std::strtoull(line.c_str() + kField.size(), nullptr, 10) * 1024;
    }
  }
  return 0;
}

void limit_memory(uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, data_size() + bytes);
    static_cast<void>(::setrlimit(RLIMIT_DATA, &limit));
  }
}

auto within_memory(uint64_t limit_mib, Invocation& invocation,
                   const std::function<ExitCode()>& body) -> ExitCode {
  try {
    if (limit_mib != 0 && owns_process()) {
      limit_memory(limit_mib << 20);
    }
    return body();
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error& error) {
    // A thread that there is no memory for.
    if (error.code() != std::errc::resource_unavailable_try_again) {
      throw;
    }
  }
  invocation.error(
      "out of memory; use fewer threads (`--threads N`) or smaller arrays, or raise "
      "`--memory-limit`");
  return ExitCode::Failed;
}

auto quarter_of_limit(uint64_t limit_mib, uint64_t most) -> uint64_t {
  return limit_mib == 0 ? most : std::min(most, (limit_mib << 20) / 4);
}

auto peak_memory_bytes() -> uint64_t {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) {
    return 0;
  }
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace tacet::cli
