#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/mpc/ring_array.h"
#include "engine/mpc/task.h"
#include "engine/mpc/traffic.h"
#include "engine/net/links.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::mpc {

class Protocol;

using net::Rank;

/// Hears how many rounds are over. Empty if nobody asks.
using RoundWatch = std::function<void(uint64_t n_rounds)>;

/// Bytes that a party waits for.
struct Receipt {
  Rank from = 0;
  std::span<std::byte> into;
};

/// What a check of a protocol found: what this party has of two others does not agree. One of all
/// parties did not follow the protocol: mostly one of these two, but often it cannot be said which
/// one; and where lies are found later than they are sent, one that follows the protocol may have
/// computed with a lie before it sent something itself.
struct Lie {
  std::string_view check;  ///< the name of what was checked, as `products`
  Rank first = 0;
  Rank second = 0;  ///< the same as `first` if there is no doubt
};

/// `the check of products failed between party 1 and party 2: …`, for people.
[[nodiscard]] auto describe(const net::Links& links, const Lie& lie) -> std::string;

/// One party of a run: what kernels run in. It has the links to the others, private randomness, the
/// protocol with its keys, memory for arrays, and the scheduler of its tasks.
///
/// Used from one thread. Links and protocol outlive it.
class Party {
 public:
  Party(net::Links& links, Protocol& protocol, secure_random::SecureRandom random);
  Party(const Party&) = delete;
  auto operator=(const Party&) -> Party& = delete;

  [[nodiscard]] auto rank() const -> Rank { return rank_; }
  [[nodiscard]] auto n_parties() const -> Rank { return n_parties_; }
  /// The party `distance` behind this one, around the circle.
  [[nodiscard]] auto other(Rank distance) const -> Rank { return (rank_ + distance) % n_parties_; }

  [[nodiscard]] auto protocol() const -> Protocol& { return protocol_; }
  /// Randomness that nobody else knows.
  [[nodiscard]] auto random() -> secure_random::SecureRandom& { return random_; }
  /// Where arrays come from.
  [[nodiscard]] auto memory() const -> const Memory& { return memory_; }
  [[nodiscard]] auto links() -> net::Links& { return links_; }

  /// Sends `bytes` to another party, with the next round; large amounts leave at once.
  void send(Rank to, std::span<const std::byte> bytes);

  class Round;
  /// Awaited: the end of this round, when all of `receipts` are there. Their memory belongs to the
  /// awaiting coroutine.
  [[nodiscard]] auto receive(std::vector<Receipt> receipts) -> Round;
  [[nodiscard]] auto receive(Rank from, std::span<std::byte> into) -> Round;
  /// Awaited: the end of this round, for a party that is sent nothing in it.
  [[nodiscard]] auto next_round() -> Round;

  /// Ends the run of all parties because one of them lies: from now on this one sends nothing, and
  /// what is awaited never comes. `run` returns an error that says what was found, and the others
  /// get the same from this party. Only the first call counts.
  void accuse(const Lie& lie);
  /// What `accuse` was called with. Tells lies from links that failed; nothing at parties that only
  /// heard of it.
  [[nodiscard]] auto lie() const -> const std::optional<Lie>& { return lie_; }

  /// For tests of what liars can do: this party does not end the run, whatever it finds.
  void never_accuse() { is_trusting_ = true; }

  class Quiet;
  /// Awaited: that in this round no other task can continue, but for those that await the same;
  /// they do so in sequence.
  [[nodiscard]] auto quiet() -> Quiet;

  /// While it lives, what the running task (and what it starts) sends is counted under `name` too.
  /// A local variable of a coroutine.
  class Scope;
  [[nodiscard]] auto scope(std::string_view name) -> Scope;
  /// What was sent so far. Rounds of all parties are equal; bytes differ.
  [[nodiscard]] auto traffic() const -> const Traffic& { return traffic_; }
  void restart_traffic() { traffic_ = {}; }
  /// Calls `watch` after each round with how many there were since the traffic began.
  void watch_rounds(RoundWatch watch) { watch_ = std::move(watch); }

