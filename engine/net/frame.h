#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacet::net {

/// What a frame is for. The numbers are part of the format.
enum class FrameKind : uint8_t {
  Hello = 1,  ///< the first frame in each direction and no other: a greeting
  Data = 2,   ///< the next bytes of the stream
  Abort = 3,  ///< the run is over; whose fault it is, and why
  Bye = 4,    ///< the sender is done: only signs of life follow, or an abort
  Alive = 5,  ///< a sign of life
  Waits = 6,  ///< the same, of a party that itself waits for others
};

/// The format of frames, the same in every version of the protocol, all numbers little-endian:
///
///     0   4 bytes  length of the payload
///     4   1 byte   kind
///     5   3 bytes  zero
///     8   8 bytes  how many frames the sender sent before on this connection
///     16           payload
constexpr size_t kFrameHeaderSize = 16;
/// A longer frame is not read, from any sender. Long messages are cut into frames of this size.
constexpr size_t kMaxFramePayload = size_t{256} << 10;
/// The longest payload of a frame other than data.
constexpr size_t kMaxControlPayload = size_t{4} << 10;

using FrameHeader = std::array<std::byte, kFrameHeaderSize>;

[[nodiscard]] auto encode_frame_header(FrameKind kind, size_t payload_size, uint64_t sequence)
    -> FrameHeader;

/// A part of what a `FrameReader` was fed: some bytes of the data stream, or a whole frame of
/// another kind. `bytes` are valid until the next call.
struct FramePiece {
  FrameKind kind = FrameKind::Data;
  std::span<const std::byte> bytes;
};

/// Takes apart what one peer sends, whatever it sends and however it is cut: knows the lengths, the
/// numbers of frames, and which frame may follow which. Never keeps more than a header and
/// `kMaxControlPayload` bytes.
class FrameReader {
 public:
  /// Takes one piece from the front of `bytes`, which becomes what follows it; nothing if `bytes`
  /// is at its end before a piece is whole. After an error the reader is not used any more.
  [[nodiscard]] auto next(std::span<const std::byte>& bytes) -> Result<std::optional<FramePiece>>;

  /// How many bytes of the data stream come next, before the next header. So many may be taken past
  /// the reader, if it is reported with `skip_data`.
  [[nodiscard]] auto n_data_next() const -> size_t {
    return kind_ == FrameKind::Data && header_.empty() ? n_missing_ : 0;
  }
  void skip_data(size_t n) {
    n_missing_ -= n;
    n_data_bytes_ += n;
  }

  /// How many bytes are missing until the next header, or what follows it, is whole.
  [[nodiscard]] auto n_missing() const -> size_t {
    return n_missing_ > 0 ? n_missing_ : kFrameHeaderSize - header_.size();
  }

  /// How many frames of data began, and how much of the data stream was taken.
  [[nodiscard]] auto n_data_frames() const -> uint64_t { return n_data_frames_; }
  [[nodiscard]] auto n_data_bytes() const -> uint64_t { return n_data_bytes_; }

 private:
  [[nodiscard]] auto begin_frame() -> Status;

  std::vector<std::byte> header_;   ///< what is there of the next header
  std::vector<std::byte> control_;  ///< what is there of a frame that is not data
  FrameKind kind_ = FrameKind::Alive;
  size_t n_missing_ = 0;  ///< of the payload of the frame that began
  bool in_control_ = false;
  bool said_bye_ = false;
  uint64_t n_frames_ = 0;
  uint64_t n_data_frames_ = 0;
  uint64_t n_data_bytes_ = 0;
};

/// What an abort frame says.
struct AbortNotice {
  uint32_t party = 0;
  std::string reason;
};

/// The payload; the reason is cut at `kMaxReason` bytes.
constexpr size_t kMaxReason = 1000;
[[nodiscard]] auto encode_abort(const AbortNotice& notice) -> std::vector<std::byte>;
/// The reason is made safe to print (`printable`).
[[nodiscard]] auto decode_abort(std::span<const std::byte> payload, uint32_t n_parties)
    -> Result<AbortNotice>;

/// Text from outside for a message: bytes that are not printable ASCII become `?`.
[[nodiscard]] auto printable(std::string_view text) -> std::string;

}  // namespace tacet::net
