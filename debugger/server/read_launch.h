#pragma once

#include "debugger/server/dap_message.h"
#include "debugger/server/launch.h"

namespace tacet::debugger {

/// The arguments of `launch`; an error names the one that is wrong. Members that clients add for
/// themselves (`type`, `name`, `__sessionId`) are ignored, others that nothing reads are an error.
auto read_launch(const Json& arguments) -> Result<LaunchRequest>;

}  // namespace tacet::debugger
