#pragma once

namespace tacet::cli {

/// Says that this process is the program `tacet`, which may be limited, kept from dumping core and
/// started again as a party. A process that uses the library is another program, to which none of
/// that is done.
void own_process();
auto owns_process() -> bool;

}  // namespace tacet::cli
