#include "engine/net/in_process_links.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/cancellation.h"
#include "base/check.h"

namespace tacet::net {

namespace {

using Message = std::vector<std::byte>;

/// What the parties share. Everything is under the mutex, but messages are filled and emptied
/// outside of it.
struct Exchange {
  explicit Exchange(Rank n) : n_parties(n), arrived(n), queues(n * n), finished(n, false) {}

  [[nodiscard]] auto queue(Rank from, Rank to) -> std::deque<Message>& {
    return queues[from * n_parties + to];
  }

  /// The first failure counts.
  void fail(LinkError error) {
    if (!failure) {
      failure = std::move(error);
    }
    wake_all();
  }

  void wake_all() {
    for (std::condition_variable& condition : arrived) {
      condition.notify_all();
    }
  }

  const Rank n_parties;
  std::mutex mutex;
  std::vector<std::condition_variable> arrived;  ///< by the party that waits
  std::vector<std::deque<Message>> queues;
  std::vector<bool> finished;
  LinkStatus failure;
};

class InProcessLinks final : public Links {
 public:
  InProcessLinks(std::shared_ptr<Exchange> exchange, Rank rank, const TimeLimits& limits)
      : exchange_(std::move(exchange)),
        rank_(rank),
        limits_(limits),
        unsent_(exchange_->n_parties),
        unread_(exchange_->n_parties),
        counters_(exchange_->n_parties) {}

  ~InProcessLinks() override {
    std::lock_guard lock(exchange_->mutex);
    if (!exchange_->finished[rank_]) {
      exchange_->fail({rank_, "left before the run ended"});
    }
  }

  [[nodiscard]] auto rank() const -> Rank override { return rank_; }
  [[nodiscard]] auto n_parties() const -> Rank override { return exchange_->n_parties; }
  [[nodiscard]] auto name(Rank party) const -> std::string override {
    return fmt::format("party {}", party);
  }

  void send(Rank to, std::span<const std::byte> bytes) override {
    check_peer(to);
    unsent_[to].insert(unsent_[to].end(), bytes.begin(), bytes.end());
    if (unsent_[to].size() >= kLargeMessage) {
      std::lock_guard lock(exchange_->mutex);
      pass_on(to);
    }
  }

  [[nodiscard]] auto flush() -> LinkStatus override {
    std::lock_guard lock(exchange_->mutex);
    for (Rank to = 0; to < n_parties(); ++to) {
      pass_on(to);
    }
    return exchange_->failure;
  }

  [[nodiscard]] auto receive(Rank from, std::span<std::byte> into) -> LinkStatus override {
    check_peer(from);
    counters_[from].bytes_received += into.size();
    while (true) {
      take(unread_[from], into);
      if (into.empty()) {
        return std::nullopt;
      }
      if (LinkStatus failure = await_message(from)) {
        return failure;
      }
    }
  }

  [[nodiscard]] auto finish() -> LinkStatus override {
    if (LinkStatus failure = flush()) {
      return failure;
    }
    std::unique_lock lock(exchange_->mutex);
    exchange_->finished[rank_] = true;
    exchange_->wake_all();
    for (Rank party = 0; party < n_parties(); ++party) {
      wait(
          lock, party, [&] { return bool(exchange_->finished[party]); },
          "did not finish within {}");
      if (exchange_->failure) {
        return exchange_->failure;
      }
    }
    return std::nullopt;
  }

  void abort(std::string reason) override {
    std::lock_guard lock(exchange_->mutex);
    exchange_->fail({rank_, std::move(reason)});
  }

  [[nodiscard]] auto counters(Rank peer) const -> LinkCounters override {
    return counters_.at(peer);
  }

 private:
  /// From this size on a message leaves without a flush, so that the receiver can begin with it.
  static constexpr size_t kLargeMessage = size_t{256} << 10;

  /// Messages that were taken out of the queue, and how much of the first was read.
  struct Unread {
    std::deque<Message> messages;
    size_t n_read = 0;
  };

  void check_peer(Rank peer) const {
    TACET_CHECK(peer < n_parties() && peer != rank_, "a link leads to another party");
  }

  /// Under the mutex.
  void pass_on(Rank to) {
    if (unsent_[to].empty()) {
      return;
    }
    counters_[to].bytes_sent += unsent_[to].size();
    ++counters_[to].messages_sent;
    exchange_->queue(rank_, to).push_back(std::exchange(unsent_[to], {}));
    exchange_->arrived[to].notify_all();
  }

  /// Moves what is there to the front of `into`, which becomes what is still to be filled.
  static void take(Unread& unread, std::span<std::byte>& into) {
    while (!into.empty() && !unread.messages.empty()) {
      Message& message = unread.messages.front();
      size_t n = std::min(into.size(), message.size() - unread.n_read);
      std::memcpy(into.data(), message.data() + unread.n_read, n);
      into = into.subspan(n);
      unread.n_read += n;
      if (unread.n_read == message.size()) {
        unread.messages.pop_front();
        unread.n_read = 0;
      }
    }
  }

  [[nodiscard]] auto await_message(Rank from) -> LinkStatus {
    std::unique_lock lock(exchange_->mutex);
    std::deque<Message>& queue = exchange_->queue(from, rank_);
    wait(
        lock, from, [&] { return !queue.empty() || exchange_->finished[from]; },
        "sent no data for {}");
    if (exchange_->failure) {
      return exchange_->failure;
    }
    if (queue.empty()) {
      exchange_->fail({from, "finished although more data was expected from it"});
      return exchange_->failure;
    }
    counters_[from].messages_received += queue.size();
    unread_[from].messages.swap(queue);
    return std::nullopt;
  }

  /// Until `condition` holds or somebody failed, which `party` has if it takes too long.
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, Rank party, Condition condition,
            fmt::format_string<std::string> reason) {
    auto over = [&] { return exchange_->failure || condition(); };
    const auto end = std::chrono::steady_clock::now() + limits_.patience;
    while (!exchange_->arrived[rank_].wait_until(lock, std::min(end, next_look()), over)) {
      if (is_cancelled()) {
        exchange_->fail({rank_, std::string(kCancelled)});
      } else if (std::chrono::steady_clock::now() >= end) {
        exchange_->fail({party, fmt::format(reason, describe(limits_.patience))});
      }
    }
  }

  std::shared_ptr<Exchange> exchange_;
  Rank rank_;
  TimeLimits limits_;
  std::vector<Message> unsent_;  ///< by receiver
  std::vector<Unread> unread_;   ///< by sender; of the receiver alone
  std::vector<LinkCounters> counters_;
};

}  // namespace

auto make_in_process_links(Rank n, const TimeLimits& limits)
    -> std::vector<std::unique_ptr<Links>> {
  TACET_CHECK(n > 0, "there is a party");
  auto exchange = std::make_shared<Exchange>(n);
  std::vector<std::unique_ptr<Links>> links;
  for (Rank rank = 0; rank < n; ++rank) {
    links.push_back(std::make_unique<InProcessLinks>(exchange, rank, limits));
  }
  return links;
}

void run_on_threads(std::vector<std::unique_ptr<Links>> links,
                    const std::function<void(Links&)>& body) {
  const CancellationToken* const token = thread_cancellation();
  {
    std::vector<std::jthread> threads;
    for (std::unique_ptr<Links>& own : links) {
      threads.emplace_back([&body, token, party = std::move(own)] {
        const CancellationScope scope(token);
        try {
          body(*party);
        } catch (const Cancelled&) {
          party->abort(std::string(kCancelled));
        }
      });
    }
  }
  stop_if_cancelled();
}

}  // namespace tacet::net
