#include "cli/run/core_dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "cli/own_process.h"
#include "cli/values/sanitized.h"

namespace tacet::cli {

void forbid_core_dumps() {
  if (kSanitized || !owns_process()) {
    return;
  }
  const rlimit none{0, 0};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &none));
  static_cast<void>(::prctl(PR_SET_DUMPABLE, 0));
}

}  // namespace tacet::cli
