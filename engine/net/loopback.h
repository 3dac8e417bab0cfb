#pragma once

#include <string>
#include <vector>

#include "engine/net/meeting.h"

namespace tacet::net {

/// Plans for parties on this machine, by rank: each listens already on a free port of 127.0.0.1,
/// and with TLS has credentials for this one run. The receiver of a plan closes its socket; `meet`
/// does.
[[nodiscard]] auto plan_loopback_run(const std::vector<std::string>& names, Encryption encryption)
    -> Result<std::vector<MeetingPlan>>;

}  // namespace tacet::net
