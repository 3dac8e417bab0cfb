#include "engine/cggi/kernels.h"

namespace tacet::cggi {

auto kernels_for(Isa isa) -> const Kernels& {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::Scalar:
      return scalar_kernels();
    case Isa::Avx2:
      return avx2_kernels();
    case Isa::Avx512Ifma:
      return avx512_kernels();
  }
#endif
  (void)isa;
  return scalar_kernels();
}

}  // namespace tacet::cggi
