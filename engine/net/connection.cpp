#include "engine/net/connection.h"

#include <algorithm>

#include "base/check.h"
#include "engine/net/little_endian.h"

namespace tacet::net {

using State = IoResult::State;

/// How many frames that were written are kept for the next ones.
static constexpr size_t kSpareFrames = 16;
/// From here on a copy costs more than a call of the system.
static constexpr size_t kLong = size_t{64} << 10;

Connection::Connection(std::unique_ptr<Channel> channel, FrameReader reader, uint64_t n_frames_sent,
                       Rank peer, Rank n_parties)
    : channel_(std::move(channel)),
      peer_(peer),
      n_parties_(n_parties),
      n_frames_sent_(n_frames_sent),
      reader_(std::move(reader)),
      staging_(kMaxFramePayload),
      last_heard_(Clock::now()) {}

void Connection::append(std::span<const std::byte> bytes) {
  counters_.bytes_sent += bytes.size();
  while (!bytes.empty()) {
    if (open_.empty()) {
      std::lock_guard lock(ready_mutex_);
      if (!spare_.empty()) {
        open_ = std::move(spare_.back());
        spare_.pop_back();
      }
      open_.resize(kFrameHeaderSize);
    }
    size_t room = kFrameHeaderSize + kMaxFramePayload - open_.size();
    std::span<const std::byte> part = bytes.first(std::min(room, bytes.size()));
    open_.insert(open_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (part.size() == room) {
      end_frame();
    }
  }
}

void Connection::end_frame() {
  if (open_.empty()) {
    return;
  }
  FrameHeader header = encode_frame_header(FrameKind::Data, open_.size() - kFrameHeaderSize, 0);
  std::copy(header.begin(), header.end(), open_.begin());
  ++counters_.messages_sent;
  make_ready(std::exchange(open_, {}));
}

void Connection::append_control(FrameKind kind, std::span<const std::byte> payload) {
  FrameHeader header = encode_frame_header(kind, payload.size(), 0);
  Frame frame(header.begin(), header.end());
  frame.insert(frame.end(), payload.begin(), payload.end());
  make_ready(std::move(frame));
}

void Connection::make_ready(Frame frame) {
  std::lock_guard lock(ready_mutex_);
  n_unsent_ += frame.size();
  ready_.push_back(std::move(frame));
}

void Connection::drop_unsent() {
  std::lock_guard lock(ready_mutex_);
  for (const Frame& frame : ready_) {
    n_unsent_ -= frame.size();
  }
  ready_.clear();
}

auto Connection::begin_next_frame() -> bool {
  std::lock_guard lock(ready_mutex_);
  if (ready_.empty()) {
    return false;
  }
  writing_ = std::move(ready_.front());
  ready_.pop_front();
  n_written_ = 0;
  store_little<uint64_t>(std::span(writing_).subspan(8), n_frames_sent_++);
  return true;
}

void Connection::recycle_frame() {
  std::lock_guard lock(ready_mutex_);
  writing_.clear();
  if (spare_.size() < kSpareFrames) {
    spare_.push_back(std::move(writing_));
    writing_ = {};
  }
}

auto Connection::push() -> Progress {
  std::lock_guard lock(channel_->write_mutex());
  if (writing_.empty() && !begin_next_frame()) {
    return {};
  }
  std::span<const std::byte> rest = std::span(writing_).subspan(n_written_);
  IoResult result = drops_ ? IoResult{State::Moved, rest.size()} : channel_->write(rest);
  switch (result.state) {
    case State::WouldBlock:
      return {};
    case State::Closed:
    case State::Failed:
      // The peer's last message explains more than its disconnection: reading finds it.
      drops_ = true;
      return {true};
    case State::Moved:
      break;
  }
  n_written_ += result.n;
  n_unsent_ -= result.n;
  if (n_written_ == writing_.size()) {
    recycle_frame();
  }
  return {true};
}

auto Connection::pull(std::span<std::byte>& wanted, size_t limit) -> Progress {
  std::lock_guard lock(channel_->read_mutex());
  size_t n_wanted = wanted.size();
  if (!kept_.empty() && n_wanted > 0) {
    kept_.take(wanted);
    n_kept_ = kept_.size();
    return {true};
  }
  if (ended_ || (said_bye_ && n_wanted > 0)) {
    return n_wanted > 0 ? Progress{false, closed()} : Progress{};
  }
  if (n_wanted == 0 && n_kept_ >= limit) {
    return {};
  }
  size_t n_direct = std::min(n_wanted, reader_.n_data_next());
  // Of a long message no more is read than the next header, whose payload then goes to its place.
  size_t n_rest = n_wanted >= n_direct + kLong ? kFrameHeaderSize : staging_.size();
  IoResult result = channel_->read(wanted.first(n_direct), std::span(staging_).first(n_rest));
  switch (result.state) {
    case State::WouldBlock:
      return {};
    case State::Closed:
      ended_ = true;
      return {true, said_bye_ && n_wanted == 0 ? std::nullopt : closed(), true};
    case State::Failed:
      ended_ = true;
      return {true, LinkError{peer_, std::move(result.reason)}};
    case State::Moved:
      break;
  }
  last_heard_ = Clock::now();
  n_direct = std::min(n_direct, result.n);
  reader_.skip_data(n_direct);
  waits_ = waits_ && n_direct == 0;
  wanted = wanted.subspan(n_direct);
  LinkStatus failure = sort_in(std::span(staging_).first(result.n - n_direct), wanted);
  if (!failure && said_bye_ && !wanted.empty()) {
    failure = closed();
  }
  ended_ = ended_ || failure;
  n_kept_ = kept_.size();
  return {true, std::move(failure)};
}

/// Why the peer sends no more.
auto Connection::closed() -> LinkStatus {
  return LinkError{peer_, said_bye_ ? "finished although more data was expected from it"
                                    : "the connection was closed"};
}

/// Takes bytes of the socket apart.
auto Connection::sort_in(std::span<const std::byte> bytes, std::span<std::byte>& wanted)
    -> LinkStatus {
  while (!bytes.empty()) {
    Result<std::optional<FramePiece>> next = reader_.next(bytes);
    if (!next) {
      return LinkError{peer_, next.error().message};
    }
    if (!*next) {
      continue;
    }
    FramePiece piece = **next;
    waits_ = piece.kind == FrameKind::Waits;
    switch (piece.kind) {
      case FrameKind::Data:
        kept_.append(piece.bytes);
        kept_.take(wanted);
        break;
      case FrameKind::Abort: {
        Result<AbortNotice> notice = decode_abort(piece.bytes, n_parties_);
        return notice ? LinkError{notice->party, notice->reason}
                      : LinkError{peer_, notice.error().message};
      }
      case FrameKind::Bye:
        said_bye_ = true;
        break;
      case FrameKind::Alive:
      case FrameKind::Waits:
      case FrameKind::Hello:  // the reader lets none through
        break;
    }
  }
  return std::nullopt;
}

auto Connection::counters() -> LinkCounters {
  std::lock_guard lock(channel_->read_mutex());
  LinkCounters counters = counters_;
  counters.bytes_received = reader_.n_data_bytes() - kept_.size();
  counters.messages_received = reader_.n_data_frames();
  return counters;
}

}  // namespace tacet::net
