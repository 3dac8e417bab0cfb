#pragma once

#include <cstdint>

namespace tacet::project {

/// This day in UTC, as `20270131`; that of `SOURCE_DATE_EPOCH` where it is set, so that output does
/// not depend on the date.
auto today() -> int32_t;

}  // namespace tacet::project
