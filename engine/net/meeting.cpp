#include "engine/net/meeting.h"

#include "base/check.h"
#include "engine/net/gathering.h"

namespace tacet::net {

auto calls(const std::vector<PartyAddress>& parties, Rank caller, Rank callee) -> bool {
  if (caller == callee) {
    return false;
  }
  const Dialling own = parties[caller].dialling;
  const Dialling other = parties[callee].dialling;
  if (own == Dialling::In || other == Dialling::Out) {
    return false;
  }
  return own == Dialling::Out || other == Dialling::In || caller > callee;
}

auto unconnectable(const std::vector<PartyAddress>& parties)
    -> std::optional<std::pair<Rank, Rank>> {
  for (Rank a = 0; a < parties.size(); ++a) {
    for (Rank b = a + 1; b < parties.size(); ++b) {
      if (!calls(parties, a, b) && !calls(parties, b, a)) {
        return std::pair(a, b);
      }
    }
  }
  return std::nullopt;
}

auto meet(MeetingPlan plan) -> Meeting {
  TACET_CHECK(plan.rank < plan.parties.size(), "a party of the run");
  return gathering::Gathering(std::move(plan)).run();
}

}  // namespace tacet::net
