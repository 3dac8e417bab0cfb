#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/he_distributed/rank_link.h"
#include "engine/he_distributed/wire.h"

namespace tacet::engine {

/// What ranks send each other. Rank 0 is the root.
enum class RankWord : uint64_t {
  Job,      ///< root: what to do
  AskKeys,  ///< root: which of the job's keys are missing?
  Lacks,    ///< these
  Key,      ///< root: one of them
  Stored,   ///< all are here, and in the machine's cache if it has one
  Value,    ///< a ciphertext of an evaluation, from any rank to any other
  Done,     ///< the rank's share is done, with its costs
  Failure,  ///< the run has failed, and why
  End,      ///< root: the run is over
};

/// A message without its first word.
struct RankNote {
  uint32_t from = 0;
  RankWord word{};
  HeldBytes held;                      ///< all of it
  size_t n_before = sizeof(uint64_t);  ///< bytes of the word, and of who gets it

  [[nodiscard]] auto reader() const -> WireReader {
    return WireReader(held.bytes.subspan(n_before));
  }
};

/// Whether messages of this word go to several ranks along a tree: keys and values.
auto goes_along_tree(RankWord word) -> bool;

/// Of the ranks of a tree, the root of it and `n_receivers` others, those that number `place` sends
/// to: binomial, so that each sends to the largest part first and all have it after log2 steps.
auto tree_children(size_t place, size_t n_receivers) -> std::vector<size_t>;

/// A message to be filled, of a word for one rank.
auto start_note(RankWord word) -> WireWriter;
/// The same for several, of a word that goes along a tree.
auto start_note(RankWord word, std::span<const uint32_t> receivers) -> WireWriter;

/// A rank's side of a run: reads the link on a thread of its own, hands values to the evaluation
/// that they are for, whenever it begins, and keeps other messages until they are read. The first
/// failure, be it of the link or reported by a rank, ends everything that waits.
class RankSession {
 public:
  struct Listener {
    /// `holder` has the bytes that `value` reads.
    std::function<void(WireReader value, std::shared_ptr<const void> holder)> on_value;
    std::function<void(Error error)> on_failure;
  };

  explicit RankSession(RankLink& link);
  RankSession(const RankSession&) = delete;
  auto operator=(const RankSession&) -> RankSession& = delete;
  ~RankSession();

  [[nodiscard]] auto link() const -> RankLink& { return link_; }

  void send(uint32_t to, WireWriter note) { link_.send(to, HeldBytes::of(note.take())); }
  /// To several, as it was started: this rank sends to some, and they to the others. How many times
  /// this rank has sent it.
  auto send_along_tree(std::span<const uint32_t> receivers, WireWriter note) -> size_t;
  /// The bytes of values of a part of the bundle that this rank sent on for others.
  [[nodiscard]] auto bytes_passed_on(uint64_t part) -> uint64_t;
  /// The next message that is not a value. Waits for it.
  auto next() -> Result<RankNote>;
  /// The same; an error if it is another one.
  auto next(RankWord word) -> Result<RankNote>;

  /// Reports to all other ranks that the run has failed. Nothing if it is known already.
  void fail(const std::string& message);

  /// From now on the values of a part of the bundle are given to `listener`, those that were there
  /// already too. `stop` waits for a call in progress.
  void listen(uint64_t part, Listener listener);
  void stop(uint64_t part);

 private:
  void read();
  /// Sends a message on to those that get it from this rank. Whether it is as it should be.
  auto pass_on(RankNote& note, WireReader reader) -> bool;
  void take(RankNote note);
  void take_value(const RankNote& note);
  void set_failure(Error error);

  RankLink& link_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RankNote> notes_;
  std::optional<Error> failure_;
  bool is_closing_ = false;

  std::mutex listening_;  ///< held while a listener is called; before `mutex_`
  std::map<uint64_t, Listener> listeners_;
  std::map<uint64_t, std::vector<RankNote>> early_;
  std::map<uint64_t, uint64_t> passed_on_;  ///< bytes, by part

  std::thread reader_;
};

}  // namespace tacet::engine
