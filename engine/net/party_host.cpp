#include "engine/net/party_host.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/cancellation.h"
#include "engine/net/in_process_links.h"

namespace tacet::net {

void Verdict::add(Rank party, const LinkError& failure, ReportedBy reported_by) {
  const int weight = reported_by == ReportedBy::ByNobody ? 3 : failure.party == party ? 2 : 1;
  if (weight > weight_) {
    weight_ = weight;
    failure_ = failure;
  }
}

namespace {

/// What parties on threads and their host have in common.
struct Exchange {
  struct Party {
    std::deque<std::string> reported_by;
    std::deque<std::string> said;
    std::string result;
    bool has_ended = false;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Party> parties;
  bool is_over = false;  ///< no further messages
  Verdict verdict;
};

class ThreadConversation final : public Conversation {
 public:
  ThreadConversation(Exchange& exchange, Rank rank) : exchange_(exchange), rank_(rank) {}

  auto hear() -> std::optional<std::string> override {
    std::unique_lock lock(exchange_.mutex);
    std::deque<std::string>& reported_by = exchange_.parties[rank_].reported_by;
    exchange_.changed.wait(lock, [&] { return !reported_by.empty() || exchange_.is_over; });
    if (reported_by.empty()) {
      return std::nullopt;
    }
    std::string message = std::move(reported_by.front());
    reported_by.pop_front();
    return message;
  }

  void say(std::string message) override {
    const std::lock_guard lock(exchange_.mutex);
    exchange_.parties[rank_].said.push_back(std::move(message));
    exchange_.changed.notify_all();
  }

 private:
  Exchange& exchange_;
  Rank rank_;
};

class ThreadHost final : public PartyHost {
 public:
  ThreadHost(std::vector<std::string> work, TalkingBody body)
      : work_(std::move(work)), body_(std::move(body)) {
    exchange_.parties.resize(work_.size());
    for (std::unique_ptr<Links>& own : make_in_process_links(n_parties())) {
      threads_.emplace_back(
          [this, token = thread_cancellation(), links = std::move(own)]() mutable {
            const CancellationScope scope(token);
            run(std::move(links));
          });
    }
  }
  ThreadHost(const ThreadHost&) = delete;
  auto operator=(const ThreadHost&) -> ThreadHost& = delete;
  ~ThreadHost() override { static_cast<void>(end()); }

  [[nodiscard]] auto n_parties() const -> Rank override { return static_cast<Rank>(work_.size()); }

  void send_order(Rank party, std::string message) override {
    const std::lock_guard lock(exchange_.mutex);
    exchange_.parties[party].reported_by.push_back(std::move(message));
    exchange_.changed.notify_all();
  }

  auto hear(Rank party) -> std::variant<std::string, LinkError> override {
    std::unique_lock lock(exchange_.mutex);
    Exchange::Party& from = exchange_.parties[party];
    exchange_.changed.wait(
        lock, [&] { return !from.said.empty() || from.has_ended || exchange_.verdict.failure(); });
    if (!from.said.empty()) {
      std::string message = std::move(from.said.front());
      from.said.pop_front();
      return message;
    }
    lock.unlock();
    const PartiesOutcome outcome = end();
    return outcome.failure ? *outcome.failure : LinkError{party, "it exited too early"};
  }

  auto end() -> PartiesOutcome override {
    {
      const std::lock_guard lock(exchange_.mutex);
      exchange_.is_over = true;
      exchange_.changed.notify_all();
    }
    threads_.clear();
    PartiesOutcome outcome{.failure = exchange_.verdict.failure(), .results = {}};
    for (Exchange::Party& party : exchange_.parties) {
      outcome.results.push_back(std::move(party.result));
    }
    if (outcome.failure) {
      outcome.results.clear();
    }
    return outcome;
  }

 private:
  void run(std::unique_ptr<Links> links) {
    const Rank rank = links->rank();
    ThreadConversation conversation(exchange_, rank);
    PartyReport report;
    try {
      report = body_(*links, work_[rank], conversation);
    } catch (const Cancelled&) {
      report.failure = LinkError{rank, std::string(kCancelled)};
    }
    if (report.failure && report.failure->party == rank) {
      links->abort(report.failure->reason);
    } else if (!report.failure) {
      report.failure = links->finish();
    }
    links.reset();
    const std::lock_guard lock(exchange_.mutex);
    if (report.failure) {
      exchange_.verdict.add(rank, *report.failure);
    }
    exchange_.parties[rank].result = std::move(report.result);
    exchange_.parties[rank].has_ended = true;
    exchange_.changed.notify_all();
  }

  std::vector<std::string> work_;
  TalkingBody body_;
  Exchange exchange_;
  std::vector<std::jthread> threads_;
};

}  // namespace

auto start_thread_parties(std::vector<std::string> work, TalkingBody body)
    -> std::unique_ptr<PartyHost> {
  return std::make_unique<ThreadHost>(std::move(work), std::move(body));
}

}  // namespace tacet::net
