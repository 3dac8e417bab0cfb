#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

struct bio_st;
struct ssl_st;

namespace tacet::net {

/// What became of an attempt to read, write or shake hands.
struct IoResult {
  enum class State {
    Moved,       ///< `n` bytes, at least one; of a handshake: it is done
    WouldBlock,  ///< nothing now
    Closed,      ///< the other side has closed
    Failed,      ///< `reason` says why
  };
  State state = State::WouldBlock;
  size_t n = 0;
  std::string reason{};
  bool may_pass = false;  ///< of a failure: another connection may do better
};

/// One connection: a socket that never blocks, with TLS over it or without. One thread may read
/// while another writes.
class Channel {
 public:
  /// Takes the socket, makes it non-blocking and sends without delay (TCP_NODELAY).
  explicit Channel(int socket);
  Channel(const Channel&) = delete;
  auto operator=(const Channel&) -> Channel& = delete;
  ~Channel();

  /// From now on everything is encrypted: takes `tls`, which is new and knows its role.
  void start_tls(ssl_st* tls);

  /// Whether TLS reads nothing for now, so that `socket` may be peeked at.
  void hold_reading(bool is_held);

  /// Continues the handshake, if there is TLS.
  [[nodiscard]] auto handshake() -> IoResult;
  /// Reads into `first`, and, as far as that comes for nothing, into `second`. An end or a failure
  /// behind what was read shows at the next call.
  [[nodiscard]] auto read(std::span<std::byte> first, std::span<std::byte> second = {}) -> IoResult;
  /// After `WouldBlock` the same bytes have to be given again.
  [[nodiscard]] auto write(std::span<const std::byte> bytes) -> IoResult;
  /// No more is written; the other side reads an end.
  void end_writing();

  [[nodiscard]] auto socket() const -> int { return socket_; }
  [[nodiscard]] auto tls() const -> ssl_st* { return tls_; }

  /// Held while reading, or while writing; with TLS both are the same one.
  [[nodiscard]] auto read_mutex() -> std::mutex& { return read_mutex_; }
  [[nodiscard]] auto write_mutex() -> std::mutex& { return tls_ ? read_mutex_ : write_mutex_; }

 private:
  [[nodiscard]] auto tls_result(int returned) -> IoResult;
  [[nodiscard]] auto read_tls(std::span<std::byte> into) -> IoResult;
  [[nodiscard]] auto write_tls(std::span<const std::byte> bytes) -> IoResult;
  void change_key_in_time(size_t n_written);

  int socket_;
  ssl_st* tls_ = nullptr;
  bio_st* quiet_socket_ = nullptr;  ///< of `tls_`
  uint64_t n_since_new_key_ = 0;
  std::optional<IoResult> end_;  ///< of reading, behind what was read
  size_t n_encrypted_ = 0;       ///< from the front of what is written, and not all sent yet
  std::mutex read_mutex_;
  std::mutex write_mutex_;
};

}  // namespace tacet::net
