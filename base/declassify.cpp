#include "base/declassify.h"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define TACET_MAKE_DEFINED(data, size) static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(data, size))
#else
#define TACET_MAKE_DEFINED(data, size) static_cast<void>(0)
#endif

namespace tacet {

// Outside of valgrind the request is a handful of instructions without effect, so what is tested
// is what is shipped.
void declassify([[maybe_unused]] const void* data, [[maybe_unused]] size_t size) {
  TACET_MAKE_DEFINED(data, size);
}

}  // namespace tacet
