#include "engine/net/network_links.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/wipe.h"
#include "engine/net/wake_up.h"

namespace tacet::net {

using Clock = Connection::Clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

/// How long the peers are given to hear of a failure.
static constexpr milliseconds kLinger{1000};
/// The same if this party was cancelled: who did so waits.
static constexpr milliseconds kCancelledLinger{100};
/// How long a waiting caller asks the sockets again and again, letting others compute in between,
/// before it sleeps: going to sleep and waking up costs about as much.
static constexpr std::chrono::microseconds kSpin{100};
/// After so many bytes the thread reads in the background too.
static constexpr size_t kMuch = size_t{256} << 10;
/// How often is written to a connection at a time: enough for one frame with TLS.
static constexpr int kPushes = 4;
/// By how much a waiting sender's own limit of unread bytes is raised.
static constexpr size_t kUnreadFactor = 16;

static auto poll_timeout(Clock::duration time) -> int {
  auto n = duration_cast<milliseconds>(time).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(n, 0, 60'000));
}

void report_failure(std::span<const std::unique_ptr<Connection>> connections,
                    const LinkError& error) {
  for (const std::unique_ptr<Connection>& peer : connections) {
    if (peer) {
      peer->drop_unsent();
      peer->append_control(FrameKind::Abort, encode_abort({error.party, error.reason}));
    }
  }
  // A socket that is closed while something is unread may take back what it sent.
  Clock::time_point end = Clock::now() + (is_cancelled() ? kCancelledLinger : kLinger);
  std::vector<bool> said(connections.size(), false);
  SecureBytes ignored(kMaxFramePayload);  // may be shares
  std::vector<pollfd> polled(connections.size());
  while (Clock::now() < end) {
    size_t n_open = 0;
    for (size_t i = 0; i < connections.size(); ++i) {
      polled[i] = {-1, 0, 0};
      if (!connections[i]) {
        continue;
      }
      Connection& peer = *connections[i];
      while (peer.n_unsent() > 0 && peer.push().moved) {
      }
      if (peer.n_unsent() == 0 && !said[i]) {
        said[i] = true;
        peer.channel().end_writing();
      }
      IoResult result;
      do {
        result = peer.channel().read(ignored);
      } while (result.state == IoResult::State::Moved);
      if (result.state == IoResult::State::WouldBlock) {
        ++n_open;
        short events = peer.n_unsent() > 0 ? POLLIN | POLLOUT : POLLIN;
        polled[i] = {peer.channel().socket(), events, 0};
      }
    }
    if (n_open == 0) {
      return;
    }
    ::poll(polled.data(), polled.size(), poll_timeout(end - Clock::now()));
  }
}

namespace {

class NetworkLinks final : public Links {
 public:
  NetworkLinks(Rank rank, std::vector<std::string> names,
               std::vector<std::unique_ptr<Connection>> connections, const TimeLimits& times,
               const BufferLimits& buffers)
      : rank_(rank),
        names_(std::move(names)),
        peers_(std::move(connections)),
        times_(times),
        buffers_(buffers),
        background_([this] { serve_in_background(); }) {}

  ~NetworkLinks() override {
    if (!finished_ && !failed_) {
      fail({rank_, "left before the run ended"});
    }
    stops_ = true;
    wake_background();
    background_.join();
    if (failed_) {
      report_failure(peers_, *failure());
    }
  }

  [[nodiscard]] auto rank() const -> Rank override { return rank_; }
  [[nodiscard]] auto n_parties() const -> Rank override { return static_cast<Rank>(peers_.size()); }
  [[nodiscard]] auto name(Rank party) const -> std::string override { return names_.at(party); }

  void send(Rank to, std::span<const std::byte> bytes) override;
  [[nodiscard]] auto flush() -> LinkStatus override;
  [[nodiscard]] auto receive(Rank from, std::span<std::byte> into) -> LinkStatus override;
  [[nodiscard]] auto finish() -> LinkStatus override;
  void abort(std::string reason) override { fail({rank_, std::move(reason)}); }
  [[nodiscard]] auto counters(Rank peer) const -> LinkCounters override {
    return peers_.at(peer)->counters();
  }

 private:
  /// What the caller is in, for the background thread.
  enum class Caller { Computes, Reads, Sends };

  [[nodiscard]] auto peer(Rank party) -> Connection& {
    TACET_CHECK(party < n_parties() && party != rank_, "a link leads to another party");
    return *peers_[party];
  }
  void fail(LinkError error);
  [[nodiscard]] auto failure() -> LinkStatus;

  template <class Done>
  void wait_until(Caller what, Done done, Rank blamed, std::string_view why);
  void read_all(size_t limit);
  void check_silence(Clock::time_point begin);
  void sleep_as_caller(Clock::time_point deadline, size_t limit);
  void note_traffic(size_t n_bytes);

  /// There is more for the thread to do.
  void wake_background() {
    if (background_sleeps_.exchange(false)) {
      background_wakes_.signal();
    }
  }
  void serve_in_background();
  void serve_one(Connection& connection, bool reads, bool gives_sign);

  const Rank rank_;
  const std::vector<std::string> names_;
  const std::vector<std::unique_ptr<Connection>> peers_;
  const TimeLimits times_;
  const BufferLimits buffers_;

  // Of the caller.
  size_t n_traffic_ = 0;  ///< bytes since the thread was last asked to read
  bool finished_ = false;

  std::mutex failure_mutex_;
  LinkStatus failure_;
  std::atomic<bool> failed_ = false;

  std::atomic<Caller> caller_ = Caller::Computes;
  std::atomic<bool> reads_in_background_ = false;
  std::atomic<bool> stops_ = false;
  /// The thread looks for work, or waits: it must be notified of new work.
  std::atomic<bool> background_sleeps_ = false;
  WakeUp caller_wakes_;
  WakeUp background_wakes_;
  std::thread background_;
};

/// The first failure counts. Others hear of it at once if the network takes it.
void NetworkLinks::fail(LinkError error) {
  {
    std::lock_guard lock(failure_mutex_);
    if (failure_) {
      return;
    }
    failure_ = error;
  }
  failed_ = true;
  for (const std::unique_ptr<Connection>& peer : peers_) {
    if (peer) {
      peer->drop_unsent();
      peer->append_control(FrameKind::Abort, encode_abort({error.party, error.reason}));
    }
  }
  wake_background();
  caller_wakes_.signal();
}

auto NetworkLinks::failure() -> LinkStatus {
  if (!failed_) {
    return std::nullopt;
  }
  std::lock_guard lock(failure_mutex_);
  return failure_;
}

void NetworkLinks::send(Rank to, std::span<const std::byte> bytes) {
  Connection& connection = peer(to);
  size_t n_before = connection.n_unsent();
  if (n_before + bytes.size() > buffers_.unsent && n_before > 0) {
    wait_until(
        Caller::Sends, [&] { return connection.n_unsent() < buffers_.unsent / 2; }, to,
        "accepted no data");
  }
  if (failed_) {
    return;
  }
  connection.append(bytes);
  if (connection.n_unsent() > 0) {
    wake_background();
  }
  n_traffic_ += bytes.size();
}

auto NetworkLinks::flush() -> LinkStatus {
  bool left_over = false;
  for (const std::unique_ptr<Connection>& connection : peers_) {
    if (!connection || failed_) {
      continue;
    }
    bool idle = connection->n_unsent() == 0;
    connection->end_frame();
    if (idle && connection->n_unsent() > 0) {
      for (int i = 0; i < kPushes && connection->push().moved; ++i) {
      }
    }
    left_over = left_over || connection->n_unsent() > 0;
  }
  if (left_over) {
    wake_background();
  }
  note_traffic(0);
  return failure();
}

auto NetworkLinks::receive(Rank from, std::span<std::byte> into) -> LinkStatus {
  Connection& connection = peer(from);
  size_t n_bytes = into.size();
  auto done = [&] {
    while (!into.empty() && !failed_) {
      Progress progress = connection.pull(into, buffers_.unread);
      if (progress.failure) {
        fail(std::move(*progress.failure));
      } else if (!progress.moved) {
        break;
      }
    }
    return into.empty();
  };
  if (!done()) {
    wait_until(Caller::Reads, done, from, "sent no data");
  }
  note_traffic(n_bytes);
  return failure();
}

auto NetworkLinks::finish() -> LinkStatus {
  if (LinkStatus failed = flush()) {
    return failed;
  }
  for (const std::unique_ptr<Connection>& connection : peers_) {
    if (connection) {
      connection->append_control(FrameKind::Bye);
    }
  }
  wake_background();
  for (Rank party = 0; party < n_parties(); ++party) {
    if (party != rank_) {
      Connection& connection = peer(party);
      wait_until(
          Caller::Reads, [&] { return connection.said_bye() && connection.n_unsent() == 0; }, party,
          "delayed the end of the run");
    }
  }
  finished_ = !failed_;
  return failure();
}

/// Serves the links until `done` holds or somebody failed; `blamed` did if it takes too long. If it
/// waits itself, parties that wait for the same one are given time to say so.
template <class Done>
void NetworkLinks::wait_until(Caller what, Done done, Rank blamed, std::string_view why) {
  caller_ = what;
  reads_in_background_ = false;
  size_t limit = buffers_.unread * (what == Caller::Sends ? kUnreadFactor : 1);
  Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  while (!failed_ && !done()) {
    if (failed_) {
      break;
    }
    if (now - begin < kSpin) {
      ::sched_yield();
    } else {
      read_all(limit);
      if (done()) {
        break;
      }
      check_silence(begin);
      if (is_cancelled()) {
        fail({rank_, std::string(kCancelled)});
      }
      milliseconds patience =
          times_.patience + (peer(blamed).waits() ? times_.silence : milliseconds(0));
      if (now - begin > patience) {
        fail({blamed, fmt::format("{} for {}", why, describe(times_.patience))});
      }
      sleep_as_caller(begin + patience, limit);
    }
    now = Clock::now();
  }
  caller_ = Caller::Computes;
}

/// Reads what every peer sent, as far as there is room.
void NetworkLinks::read_all(size_t limit) {
  std::span<std::byte> nothing;
  for (const std::unique_ptr<Connection>& connection : peers_) {
    while (connection && connection->wants_more(limit) && !failed_) {
      Progress progress = connection->pull(nothing, limit);
      if (progress.failure) {
        fail(std::move(*progress.failure));
      }
      if (!progress.moved) {
        break;
      }
    }
  }
}

/// Ends the run if a peer gave no sign of life since `begin`, when the caller began to listen.
void NetworkLinks::check_silence(Clock::time_point begin) {
  Clock::time_point now = Clock::now();
  for (Rank party = 0; party < n_parties(); ++party) {
    if (party == rank_ || peers_[party]->said_bye() || !peers_[party]->wants_more(SIZE_MAX)) {
      continue;
    }
    if (now - std::max(begin, peers_[party]->last_heard()) > times_.silence) {
      fail({party, fmt::format("was silent for {}", describe(times_.silence))});
    }
  }
}

void NetworkLinks::sleep_as_caller(Clock::time_point deadline, size_t limit) {
  std::vector<pollfd> polled = {caller_wakes_.to_poll()};
  for (const std::unique_ptr<Connection>& connection : peers_) {
    if (connection && connection->wants_more(limit)) {
      polled.push_back({connection->channel().socket(), POLLIN, 0});
    }
  }
  const Clock::time_point next = std::min(deadline, next_look());
  Clock::duration time = std::min<Clock::duration>(next - Clock::now(), times_.silence / 8);
  ::poll(polled.data(), polled.size(), poll_timeout(time));
  if (polled[0].revents != 0) {
    caller_wakes_.clear();
  }
}

/// While much is in transit, the thread reads what comes during the computation that follows.
void NetworkLinks::note_traffic(size_t n_bytes) {
  n_traffic_ += n_bytes;
  if (n_traffic_ >= kMuch) {
    n_traffic_ = 0;
    reads_in_background_ = true;
    wake_background();
  }
}

void NetworkLinks::serve_in_background() {
  Clock::duration sign_interval = times_.silence / 3;
  Clock::time_point next_sign = Clock::now() + sign_interval;
  std::vector<pollfd> polled;
  while (true) {
    background_sleeps_ = true;  // before it looks
    if (stops_) {
      return;
    }
    bool reads = reads_in_background_ && caller_ == Caller::Computes && !failed_;
    polled.assign(1, background_wakes_.to_poll());
    for (const std::unique_ptr<Connection>& connection : peers_) {
      if (!connection) {
        continue;
      }
      bool in = reads && connection->wants_more(buffers_.unread);
      bool out = connection->n_unsent() > 0;
      auto events = static_cast<short>((in ? POLLIN : 0) | (out ? POLLOUT : 0));
      polled.push_back({events == 0 ? -1 : connection->channel().socket(), events, 0});
    }
    ::poll(polled.data(), polled.size(), poll_timeout(next_sign - Clock::now()));
    background_sleeps_ = false;
    if (polled[0].revents != 0) {
      background_wakes_.clear();
    }
    bool gives_sign = Clock::now() >= next_sign;
    if (gives_sign) {
      next_sign = Clock::now() + sign_interval;
    }
    for (const std::unique_ptr<Connection>& connection : peers_) {
      if (connection) {
        serve_one(*connection, reads || gives_sign, gives_sign);
      }
    }
  }
}

void NetworkLinks::serve_one(Connection& connection, bool reads, bool gives_sign) {
  if (gives_sign && connection.n_unsent() == 0 && !failed_) {
    connection.append_control(caller_ == Caller::Computes ? FrameKind::Alive : FrameKind::Waits);
  }
  bool pushed = false;
  for (int i = 0; i < kPushes && connection.n_unsent() > 0 && connection.push().moved; ++i) {
    pushed = true;
  }
  bool pulled = false;
  std::span<std::byte> nothing;
  while (reads && !failed_ && caller_ == Caller::Computes &&
         connection.wants_more(buffers_.unread)) {
    Progress progress = connection.pull(nothing, buffers_.unread);
    if (progress.failure) {
      fail(std::move(*progress.failure));
    }
    if (!progress.moved) {
      break;
    }
    pulled = true;
  }
  Caller caller = caller_;
  bool enough_room = connection.n_unsent() < buffers_.unsent / 2;
  if ((pushed && (caller == Caller::Sends ? enough_room : connection.n_unsent() == 0) &&
       caller != Caller::Computes) ||
      (pulled && caller == Caller::Reads)) {
    caller_wakes_.signal();
  }
}

}  // namespace

auto make_network_links(Rank rank, std::vector<std::string> names,
                        std::vector<std::unique_ptr<Connection>> connections,
                        const TimeLimits& times, const BufferLimits& buffers)
    -> std::unique_ptr<Links> {
  TACET_CHECK(rank < connections.size() && names.size() == connections.size(),
              "a connection and a name for each party");
  return std::make_unique<NetworkLinks>(rank, std::move(names), std::move(connections), times,
                                        buffers);
}

}  // namespace tacet::net
