#pragma once

namespace tacet::cli {

/// From now on nothing of this process's memory is written to a file when it crashes, and other
/// processes of the same user cannot look into it: for parties and holders of keys. Programs that
/// it starts have to ask for it themselves. Does nothing under a sanitizer, which has to look.
void forbid_core_dumps();

}  // namespace tacet::cli
