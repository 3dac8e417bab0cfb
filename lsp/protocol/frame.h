#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tacet::lsp {

/// What went wrong between two frames, in words for the client's log.
struct FrameError {
  std::string message;
};

/// The body of one message, or why a stretch of the input was no message.
using Frame = std::variant<std::string, FrameError>;

/// Cuts a byte stream into message bodies by their `Content-Length` headers.
///
/// Header names are compared without case, `\n` alone ends a line too, other headers
/// are ignored, and bytes may arrive in pieces of any size. After a header block that
/// makes no sense the reader continues at the next `Content-Length` it can find, however much lies
/// between, and reports the stretch once.
class FrameReader {
 public:
  /// Larger bodies are rejected: 512 MiB holds any source file that a `TextRange` can.
  static constexpr size_t kMaxBody = size_t{512} << 20;

  explicit FrameReader(size_t max_body = kMaxBody) : max_body_(max_body) {}

  /// Appends what was read from the client.
  void feed(std::string_view bytes);

  /// The next body or error, or nothing while more bytes are needed.
  auto next() -> std::optional<Frame>;

  /// True between two frames: nothing was fed that `next` has not given back.
  [[nodiscard]] auto is_idle() const -> bool {
    return at_ == buffer_.size() && !length_ && !is_resyncing_;
  }

 private:
  auto take_line() -> std::optional<std::string_view>;
  auto read_headers() -> std::optional<FrameError>;
  auto read_header(std::string_view line) -> std::optional<FrameError>;
  auto read_length(std::string_view digits) -> std::optional<FrameError>;
  auto lose_sync(std::string message) -> std::optional<FrameError>;
  auto take_body() -> std::string;
  void compact();

  size_t max_body_;
  std::string buffer_;
  /// Everything before is consumed.
  size_t at_ = 0;
  /// No line end is in `[at_, scanned_)`.
  size_t scanned_ = 0;
  std::optional<size_t> length_;
  bool has_header_ = false;
  bool in_body_ = false;
  bool is_resyncing_ = false;
};

/// `body` with the header in front that a reader needs.
auto frame(std::string_view body) -> std::string;

}  // namespace tacet::lsp
