#include "lsp/server/scheduling.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tacet::lsp {

namespace {

/// `sched_attr` of the system's interface, in its first form. Its own header does not go together
/// with <sched.h>.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// The least that Linux takes.
constexpr uint64_t kSliceNanoseconds = 100'000;

}  // namespace

void prefer_short_slices() {
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0) {
    // For ordinary threads the length of a time slice, since Linux 6.12; ignored before.
    attributes.runtime = kSliceNanoseconds;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
  }
}

}  // namespace tacet::lsp
