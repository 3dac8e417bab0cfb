#pragma once

#include <algorithm>
#include <string>

#include "cli/service/limits.h"
#include "cli/service/wire.h"

namespace tacet::service {

/// How much of something may happen in a time: as much as `burst` at once, and `rate` a second in
/// the long run. A rate of 0 allows everything.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), level_(burst) {}

  /// How much may happen now.
  [[nodiscard]] auto available(Clock::time_point now) -> double {
    if (rate_ <= 0) {
      return 1e18;
    }
    if (now > filled_) {
      const double seconds = std::chrono::duration<double>(now - filled_).count();
      level_ = is_new_ ? burst_ : std::min(burst_, level_ + rate_ * seconds);
      filled_ = now;
      is_new_ = false;
    }
    return level_;
  }
  void take(double amount) { level_ -= amount; }
  /// Until there is this much, from what `available` said.
  [[nodiscard]] auto time_until(double amount) const -> milliseconds {
    return milliseconds(
        rate_ <= 0 ? 0 : static_cast<int64_t>(std::max(0.0, amount - level_) / rate_ * 1000) + 1);
  }

 private:
  double rate_;
  double burst_;
  double level_;
  bool is_new_ = true;
  Clock::time_point filled_{};
};

/// The nonces of a client's latest requests.
class RecentNonces {
 public:
  explicit RecentNonces(size_t n_most) : n_most_(n_most) {}

  /// False if it is one of them; otherwise it is remembered in place of the oldest.
  [[nodiscard]] auto take(const Nonce& nonce) -> bool {
    if (std::find(nonces_.begin(), nonces_.end(), nonce) != nonces_.end()) {
      return false;
    }
    if (nonces_.size() < n_most_) {
      nonces_.push_back(nonce);
    } else if (n_most_ > 0) {
      nonces_[next_] = nonce;
      next_ = (next_ + 1) % n_most_;
    }
    return true;
  }

 private:
  size_t n_most_;
  size_t next_ = 0;
  std::vector<Nonce> nonces_;
};

/// A client of a service: its share of everything, over all its connections.
struct ClientAccount {
  ClientAccount(std::string name_, std::string fingerprint_, const Limits& limits)
      : name(std::move(name_)),
        fingerprint(std::move(fingerprint_)),
        requests(limits.client_rate, std::max(1.0, limits.client_rate)),
        bytes(static_cast<double>(limits.client_bandwidth),
              static_cast<double>(limits.client_bandwidth)),
        nonces(limits.client_nonces) {}

  std::string name;         ///< of its certificate's file
  std::string fingerprint;  ///< of its certificate
  uint32_t n_connections = 0;
  uint32_t n_requests = 0;  ///< accepted and not answered yet
  TokenBucket requests;
  TokenBucket bytes;
  RecentNonces nonces;
};

}  // namespace tacet::service
