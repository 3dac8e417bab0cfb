#include "engine/net/frame.h"

#include <algorithm>

#include "engine/net/little_endian.h"

namespace tacet::net {

auto encode_frame_header(FrameKind kind, size_t payload_size, uint64_t sequence) -> FrameHeader {
  FrameHeader header{};
  std::span<std::byte> bytes(header);
  store_little(bytes, static_cast<uint32_t>(payload_size));
  header[4] = static_cast<std::byte>(kind);
  store_little(bytes.subspan(8), sequence);
  return header;
}

/// The sizes that a frame of this kind may have.
static auto is_payload_size(FrameKind kind, size_t size) -> bool {
  switch (kind) {
    case FrameKind::Data:
      return size > 0 && size <= kMaxFramePayload;
    case FrameKind::Hello:
    case FrameKind::Abort:
      return size > 0 && size <= kMaxControlPayload;
    case FrameKind::Bye:
    case FrameKind::Alive:
    case FrameKind::Waits:
      return size == 0;
  }
  return false;
}

/// Reads a whole header.
auto FrameReader::begin_frame() -> Status {
  std::span<const std::byte> header(header_);
  auto size = load_little<uint32_t>(header);
  auto kind = std::to_integer<uint8_t>(header[4]);
  auto sequence = load_little<uint64_t>(header.subspan(8));
  if (kind < uint8_t(FrameKind::Hello) || kind > uint8_t(FrameKind::Waits) ||
      std::any_of(header.begin() + 5, header.begin() + 8,
                  [](std::byte byte) { return byte != std::byte{0}; })) {
    return Error{"sent an invalid frame"};
  }
  kind_ = static_cast<FrameKind>(kind);
  if (!is_payload_size(kind_, size)) {
    return Error{fmt::format("sent a frame of {} bytes, an invalid size for its kind", size)};
  }
  if (sequence != n_frames_) {
    return Error{fmt::format("sent frame {} instead of frame {}", sequence, n_frames_)};
  }
  if ((kind_ == FrameKind::Hello) != (n_frames_ == 0) && kind_ != FrameKind::Abort) {
    return Error{n_frames_ == 0 ? "sent data before its greeting" : "sent a second greeting"};
  }
  const bool is_sign = kind_ == FrameKind::Alive || kind_ == FrameKind::Waits;
  if (said_bye_ && !is_sign && kind_ != FrameKind::Abort) {
    return Error{"sent data after its goodbye"};
  }
  said_bye_ = said_bye_ || kind_ == FrameKind::Bye;
  n_missing_ = size;
  in_control_ = kind_ != FrameKind::Data;
  n_data_frames_ += in_control_ ? 0 : 1;
  ++n_frames_;
  header_.clear();
  control_.clear();
  return std::monostate();
}

/// Moves up to `n` bytes from the front of `bytes` to the end of `to`.
static void move_bytes(std::span<const std::byte>& bytes, size_t n, std::vector<std::byte>& to) {
  std::span<const std::byte> moved = bytes.first(std::min(n, bytes.size()));
  to.insert(to.end(), moved.begin(), moved.end());
  bytes = bytes.subspan(moved.size());
}

auto FrameReader::next(std::span<const std::byte>& bytes) -> Result<std::optional<FramePiece>> {
  std::optional<FramePiece> piece;
  if (n_missing_ == 0 && !in_control_) {
    move_bytes(bytes, kFrameHeaderSize - header_.size(), header_);
    if (header_.size() < kFrameHeaderSize) {
      return piece;
    }
    if (Status status = begin_frame(); !status) {
      return status.error();
    }
  }
  if (!in_control_) {
    std::span<const std::byte> data = bytes.first(std::min(n_missing_, bytes.size()));
    bytes = bytes.subspan(data.size());
    skip_data(data.size());
    if (!data.empty()) {
      piece = FramePiece{FrameKind::Data, data};
    }
    return piece;
  }
  size_t n_before = control_.size();
  move_bytes(bytes, n_missing_, control_);
  n_missing_ -= control_.size() - n_before;
  if (n_missing_ == 0) {
    in_control_ = false;
    piece = FramePiece{kind_, control_};
  }
  return piece;
}

auto encode_abort(const AbortNotice& notice) -> std::vector<std::byte> {
  std::vector<std::byte> payload;
  append_little<uint32_t>(payload, notice.party);
  std::span<const std::byte> reason = bytes_of(notice.reason);
  reason = reason.first(std::min(reason.size(), kMaxReason));
  payload.insert(payload.end(), reason.begin(), reason.end());
  return payload;
}

auto decode_abort(std::span<const std::byte> payload, uint32_t n_parties) -> Result<AbortNotice> {
  PayloadReader reader(payload);
  AbortNotice notice;
  notice.party = reader.number<uint32_t>();
  if (reader.failed() || notice.party >= n_parties || reader.n_left() > kMaxReason) {
    return Error{"sent a malformed abort message"};
  }
  notice.reason = printable(reader.text(reader.n_left()));
  return notice;
}

auto printable(std::string_view text) -> std::string {
  std::string safe(text);
  for (char& c : safe) {
    c = c >= ' ' && c <= '~' ? c : '?';
  }
  return safe;
}

}  // namespace tacet::net
