#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/wipe.h"
#include "engine/net/byte_queue.h"
#include "engine/net/channel.h"
#include "engine/net/frame.h"
#include "engine/net/links.h"

namespace tacet::net {

/// What one attempt to read or write on a connection did.
struct Progress {
  bool moved = false;
  LinkStatus failure{};          ///< of the peer, or of the one that the peer's abort names
  bool is_disconnected = false;  ///< the connection ended, and no abort said why
};

/// The frames to and from one peer, after the greetings. Never waits. Frames hold shares: whatever
/// memory they were in is wiped.
///
/// One thread, the *caller*, appends and takes. Two threads, it and another, push to the socket and
/// pull from it, each under a mutex that is held for one system call.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  /// `reader` has seen the peer's greeting; this side sent `n_frames_sent`.
  Connection(std::unique_ptr<Channel> channel, FrameReader reader, uint64_t n_frames_sent,
             Rank peer, Rank n_parties);
  Connection(const Connection&) = delete;
  auto operator=(const Connection&) -> Connection& = delete;

  // Sending.

  /// Of the caller. Whole frames become ready to be pushed.
  void append(std::span<const std::byte> bytes);
  /// Of the caller: what was appended becomes a frame, however short.
  void end_frame();
  /// A frame other than data, behind all that is ready. Any thread.
  void append_control(FrameKind kind, std::span<const std::byte> payload = {});
  /// Nothing that was not begun is sent any more.
  void drop_unsent();
  /// Writes once. Any thread.
  [[nodiscard]] auto push() -> Progress;
  /// What is ready and not written yet, in bytes.
  [[nodiscard]] auto n_unsent() const -> size_t { return n_unsent_; }

  // Receiving.

  /// Reads once: what `wanted` needs to its front, which becomes what is still to be filled; what
  /// follows is kept. With `wanted` full it reads only while less than `limit` bytes are kept. Any
  /// thread.
  [[nodiscard]] auto pull(std::span<std::byte>& wanted, size_t limit) -> Progress;
  /// There is free space, and the peer may send more.
  [[nodiscard]] auto wants_more(size_t limit) const -> bool { return !ended_ && n_kept_ < limit; }
  [[nodiscard]] auto said_bye() const -> bool { return said_bye_; }
  /// The peer's last sign of life said that it waits, and it sent nothing since.
  [[nodiscard]] auto waits() const -> bool { return waits_; }
  [[nodiscard]] auto last_heard() const -> Clock::time_point { return last_heard_; }

  [[nodiscard]] auto counters() -> LinkCounters;
  [[nodiscard]] auto channel() -> Channel& { return *channel_; }

 private:
  /// A frame that waits to be written; the number in its header is set when that begins.
  using Frame = SecureBytes;

  void make_ready(Frame frame);
  [[nodiscard]] auto begin_next_frame() -> bool;
  void recycle_frame();
  [[nodiscard]] auto sort_in(std::span<const std::byte> bytes, std::span<std::byte>& wanted)
      -> LinkStatus;
  [[nodiscard]] auto closed() -> LinkStatus;

  std::unique_ptr<Channel> channel_;
  Rank peer_;
  Rank n_parties_;

  // Of the caller.
  Frame open_;  ///< what was appended since the last frame ended
  LinkCounters counters_;

  std::mutex ready_mutex_;
  std::deque<Frame> ready_;
  std::vector<Frame> spare_;
  std::atomic<size_t> n_unsent_ = 0;

  // Under the channel's mutex for writing.
  Frame writing_;
  size_t n_written_ = 0;
  uint64_t n_frames_sent_;
  bool drops_ = false;  ///< the peer has disconnected

  // Under the channel's mutex for reading.
  FrameReader reader_;
  ByteQueue kept_;
  SecureBytes staging_;

  std::atomic<size_t> n_kept_ = 0;
  std::atomic<bool> said_bye_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> waits_ = false;
  std::atomic<Clock::time_point> last_heard_;
};

}  // namespace tacet::net
