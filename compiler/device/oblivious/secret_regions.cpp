#include "compiler/device/oblivious/secret_regions.h"

#include "compiler/device/kernel/verify.h"
#include "compiler/device/oblivious/canonicalise_regions.h"
#include "compiler/device/oblivious/divide_regions.h"
#include "compiler/device/oblivious/form_regions.h"

namespace tacet::oblivious {

auto with_secret_regions(kernel::Kernel kernel) -> kernel::Kernel {
  form_regions(kernel);
  kernel::expect_verified(kernel, "forming regions");
  absorb_constants(kernel);
  kernel::expect_verified(kernel, "absorbing constants");
  merge_regions(kernel);
  kernel::expect_verified(kernel, "merging regions");
  canonicalise_regions(kernel);
  kernel::expect_verified(kernel, "canonicalising regions");
  return kernel;
}

}  // namespace tacet::oblivious
