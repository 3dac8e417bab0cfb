#include "engine/mpc/aby3_active/prime_kernels.h"

#if defined(__x86_64__)
namespace tacet::mpc {

template struct PrimeKernels<1>;
TACET_PRIME_KERNELS_OF_WORD(, 1, uint32_t)
TACET_PRIME_KERNELS_OF_WORD(, 1, uint64_t)

}  // namespace tacet::mpc
#endif
