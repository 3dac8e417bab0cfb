#pragma once

namespace tacet {

/// Whether passes verify the programs that they give: in debug and sanitizer builds, and where the
/// environment variable TACET_VERIFY_PASSES is set, as our tests set it. Verifying takes longer
/// than most passes.
auto verifies_passes() -> bool;

}  // namespace tacet
