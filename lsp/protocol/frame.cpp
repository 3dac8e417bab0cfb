#include "lsp/protocol/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace tacet::lsp {

/// A header line longer than this is noise; only its end is kept to look for a header in.
static constexpr size_t kMaxLine = 8192;
static constexpr std::string_view kLengthHeader = "content-length:";

static auto lower(char c) -> char {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

static auto trim(std::string_view text) -> std::string_view {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Where `Content-Length:` begins in `line`, in any case, or npos.
static auto find_length_header(std::string_view line) -> size_t {
  auto found = std::search(line.begin(), line.end(), kLengthHeader.begin(), kLengthHeader.end(),
                           [](char a, char b) { return lower(a) == b; });
  return found == line.end() ? std::string_view::npos : static_cast<size_t>(found - line.begin());
}

/// Is `line` of the form `Name: value`, with a name made of letters, digits and `-`?
static auto is_header(std::string_view line) -> bool {
  size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    return false;
  }
  std::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void FrameReader::feed(std::string_view bytes) {
  compact();
  buffer_ += bytes;
}

/// Gives back the memory of what was consumed, seldom enough to cost nothing per byte.
void FrameReader::compact() {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    if (buffer_.capacity() > (size_t{1} << 20)) {
      buffer_.shrink_to_fit();
    }
  } else if (at_ >= buffer_.size() / 2) {
    buffer_.erase(0, at_);
  } else {
    return;
  }
  scanned_ = scanned_ > at_ ? scanned_ - at_ : 0;
  at_ = 0;
}

auto FrameReader::next() -> std::optional<Frame> {
  if (!in_body_) {
    if (auto error = read_headers()) {
      return *std::move(error);
    }
  }
  if (in_body_ && buffer_.size() - at_ >= *length_) {
    return take_body();
  }
  return std::nullopt;
}

auto FrameReader::take_body() -> std::string {
  std::string body = buffer_.substr(at_, *length_);
  at_ += *length_;
  scanned_ = at_;
  length_.reset();
  has_header_ = false;
  in_body_ = false;
  return body;
}

/// The next line without its end, or nothing while it is incomplete. The view is good
/// until the buffer changes.
auto FrameReader::take_line() -> std::optional<std::string_view> {
  size_t end = buffer_.find('\n', std::max(scanned_, at_));
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return std::nullopt;
  }
  std::string_view line = trim(std::string_view(buffer_).substr(at_, end - at_));
  at_ = end + 1;
  scanned_ = at_;
  return line;
}

auto FrameReader::read_headers() -> std::optional<FrameError> {
  while (auto line = take_line()) {
    if (!line->empty()) {
      if (auto error = read_header(*line)) {
        return error;
      }
      continue;
    }
    if (length_) {
      in_body_ = true;
      is_resyncing_ = false;
      return std::nullopt;
    }
    if (has_header_) {
      if (auto error = lose_sync("header block without Content-Length")) {
        return error;
      }
    }
  }
  if (buffer_.size() - at_ > kMaxLine) {
    at_ = buffer_.size() - kLengthHeader.size();
    return lose_sync("unterminated header line");
  }
  return std::nullopt;
}

auto FrameReader::read_header(std::string_view line) -> std::optional<FrameError> {
  size_t at = find_length_header(line);
  if (at == std::string_view::npos) {
    if (is_header(line)) {
      has_header_ = true;
      return std::nullopt;
    }
    return lose_sync("invalid header");
  }
  std::optional<FrameError> error;
  if (at > 0) {
    error = lose_sync("unexpected bytes before a header");
  }
  has_header_ = true;
  auto bad_length = read_length(trim(line.substr(at + kLengthHeader.size())));
  return error ? error : bad_length;
}

auto FrameReader::read_length(std::string_view digits) -> std::optional<FrameError> {
  uint64_t value = 0;
  auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool is_number = !digits.empty() && end == digits.data() + digits.size();
  if (is_number && status == std::errc{} && value <= max_body_) {
    length_ = static_cast<size_t>(value);
    return std::nullopt;
  }
  // The length is the client's text: it is shown cut, and only if it can be.
  bool is_printable =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= ' ' && c <= '~'; });
  std::string shown(is_printable ? digits.substr(0, 32) : "(unprintable)");
  if (is_number) {
    return lose_sync(fmt::format("Content-Length {} exceeds the limit of {}", shown, max_body_));
  }
  return lose_sync(fmt::format("invalid Content-Length `{}`", shown));
}

/// Forgets the header block read so far and reports it, unless the report of an
/// earlier piece of the same stretch stands for it.
auto FrameReader::lose_sync(std::string message) -> std::optional<FrameError> {
  length_.reset();
  has_header_ = false;
  if (std::exchange(is_resyncing_, true)) {
    return std::nullopt;
  }
  return FrameError{"malformed frame: " + std::move(message)};
}

auto frame(std::string_view body) -> std::string {
  const std::string head = fmt::format("Content-Length: {}\r\n\r\n", body.size());
  std::string out;
  out.reserve(head.size() + body.size());
  return (out += head) += body;
}

}  // namespace tacet::lsp
