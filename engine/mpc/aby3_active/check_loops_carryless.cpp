#include "engine/mpc/aby3_active/check_kernels.h"

#if defined(__x86_64__)
namespace tacet::mpc {

template struct CheckKernels<BinaryField<64>, 3>;

}  // namespace tacet::mpc
#endif
