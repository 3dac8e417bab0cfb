#include "base/wipe.h"

#if defined(__GLIBC__) || defined(__FreeBSD__) || defined(__OpenBSD__)
#include <string.h>
#define TACET_HAS_EXPLICIT_BZERO 1
#else
#define TACET_HAS_EXPLICIT_BZERO 0
#endif

namespace tacet {

void wipe(void* data, size_t size) {
  if (size == 0) {
    return;
  }
#if TACET_HAS_EXPLICIT_BZERO
  explicit_bzero(data, size);
#else
  auto* bytes = static_cast<volatile unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = 0;
  }
#endif
}

}  // namespace tacet
