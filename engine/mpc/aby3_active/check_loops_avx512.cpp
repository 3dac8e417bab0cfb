#include "engine/mpc/aby3_active/check_kernels.h"

#if defined(__x86_64__)
namespace tacet::mpc {

#define TACET_CHECK_LOOPS(...) template struct CheckKernels<__VA_ARGS__, 2>;
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS

}  // namespace tacet::mpc
#endif
