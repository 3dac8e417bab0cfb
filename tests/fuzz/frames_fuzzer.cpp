// What a peer sends may be anything, in pieces of any size. However it is cut, the reader of frames
// finds the same in it; what it accepts as a greeting or an abort parses safely.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "engine/net/frame.h"
#include "engine/net/greeting.h"
#include "engine/net/little_endian.h"

namespace tacet::net {
namespace {

/// What the reader saw: the data as one text, other frames in brackets, and the error that ended
/// it.
struct Seen {
  std::string text;
  std::string error;
  uint64_t n_data_bytes = 0;
};

void read_control(const FramePiece& piece) {
  if (piece.kind == FrameKind::Hello) {
    Result<Greeting> greeting = decode_greeting(piece.bytes);
    if (greeting && greeting->version == kLinkVersion) {
      Result<Greeting> again = decode_greeting(encode_greeting(*greeting));
      TACET_CHECK(again && !find_disagreement(*greeting, *again), "a greeting reads as printed");
    }
  }
  if (piece.kind == FrameKind::Abort) {
    Result<AbortNotice> notice = decode_abort(piece.bytes, 3);
    TACET_CHECK(!notice || (notice->party < 3 && notice->reason.size() <= kMaxReason),
                "an abort names a party");
  }
}

auto read_in_pieces(std::span<const std::byte> stream, size_t piece_size) -> Seen {
  Seen seen;
  FrameReader reader;
  for (size_t at = 0; at < stream.size(); at += piece_size) {
    std::span<const std::byte> bytes = stream.subspan(at, std::min(piece_size, stream.size() - at));
    while (!bytes.empty()) {
      if (size_t n = std::min(reader.n_data_next(), bytes.size()); n > 0 && piece_size % 2 == 0) {
        seen.text += text_of(bytes.first(n));  // past the reader, as links do
        reader.skip_data(n);
        bytes = bytes.subspan(n);
        continue;
      }
      Result<std::optional<FramePiece>> piece = reader.next(bytes);
      if (!piece) {
        seen.error = piece.error().message;
        return seen;
      }
      if (!*piece) {
        TACET_CHECK(bytes.empty(), "the reader takes what it can");
      } else if ((*piece)->kind == FrameKind::Data) {
        seen.text += text_of((*piece)->bytes);
      } else {
        read_control(**piece);
        seen.text += "[" + text_of((*piece)->bytes) + "]";
      }
    }
  }
  seen.n_data_bytes = reader.n_data_bytes();
  return seen;
}

}  // namespace
}  // namespace tacet::net

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet::net;
  std::span<const std::byte> stream = std::as_bytes(std::span(data, size));
  Seen whole = read_in_pieces(stream, size + 1);
  for (const size_t piece_size : {1U, 2U, 7U, 16U, 64U}) {
    Seen seen = read_in_pieces(stream, piece_size);
    TACET_CHECK(seen.text == whole.text && seen.error == whole.error &&
                    seen.n_data_bytes == whole.n_data_bytes,
                "however it is cut");
  }
  return 0;
}
