#include "engine/mpc/party.h"

#include <fmt/format.h>

#include <utility>

#include "base/cancellation.h"

namespace tacet::mpc {

Party::Party(net::Links& links, Protocol& protocol, secure_random::SecureRandom random)
    : links_(links),
      protocol_(protocol),
      random_(std::move(random)),
      memory_(std::make_shared<ring::RowPool>(ring::Wipe::Yes)),
      rank_(links.rank()),
      n_parties_(links.n_parties()) {}

auto describe(const net::Links& links, const Lie& lie) -> std::string {
  return lie.first == lie.second
             ? fmt::format("the check of {} failed: {} did not follow the protocol", lie.check,
                           links.name(lie.first))
             : fmt::format(
                   "the check of {} failed between {} and {}: one of the parties did not "
                   "follow the protocol",
                   lie.check, links.name(lie.first), links.name(lie.second));
}

void Party::accuse(const Lie& lie) {
  if (!lie_ && !is_trusting_) {
    lie_ = lie;
    links_.abort(describe(links_, lie));
  }
}

auto Party::failure_of_lie() const -> net::LinkStatus {
  return net::LinkError{.party = rank_, .reason = describe(links_, *lie_)};
}

void Party::send(Rank to, std::span<const std::byte> bytes) {
  if (lie_) {
    return;
  }
  traffic_.count_send(state_.label, bytes.size());
  links_.send(to, bytes);
}

void Party::go_on() {
  while (!state_.ready.empty()) {
    const std::coroutine_handle<> task = state_.ready.back();
    state_.ready.pop_back();
    task.resume();
  }
}

/// Lets those continue who waited for the round's end.
void Party::end_round() {
  while (!quiet_.empty()) {
    const Waiting first = quiet_.front();
    quiet_.pop_front();
    state_.label = first.label;
    first.task.resume();
    go_on();
  }
}

auto Party::exchange() -> net::LinkStatus {
  if (lie_) {
    return failure_of_lie();
  }
  TACET_CHECK(!waiting_.empty(), "a task waits for nothing");
  if (is_cancelled()) {
    links_.abort(std::string(net::kCancelled));
  }
  traffic_.begin_round();
  for (const Waiting& waiting : waiting_) {
    traffic_.count_wait(waiting.label);
  }
  if (net::LinkStatus failure = links_.flush()) {
    return failure;
  }
  for (const Receipt& receipt : receipts_) {
    if (net::LinkStatus failure = links_.receive(receipt.from, receipt.into)) {
      return failure;
    }
  }
  if (watch_) {
    watch_(traffic_.total().rounds);
  }
  return {};
}

void Party::resume_all() {
  receipts_.clear();
  resuming_.swap(waiting_);
  for (const Waiting& waiting : resuming_) {
    state_.label = waiting.label;
    waiting.task.resume();
    go_on();
  }
  resuming_.clear();
}

}  // namespace tacet::mpc
