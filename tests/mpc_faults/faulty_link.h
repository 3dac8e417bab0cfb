#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace tacet::mpc {

/// What a link between two parties does to the bytes that it carries, once.
enum class LinkFault : uint8_t {
  None,
  Delay,    ///< they arrive later
  Cut,      ///< the connection ends
  Stall,    ///< nothing arrives any more
  Drop,     ///< some are missing
  Corrupt,  ///< one bit is another
  Repeat,   ///< some arrive twice
  Reorder,  ///< some arrive in front of others
};

/// A network between a party that calls and the one that listens at `port`: carries bytes in both
/// directions, and does something to them after so many, counted over both.
class FaultyLink {
 public:
  FaultyLink(uint16_t port, LinkFault fault, uint64_t after);
  FaultyLink(const FaultyLink&) = delete;
  auto operator=(const FaultyLink&) -> FaultyLink& = delete;
  ~FaultyLink();

  /// Where the party that calls finds the other one.
  [[nodiscard]] auto port() const -> uint16_t { return own_port_; }
  [[nodiscard]] auto n_bytes() const -> uint64_t { return n_bytes_; }
  [[nodiscard]] auto has_happened() const -> bool { return has_happened_; }
  /// When it happened; only if it has.
  [[nodiscard]] auto time() const -> std::chrono::steady_clock::time_point { return time_; }

 private:
  struct Pair {
    int ends[2];  ///< the caller, the listener
  };

  void serve();
  void accept_caller();
  /// Carries what has arrived at one end to the other. False when the connection is over.
  auto carry(const Pair& pair, int from) -> bool;
  /// Does what is to be done to the bytes. False if the connection is over.
  auto damage(std::vector<char>& bytes) -> bool;

  uint16_t port_;
  LinkFault fault_;
  uint64_t after_;
  uint16_t own_port_ = 0;
  int listener_ = -1;
  std::vector<Pair> pairs_;
  std::atomic<uint64_t> n_bytes_ = 0;
  std::atomic<bool> has_happened_ = false;
  std::atomic<bool> is_over_ = false;
  std::chrono::steady_clock::time_point time_;
  std::thread thread_;
};

}  // namespace tacet::mpc
