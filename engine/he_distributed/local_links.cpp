#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "engine/he_distributed/rank_link.h"

namespace tacet::engine {
namespace {

/// What a rank has received and not read.
struct Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<RankMessage> messages;
  bool is_closed = false;
};

struct LocalRanks {
  explicit LocalRanks(std::vector<std::string> names)
      : hosts(std::move(names)), inboxes(hosts.size()) {}

  std::vector<std::string> hosts;
  std::deque<Inbox> inboxes;
};

class LocalLink final : public RankLink {
 public:
  LocalLink(std::shared_ptr<LocalRanks> ranks, uint32_t rank)
      : ranks_(std::move(ranks)), rank_(rank) {}

  auto rank() const -> uint32_t override { return rank_; }
  auto n_ranks() const -> uint32_t override { return static_cast<uint32_t>(ranks_->hosts.size()); }
  auto host(uint32_t rank) const -> std::string override { return ranks_->hosts[rank]; }

  void send(uint32_t to, HeldBytes message) override {
    Inbox& inbox = ranks_->inboxes[to];
    const std::lock_guard lock(inbox.mutex);
    inbox.messages.push_back({rank_, std::move(message)});
    inbox.changed.notify_one();
  }

  auto receive() -> Result<RankMessage> override {
    Inbox& inbox = ranks_->inboxes[rank_];
    std::unique_lock lock(inbox.mutex);
    inbox.changed.wait(lock, [&] { return inbox.is_closed || !inbox.messages.empty(); });
    if (inbox.messages.empty()) {
      return Error{"the link is closed"};
    }
    RankMessage message = std::move(inbox.messages.front());
    inbox.messages.pop_front();
    return message;
  }

  void close() override {
    Inbox& inbox = ranks_->inboxes[rank_];
    const std::lock_guard lock(inbox.mutex);
    inbox.is_closed = true;
    inbox.changed.notify_one();
  }

 private:
  std::shared_ptr<LocalRanks> ranks_;
  uint32_t rank_;
};

}  // namespace

auto name_of_rank(const RankLink& link, uint32_t rank) -> std::string {
  return fmt::format("rank {} on {}", rank, link.host(rank));
}

auto local_links(const std::vector<std::string>& hosts) -> std::vector<std::unique_ptr<RankLink>> {
  const auto ranks = std::make_shared<LocalRanks>(hosts);
  std::vector<std::unique_ptr<RankLink>> links;
  for (uint32_t rank = 0; rank < hosts.size(); ++rank) {
    links.push_back(std::make_unique<LocalLink>(ranks, rank));
  }
  return links;
}

}  // namespace tacet::engine
