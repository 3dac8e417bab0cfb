#include "engine/net/delayed_links.h"

#include <thread>
#include <vector>

#include "engine/net/little_endian.h"

namespace tacet::net {

namespace {

using Clock = std::chrono::steady_clock;  // of the machine, not of the process

/// In front of each message: when it may be read, and how long it is.
constexpr size_t kStampSize = 12;
constexpr size_t kLongMessage = size_t{256} << 10;

class DelayedLinks final : public Links {
 public:
  DelayedLinks(std::unique_ptr<Links> links, std::chrono::nanoseconds delay)
      : links_(std::move(links)),
        delay_(delay),
        unsent_(links_->n_parties()),
        n_left_(links_->n_parties()),
        counters_(links_->n_parties()) {}

  [[nodiscard]] auto rank() const -> Rank override { return links_->rank(); }
  [[nodiscard]] auto n_parties() const -> Rank override { return links_->n_parties(); }
  [[nodiscard]] auto name(Rank party) const -> std::string override { return links_->name(party); }

  void send(Rank to, std::span<const std::byte> bytes) override {
    counters_[to].bytes_sent += bytes.size();
    unsent_[to].insert(unsent_[to].end(), bytes.begin(), bytes.end());
    if (unsent_[to].size() >= kLongMessage) {
      dispatch(to);
    }
  }

  [[nodiscard]] auto flush() -> LinkStatus override {
    for (Rank to = 0; to < n_parties(); ++to) {
      if (!unsent_[to].empty()) {
        dispatch(to);
      }
    }
    return links_->flush();
  }

  [[nodiscard]] auto receive(Rank from, std::span<std::byte> into) -> LinkStatus override {
    counters_[from].bytes_received += into.size();
    while (!into.empty()) {
      if (n_left_[from] == 0) {
        if (LinkStatus failure = await_message(from)) {
          return failure;
        }
      }
      std::span<std::byte> part = into.first(std::min(into.size(), n_left_[from]));
      if (LinkStatus failure = links_->receive(from, part)) {
        return failure;
      }
      n_left_[from] -= part.size();
      into = into.subspan(part.size());
    }
    return std::nullopt;
  }

  [[nodiscard]] auto finish() -> LinkStatus override {
    LinkStatus failure = flush();
    return failure ? failure : links_->finish();
  }
  void abort(std::string reason) override { links_->abort(std::move(reason)); }
  [[nodiscard]] auto counters(Rank peer) const -> LinkCounters override {
    return counters_.at(peer);
  }

 private:
  void dispatch(Rank to) {
    std::vector<std::byte> stamp;
    auto arrival = std::chrono::duration_cast<std::chrono::nanoseconds>(
        Clock::now().time_since_epoch() + delay_);
    append_little<uint64_t>(stamp, static_cast<uint64_t>(arrival.count()));
    append_little<uint32_t>(stamp, static_cast<uint32_t>(unsent_[to].size()));
    links_->send(to, stamp);
    links_->send(to, unsent_[to]);
    unsent_[to].clear();
    ++counters_[to].messages_sent;
  }

  [[nodiscard]] auto await_message(Rank from) -> LinkStatus {
    std::array<std::byte, kStampSize> stamp{};
    if (LinkStatus failure = links_->receive(from, stamp)) {
      return failure;
    }
    PayloadReader reader(stamp);
    auto arrival = std::chrono::nanoseconds(reader.number<uint64_t>());
    n_left_[from] = reader.number<uint32_t>();
    ++counters_[from].messages_received;
    std::this_thread::sleep_until(
        Clock::time_point(std::chrono::duration_cast<Clock::duration>(arrival)));
    return std::nullopt;
  }

  std::unique_ptr<Links> links_;
  std::chrono::nanoseconds delay_;
  std::vector<std::vector<std::byte>> unsent_;  ///< by receiver
  std::vector<size_t> n_left_;                  ///< of the message that is being read, by sender
  std::vector<LinkCounters> counters_;
};

}  // namespace

auto delay_links(std::unique_ptr<Links> links, std::chrono::nanoseconds delay)
    -> std::unique_ptr<Links> {
  return std::make_unique<DelayedLinks>(std::move(links), delay);
}

}  // namespace tacet::net
