#pragma once

namespace tacet::lsp {

/// Asks the system that this thread, and those it starts, run in short time slices and soon after
/// they wake: an answer takes a fraction of a millisecond, but on a machine that also builds
/// something every hand-over from thread to thread would wait for the end of another program's time
/// slice. A hint: systems that cannot grant it are unaffected.
void prefer_short_slices();

}  // namespace tacet::lsp