  /// Runs `task` to its end: its result, or why the links failed. In a round, every task that can
  /// continue does, in the order in which they began to wait; then everything sent is flushed, and
  /// what is awaited is received in the same order. After an error the party is of no use any more.
  template <class T>
  auto run(Task<T> task) -> std::variant<T, net::LinkError> {
    task.start(&state_);
    go_on();
    end_round();
    while (!task.done()) {
      if (net::LinkStatus failure = exchange()) {
        waiting_.clear();
        quiet_.clear();
        return std::move(*failure);
      }
      resume_all();
      end_round();
    }
    if (net::LinkStatus failure = lie_ ? failure_of_lie() : links_.flush()) {
      return std::move(*failure);
    }
    return task.take();
  }

 private:
  struct Waiting {
    std::coroutine_handle<> task;
    Traffic::LabelId label = Traffic::kRoot;
    size_t n_receipts = 0;
  };

  [[nodiscard]] auto failure_of_lie() const -> net::LinkStatus;
  void go_on();
  void end_round();
  auto exchange() -> net::LinkStatus;
  void resume_all();

  net::Links& links_;
  Protocol& protocol_;
  secure_random::SecureRandom random_;
  Memory memory_;
  Rank rank_;
  Rank n_parties_;
  Traffic traffic_;
  RoundWatch watch_;
  std::optional<Lie> lie_;
  bool is_trusting_ = false;
  TaskState state_;
  std::vector<Waiting> waiting_;
  std::vector<Receipt> receipts_;  ///< of `waiting_`, consecutive
  std::vector<Waiting> resuming_;
  std::deque<Waiting> quiet_;  ///< who waits for the end of the round
};

/// See `Party::receive`.
class [[nodiscard]] Party::Round {
 public:
  Round(Party& party, std::vector<Receipt> receipts)
      : party_(party), receipts_(std::move(receipts)) {}

  auto await_ready() const noexcept -> bool { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    party_.waiting_.push_back(
        {.task = task, .label = party_.state_.label, .n_receipts = receipts_.size()});
    party_.receipts_.insert(party_.receipts_.end(), receipts_.begin(), receipts_.end());
  }
  void await_resume() const noexcept {}

 private:
  Party& party_;
  std::vector<Receipt> receipts_;
};

/// See `Party::quiet`.
class [[nodiscard]] Party::Quiet {
 public:
  explicit Quiet(Party& party) : party_(party) {}

  auto await_ready() const noexcept -> bool { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    party_.quiet_.push_back({.task = task, .label = party_.state_.label, .n_receipts = 0});
  }
  void await_resume() const noexcept {}

 private:
  Party& party_;
};

/// See `Party::scope`.
class [[nodiscard]] Party::Scope {
 public:
  Scope(Party& party, std::string_view name) : party_(party), outer_(party.state_.label) {
    party_.state_.label = party_.traffic_.child(outer_, name);
  }
  /// Of a label that `traffic` had before.
  Scope(Party& party, Traffic::LabelId label) : party_(party), outer_(party.state_.label) {
    party_.state_.label = label;
  }
  Scope(const Scope&) = delete;
  auto operator=(const Scope&) -> Scope& = delete;
  ~Scope() { party_.state_.label = outer_; }

 private:
  Party& party_;
  Traffic::LabelId outer_;
};

inline auto Party::receive(std::vector<Receipt> receipts) -> Round {
  return {*this, std::move(receipts)};
}
inline auto Party::receive(Rank from, std::span<std::byte> into) -> Round {
  return {*this, std::vector<Receipt>{{.from = from, .into = into}}};
}
inline auto Party::next_round() -> Round {
  return {*this, {}};
}
inline auto Party::quiet() -> Quiet {
  return Quiet(*this);
}
inline auto Party::scope(std::string_view name) -> Scope {
  return {*this, name};
}

}  // namespace tacet::mpc
