#pragma once

#ifdef __SANITIZE_THREAD__
// Of the sanitizer's run-time library, whose headers not every installation has.
extern "C" {
void __tsan_acquire(void* place);  // NOLINT: the library's name
void __tsan_release(void* place);  // NOLINT: the library's name
}
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
