#include "cli/service/wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/net/frame.h"
#include "engine/net/little_endian.h"

namespace tacet::service {

using net::append_little;
using net::load_little;
using net::PayloadReader;
using net::store_little;

static constexpr std::string_view kGreeting = "tacet service";

auto kind_name(MessageKind kind) -> std::string_view {
  switch (kind) {
    case MessageKind::Hello:
      return "hello";
    case MessageKind::Keys:
      return "keys";
    case MessageKind::Request:
      return "request";
    case MessageKind::Welcome:
      return "welcome";
    case MessageKind::Stored:
      return "stored";
    case MessageKind::Results:
      return "results";
    case MessageKind::Refusal:
      return "refusal";
  }
  return "";
}

auto reason_name(RefusalReason reason) -> std::string_view {
  switch (reason) {
    case RefusalReason::Malformed:
      return "malformed";
    case RefusalReason::Version:
      return "version";
    case RefusalReason::TooLarge:
      return "too_large";
    case RefusalReason::UnknownProgram:
      return "unknown_program";
    case RefusalReason::UnknownKeys:
      return "unknown_keys";
    case RefusalReason::ReplayedRequest:
      return "replayed_request";
    case RefusalReason::Busy:
      return "busy";
    case RefusalReason::Rate:
      return "rate";
    case RefusalReason::TimedOut:
      return "timed_out";
    case RefusalReason::Draining:
      return "draining";
    case RefusalReason::Failed:
      return "failed";
    case RefusalReason::NotAdmitted:
      return "not_admitted";
    case RefusalReason::Internal:
      return "internal";
  }
  return "";
}

auto encode_header(const MessageHeader& header) -> std::array<std::byte, kMessageHeaderSize> {
  std::array<std::byte, kMessageHeaderSize> bytes{};
  store_little<uint64_t>(bytes, header.size);
  bytes[8] = static_cast<std::byte>(header.kind);
  store_little<uint64_t>(std::span(bytes).subspan(16), header.id);
  return bytes;
}

auto decode_header(std::span<const std::byte, kMessageHeaderSize> bytes) -> Result<MessageHeader> {
  const MessageHeader header{.kind = static_cast<MessageKind>(bytes[8]),
                             .id = load_little<uint64_t>(bytes.subspan(16)),
                             .size = load_little<uint64_t>(bytes)};
  const auto zeros = bytes.subspan(9, 7);
  if (kind_name(header.kind).empty() ||
      std::any_of(zeros.begin(), zeros.end(), [](std::byte byte) { return byte != std::byte{}; })) {
    return Error{"sent an invalid message"};
  }
  return header;
}

auto encode_hello(uint32_t version) -> Bytes {
  const auto text = net::bytes_of(kGreeting);
  Bytes bytes(text.begin(), text.end());
  append_little<uint32_t>(bytes, version);
  return bytes;
}

auto decode_hello(std::span<const std::byte> payload) -> Result<uint32_t> {
  PayloadReader reader(payload);
  const std::string text = reader.text(kGreeting.size());
  const auto version = reader.number<uint32_t>();
  if (text != kGreeting || !reader.at_end()) {
    return Error{"is not a client of a Tacet service"};
  }
  return version;
}

auto encode_welcome(const Welcome& welcome) -> Bytes {
  Bytes bytes;
  append_little<uint64_t>(bytes, welcome.most_keys);
  append_little<uint64_t>(bytes, welcome.most_request);
  append_little<uint32_t>(bytes, static_cast<uint32_t>(welcome.programs.size()));
  for (const cli::FileDigest& digest : welcome.programs) {
    bytes.insert(bytes.end(), digest.begin(), digest.end());
  }
  return bytes;
}

auto decode_welcome(std::span<const std::byte> payload) -> Result<Welcome> {
  PayloadReader reader(payload);
  Welcome welcome{.most_keys = reader.number<uint64_t>(),
                  .most_request = reader.number<uint64_t>()};
  const auto n_programs = reader.number<uint32_t>();
  if (reader.failed() || reader.n_left() != uint64_t{n_programs} * sizeof(cli::FileDigest)) {
    return Error{"sent a malformed greeting"};
  }
  for (uint32_t i = 0; i < n_programs; ++i) {
    const auto digest = payload.last((n_programs - i) * sizeof(cli::FileDigest));
    std::copy_n(digest.begin(), sizeof(cli::FileDigest), welcome.programs.emplace_back().begin());
  }
  return welcome;
}

auto encode_refusal(const Refusal& refusal) -> Bytes {
  Bytes bytes;
  append_little<uint16_t>(bytes, static_cast<uint16_t>(refusal.reason));
  append_little<uint32_t>(bytes, refusal.retry_milliseconds);
  const auto text = net::bytes_of(std::string_view(refusal.text).substr(0, kMostRefusalText));
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

auto decode_refusal(std::span<const std::byte> payload) -> Result<Refusal> {
  PayloadReader reader(payload);
  Refusal refusal{.reason = static_cast<RefusalReason>(reader.number<uint16_t>()),
                  .retry_milliseconds = reader.number<uint32_t>()};
  if (reader.failed() || reason_name(refusal.reason).empty() ||
      reader.n_left() > kMostRefusalText) {
    return Error{"sent a malformed refusal"};
  }
  refusal.text = net::printable(reader.text(reader.n_left()));
  return refusal;
}

auto short_digest(const cli::FileDigest& digest) -> std::string {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < kShown; ++i) {
    text += fmt::format("{:02x}", static_cast<unsigned>(digest[i]));
  }
  return text;
}

}  // namespace tacet::service
