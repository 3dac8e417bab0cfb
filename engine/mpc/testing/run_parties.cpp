#include "engine/mpc/testing/run_parties.h"

#include "base/cpu.h"
#include "engine/mpc/aby3/aby3.h"
#include "engine/mpc/aby3_active/aby3_active.h"
#include "engine/mpc/ref/ref.h"
#include "engine/mpc/rep4/rep4.h"
#include "engine/mpc/semi2k/semi2k.h"
#include "engine/net/in_process_links.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::mpc {

auto make_test_protocol(std::string_view name) -> std::unique_ptr<Protocol> {
  if (name == "aby3") {
    return make_aby3();
  }
  if (name == "rep4") {
    return make_rep4();
  }
  if (name == "aby3-active") {
    return make_aby3_active();
  }
  if (name == "semi2k") {
    return make_semi2k(make_bfv_correlations());
  }
  TACET_CHECK(name == "ref", "a protocol that does not exist");
  return make_ref();
}

static auto random_of(const TestRun& run, Rank rank) -> secure_random::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(run.seed * 1000 + rank),
                                      best_isa());
}

static void check(const net::LinkStatus& failure) {
  TACET_CHECK(!failure.has_value(), failure->reason.c_str());
}

static void run_party(const TestRun& run, net::Links& links, Protocol& protocol,
                      const std::function<void(Party&)>& body) {
  Party party(links, protocol, random_of(run, links.rank()));
  auto started = party.run(protocol.start(party));
  TACET_CHECK(started.index() == 0, std::get<1>(started).reason.c_str());
  party.restart_traffic();
  body(party);
  check(links.finish());
}

/// With one more rank, the dealer.
static void run_with_dealer(const TestRun& run, const std::function<void(Party&)>& body) {
  net::run_on_threads(net::make_in_process_links(run.n_parties + 1), [&](net::Links& all) {
    if (all.rank() == run.n_parties) {
      check(run_dealer(all, random_of(run, all.rank())));
      return check(all.finish());
    }
    const std::unique_ptr<Protocol> protocol = make_semi2k(make_dealer_correlations(all));
    run_party(run, *make_party_links(all), *protocol, body);
  });
}

void run_each_party(const TestRun& run, const std::function<void(Party&)>& body) {
  if (run.protocol == "semi2k_dealer") {
    return run_with_dealer(run, body);
  }
  net::run_on_threads(net::make_in_process_links(run.n_parties), [&](net::Links& links) {
    run_party(run, links, *make_test_protocol(run.protocol), body);
  });
}

}  // namespace tacet::mpc
