#pragma once

namespace tacet::cli {

/// Whether this is a build with AddressSanitizer or ThreadSanitizer, which report signals better
/// than we do, and look into the process.
inline constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

}  // namespace tacet::cli
