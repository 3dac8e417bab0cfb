#include "compiler/device/oblivious/secret_regions.h"

#include "compiler/device/oblivious/canonicalise_regions.h"
#include "compiler/device/oblivious/divide_regions.h"
#include "compiler/device/oblivious/form_regions.h"

namespace tacet::oblivious {

auto with_secret_regions(kernel::Kernel kernel) -> kernel::Kernel {
  form_regions(kernel);
  absorb_constants(kernel);
  merge_regions(kernel);
  canonicalise_regions(kernel);
  return kernel;
}

}  // namespace tacet::oblivious
