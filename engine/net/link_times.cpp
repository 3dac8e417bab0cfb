#include "engine/net/link_times.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>

#include "engine/net/little_endian.h"

namespace tacet::net {

using Clock = std::chrono::steady_clock;

static constexpr size_t kRoundTrips = 21;
static constexpr uint64_t kFirstBytes = uint64_t{1} << 18;
static constexpr uint64_t kMostBytes = uint64_t{1} << 26;
static constexpr size_t kChunk = size_t{1} << 16;
static constexpr double kLongEnough = 0.2;  // seconds
/// Of an honest measurement; others are refused.
static constexpr double kMostTime = 1e7;

namespace {

/// One party's part. A failure is kept, and what follows it does nothing.
class Measurement {
 public:
  explicit Measurement(Links& links) : links_(links), chunk_(kChunk) {}

  auto run() -> std::variant<std::vector<LinkTime>, LinkError> {
    const Rank own = links_.rank();
    const Rank n = links_.n_parties();
    std::vector<LinkTime> times;
    for (Rank from = 0; from < n; ++from) {
      for (Rank to = from + 1; to < n; ++to) {
        if (own == from) {
          times.push_back({from, to, begin_pair(to), 0});
          const double there = send_much(to);
          const double back = receive_much(to);
          times.back().megabits = std::min(there, back);
        } else if (own == to) {
          join_pair(from);
        }
      }
    }
    share(times);
    if (failure_) {
      return *failure_;
    }
    return times;
  }

 private:
  static auto seconds_since(Clock::time_point begin) -> double {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void note(LinkStatus status) {
    if (status && !failure_) {
      failure_ = std::move(status);
    }
  }

  void send_number(Rank to, uint64_t number) {
    if (failure_) {
      return;
    }
    std::array<std::byte, 8> bytes{};
    store_little<uint64_t>(bytes, number);
    links_.send(to, bytes);
    note(links_.flush());
  }

  auto receive_number(Rank from) -> uint64_t {
    std::array<std::byte, 8> bytes{};
    if (!failure_) {
      note(links_.receive(from, bytes));
    }
    return failure_ ? 0 : load_little<uint64_t>(bytes);
  }

  /// The latency. The first answer comes when the other one is done with other pairs.
  auto begin_pair(Rank to) -> double {
    std::vector<double> times;
    for (size_t i = 0; i <= kRoundTrips; ++i) {
      const Clock::time_point begin = Clock::now();
      send_number(to, 0);
      receive_number(to);
      times.push_back(1000 * seconds_since(begin));
    }
    times.erase(times.begin());
    std::sort(times.begin(), times.end());
    round_trip_ = times[kRoundTrips / 2];
    return round_trip_ / 2;
  }

  void join_pair(Rank from) {
    for (size_t i = 0; i <= kRoundTrips; ++i) {
      receive_number(from);
      send_number(from, 0);
    }
    round_trip_ = 0;  // which is known by the other one
    receive_much(from);
    send_much(from);
  }

  /// In Mbit/s: more and more until it takes long. Announced by its size, and 0 is the end.
  auto send_much(Rank to) -> double {
    double megabits = 0;
    for (uint64_t n = kFirstBytes; !failure_; n *= 2) {
      const Clock::time_point begin = Clock::now();
      send_number(to, n);
      for (uint64_t sent = 0; sent < n && !failure_; sent += kChunk) {
        links_.send(to, chunk_);
      }
      note(links_.flush());
      receive_number(to);
      const double seconds = std::max(seconds_since(begin) - round_trip_ / 1000, 1e-6);
      megabits = static_cast<double>(n) * 8e-6 / seconds;
      if (seconds >= kLongEnough || n >= kMostBytes) {
        break;
      }
    }
    send_number(to, 0);
    send_number(to, std::bit_cast<uint64_t>(megabits));
    return megabits;
  }

  /// What the sender found, in Mbit/s.
  auto receive_much(Rank from) -> double {
    uint64_t most = kFirstBytes;
    for (uint64_t announced = receive_number(from); announced != 0 && !failure_;
         announced = receive_number(from), most *= 2) {
      if (announced != most || announced > kMostBytes) {
        refuse(from, "announced an unexpected number of bytes");
        return 0;
      }
      for (uint64_t got = 0; got < announced && !failure_; got += kChunk) {
        note(links_.receive(from, chunk_));
      }
      send_number(from, 0);
    }
    return receive_time(from);
  }

  auto receive_time(Rank from) -> double {
    const auto time = std::bit_cast<double>(receive_number(from));
    if (!failure_ && !(time >= 0 && time <= kMostTime)) {
      refuse(from, "sent a time that is not a number");
    }
    return failure_ ? 0 : time;
  }

  void refuse(Rank from, const std::string& reason) {
    links_.abort(links_.name(from) + " " + reason);
    failure_ = LinkError{from, reason};
  }

  /// Everybody learns what the others measured.
  void share(std::vector<LinkTime>& times) {
    const Rank own = links_.rank();
    const std::vector<LinkTime> mine = times;
    for (Rank to = 0; to < links_.n_parties(); ++to) {
      for (const LinkTime& time : mine) {
        if (to != own) {
          send_number(to, std::bit_cast<uint64_t>(time.latency_milliseconds));
          send_number(to, std::bit_cast<uint64_t>(time.megabits));
        }
      }
    }
    for (Rank from = 0; from < links_.n_parties(); ++from) {
      for (Rank to = from + 1; to < links_.n_parties() && from != own; ++to) {
        const double latency = receive_time(from);
        times.push_back({from, to, latency, receive_time(from)});
      }
    }
    std::sort(times.begin(), times.end(), [](const LinkTime& a, const LinkTime& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
  }

  Links& links_;
  std::vector<std::byte> chunk_;
  double round_trip_ = 0;  ///< milliseconds
  LinkStatus failure_;
};

}  // namespace

auto measure_links(Links& links) -> std::variant<std::vector<LinkTime>, LinkError> {
  return Measurement(links).run();
}

}  // namespace tacet::net
