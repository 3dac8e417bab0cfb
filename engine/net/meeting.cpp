#include "engine/net/meeting.h"

#include "base/check.h"
#include "engine/net/gathering.h"

namespace tacet::net {

auto meet(MeetingPlan plan) -> Meeting {
  TACET_CHECK(plan.rank < plan.parties.size(), "a party of the run");
  return gathering::Gathering(std::move(plan)).run();
}

}  // namespace tacet::net
