#include "engine/mpc/runner/party_setup.h"

#include <chrono>

#include "base/cpu.h"
#include "engine/mpc/aby3/aby3.h"
#include "engine/mpc/aby3_active/aby3_active.h"
#include "engine/mpc/ref/ref.h"
#include "engine/mpc/rep4/rep4.h"
#include "engine/mpc/semi2k/semi2k.h"

namespace tacet::mpc {

auto make_protocol(ProtocolKind kind, bool has_dealer, net::Links& all)
    -> std::unique_ptr<Protocol> {
  switch (kind) {
    case ProtocolKind::Aby3:
      return make_aby3();
    case ProtocolKind::Aby3Active:
      return make_aby3_active();
    case ProtocolKind::Semi2k:
      return make_semi2k(has_dealer ? make_dealer_correlations(all) : make_bfv_correlations());
    case ProtocolKind::Rep4:
      return make_rep4();
    case ProtocolKind::Ref:
      break;
  }
  return make_ref();
}

auto traffic_of(const Traffic& traffic) -> std::vector<LabelTraffic> {
  const std::vector<Traffic::Label>& labels = traffic.labels();
  std::vector<std::vector<uint32_t>> children(labels.size());
  for (uint32_t i = 1; i < labels.size(); ++i) {
    children[labels[i].parent].push_back(i);
  }
  std::vector<LabelTraffic> rows;
  std::vector<std::pair<uint32_t, uint32_t>> open;  // label, depth
  for (auto it = children[0].rbegin(); it != children[0].rend(); ++it) {
    open.emplace_back(*it, 0);
  }
  while (!open.empty()) {
    const auto [id, depth] = open.back();
    open.pop_back();
    const Traffic::Label& label = labels[id];
    rows.push_back({depth, label.name, label.counts.rounds, label.counts.bytes});
    for (auto it = children[id].rbegin(); it != children[id].rend(); ++it) {
      open.emplace_back(*it, depth + 1);
    }
  }
  return rows;
}

auto messages_sent(net::Links& links) -> uint64_t {
  uint64_t n = 0;
  for (Rank rank = 0; rank < links.n_parties(); ++rank) {
    n += rank == links.rank() ? 0 : links.counters(rank).messages_sent;
  }
  return n;
}

/// What the dealer does.
static auto deal(net::Links& all) -> PartyOutcome {
  Result<secure_random::SecureRandom> random = secure_random::SecureRandom::from_system(best_isa());
  if (!random) {
    all.abort(random.error().message);
    return net::LinkError{all.rank(), random.error().message};
  }
  const auto start = std::chrono::steady_clock::now();
  if (net::LinkStatus failure = run_dealer(all, std::move(*random))) {
    return std::move(*failure);
  }
  PartyResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (Rank rank = 0; rank + 1 < all.n_parties(); ++rank) {
    result.bytes_sent += all.counters(rank).bytes_sent;
  }
  result.messages = messages_sent(all);
  return result;
}

auto compute_or_deal(net::Links& all, bool has_dealer,
                     const std::function<PartyOutcome(net::Links&)>& compute) -> PartyOutcome {
  if (!has_dealer) {
    return compute(all);
  }
  if (all.n_parties() < 3) {
    std::string reason = "a dealer requires at least two other parties";
    all.abort(reason);
    return net::LinkError{all.rank(), std::move(reason)};
  }
  if (all.rank() + 1 == all.n_parties()) {
    return deal(all);
  }
  PartyOutcome outcome = compute(*make_party_links(all));
  if (outcome.index() == 0) {
    dismiss_dealer(all);
  }
  return outcome;
}

}  // namespace tacet::mpc
