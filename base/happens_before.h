#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace tacet {

/// What a library that was compiled without ThreadSanitizer orders, for the sanitizer to know:
/// whatever a thread does before `happens_before(place)` is seen by those that call
/// `happens_after(place)` afterwards. Does nothing by itself.
inline void happens_before([[maybe_unused]] const char& place) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(const_cast<char*>(&place));
#endif
}

inline void happens_after([[maybe_unused]] const char& place) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(const_cast<char*>(&place));
#endif
}

}  // namespace tacet
