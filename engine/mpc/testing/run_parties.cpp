#include "engine/mpc/testing/run_parties.h"

#include "base/cpu.h"
#include "engine/mpc/aby3/aby3.h"
#include "engine/mpc/ref/ref.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::mpc {

auto make_test_protocol(std::string_view name) -> std::unique_ptr<Protocol> {
  if (name == "aby3") {
    return make_aby3();
  }
  TACET_CHECK(name == "ref", "a protocol that does not exist");
  return make_ref();
}

void run_each_party(const TestRun& run, const std::function<void(Party&)>& body) {
  net::run_on_threads(net::make_in_process_links(run.n_parties), [&](net::Links& links) {
    const std::unique_ptr<Protocol> protocol = make_test_protocol(run.protocol);
    const auto seed = secure_random::TestSeed::of(run.seed * 1000 + links.rank());
    Party party(links, *protocol, secure_random::seeded_random(seed, best_isa()));
    auto started = party.run(protocol->start(party));
    TACET_CHECK(started.index() == 0, std::get<1>(started).reason.c_str());
    party.restart_traffic();
    body(party);
    const net::LinkStatus failure = links.finish();
    TACET_CHECK(!failure.has_value(), failure->reason.c_str());
  });
}

}  // namespace tacet::mpc
