#include "debugger/session/history.h"

#include <algorithm>
#include <iterator>

namespace tacet::debugger {

History::History(interpret::TracedMachine& machine, HistoryLimits limits)
    : machine_(machine), limits_(limits) {
  images_.emplace(machine.clock(), Kept{machine.image(nullptr), 0});
}

void History::note() {
  const uint64_t now = machine_.clock();
  auto after = images_.upper_bound(now);
  auto before = std::prev(after);
  // An image costs a look at every cell: about as much as running so many instructions.
  const uint64_t interval = std::max(limits_.interval, 2 * machine_.used_cells());
  if (now - before->first < interval || machine_.is_ended() || machine_.is_failed()) {
    return;
  }
  Kept kept{machine_.image(&before->second.image), 0};
  kept.bytes = kept.image.own_bytes();
  bytes_ += kept.bytes;
  images_.emplace_hint(after, now, std::move(kept));
  while (images_.size() > 2 && (images_.size() > limits_.images || bytes_ > limits_.bytes)) {
    thin(now);
  }
}

void History::thin(uint64_t now) {
  auto victim = images_.end();
  double least = 0;
  for (auto at = std::next(images_.begin()); at != images_.end(); ++at) {
    const auto after = std::next(at);
    const uint64_t end = after == images_.end() ? std::max(now, at->first) : after->first;
    const uint64_t age = now > at->first ? now - at->first : at->first - now;
    const double gap = static_cast<double>(end - std::prev(at)->first);
    const double worth = gap / (static_cast<double>(age) + static_cast<double>(limits_.interval));
    if (victim == images_.end() || worth < least) {
      victim = at;
      least = worth;
    }
  }
  if (victim == images_.end()) {
    return;
  }
  bytes_ -= victim->second.bytes;
  images_.erase(victim);
}

auto History::rewind(uint64_t clock) -> uint64_t {
  const auto at = std::prev(images_.upper_bound(clock));
  machine_.restore(at->second.image);
  return at->first;
}

void History::go_to(uint64_t clock) {
  if (machine_.clock() > clock || machine_.is_failed() ||
      std::prev(images_.upper_bound(clock))->first > machine_.clock()) {
    rewind(clock);
  }
  while (machine_.clock() < clock) {
    machine_.run({.clock = std::min(clock, machine_.clock() + limits_.interval)});
    if (machine_.clock() < clock) {
      if (machine_.is_ended() || machine_.is_failed()) {
        return;
      }
      note();
    }
  }
}

}  // namespace tacet::debugger
