#include "compiler/device/oblivious/secrecy_control.h"

namespace tacet::oblivious {

static auto is_set(CauseId cause) -> size_t {
  return cause.has_value() ? 1 : 0;
}

auto Exits::count() const -> size_t {
  return is_set(broken) + is_set(continued) + is_set(returned);
}

auto SecrecyControl::level() const -> size_t {
  size_t n = marks.size() + exits.count();
  for (const LoopFrame& frame : frames) {
    n += is_set(frame.outer.broken) + is_set(frame.outer.continued);
  }
  return n;
}

auto SecrecyControl::cause() const -> CauseId {
  CauseId best = marks.empty() ? CauseId() : marks.back();
  for (const CauseId exit : {exits.broken, exits.continued, exits.returned}) {
    best = state.shorter(best, exit);
  }
  for (const LoopFrame& frame : frames) {
    best = state.shorter(best, frame.outer.broken);
    best = state.shorter(best, frame.outer.continued);
  }
  return best;
}

auto SecrecyControl::is_decided_in_loop() const -> bool {
  return marks.size() > frames.back().n_marks || exits.broken.has_value() ||
         exits.continued.has_value();
}

auto SecrecyControl::joined(const Exits& a, const Exits& b) const -> Exits {
  return {state.shorter(a.broken, b.broken), state.shorter(a.continued, b.continued),
          state.shorter(a.returned, b.returned)};
}

}  // namespace tacet::oblivious
