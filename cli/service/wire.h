#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/run/exchange_format.h"

/// What a client and a service send each other over TLS: messages, each a header of fixed size and
/// a payload of the length that the header states. docs/subsystems/service.md has the format.
namespace tacet::service {

using Bytes = std::vector<std::byte>;

/// The numbers are part of the format.
enum class MessageKind : uint8_t {
  // From the client.
  Hello = 1,    ///< the first message and no other
  Keys = 2,     ///< evaluation keys: their digest, then the bytes of `ExchangeFile::Keys`
  Request = 3,  ///< a nonce, then the bytes of `ExchangeFile::Inputs`
  // From the service.
  Welcome = 16,  ///< the answer to a greeting
  Stored = 17,   ///< the service holds the keys
  Results = 18,  ///< the nonce of the request, then the bytes of `ExchangeFile::Results`
  Refusal = 19,  ///< why a message has no other answer
};

/// In lower case, as logs and metrics call it.
auto kind_name(MessageKind kind) -> std::string_view;

/// All numbers little-endian: the length of the payload (8 bytes), the kind (1), zeros (7), and the
/// number of the message (8), which its answer repeats.
struct MessageHeader {
  MessageKind kind = MessageKind::Hello;
  uint64_t id = 0;
  uint64_t size = 0;  ///< of the payload

  friend auto operator==(const MessageHeader&, const MessageHeader&) -> bool = default;
};
constexpr size_t kMessageHeaderSize = 24;

/// Of anything that is neither keys, inputs nor results.
constexpr size_t kMostShortPayload = size_t{64} << 10;

auto encode_header(const MessageHeader& header) -> std::array<std::byte, kMessageHeaderSize>;
/// An error if it is not a header. The size is not compared with anything.
auto decode_header(std::span<const std::byte, kMessageHeaderSize> bytes) -> Result<MessageHeader>;

constexpr uint32_t kWireVersion = 1;

/// A greeting says which protocol it is, and its version.
auto encode_hello(uint32_t version) -> Bytes;
/// The version, if it is a greeting.
auto decode_hello(std::span<const std::byte> payload) -> Result<uint32_t>;

/// What a service offers.
struct Welcome {
  uint64_t most_keys = 0;     ///< bytes of the payload of `Keys`
  uint64_t most_request = 0;  ///< of `Request`
  std::vector<cli::FileDigest> programs{};

  friend auto operator==(const Welcome&, const Welcome&) -> bool = default;
};
auto encode_welcome(const Welcome& welcome) -> Bytes;
auto decode_welcome(std::span<const std::byte> payload) -> Result<Welcome>;

/// Random, of a request; results repeat it.
using Nonce = std::array<std::byte, 16>;

/// Why a message has no other answer. The numbers are part of the format.
enum class RefusalReason : uint16_t {
  Malformed = 1,        ///< the message, or what is in it
  Version = 2,          ///< of the protocol
  TooLarge = 3,         ///< more bytes than the service takes
  UnknownProgram = 4,   ///< it evaluates others
  UnknownKeys = 5,      ///< not held, or not any more: they have to be sent first
  ReplayedRequest = 6,  ///< the nonce of an earlier one
  Busy = 7,             ///< too much was waiting for too long
  Rate = 8,             ///< more requests than the client may send
  TimedOut = 9,         ///< the client, or the evaluation
  Draining = 10,        ///< the service ends
  Failed = 11,          ///< the evaluation
  NotAdmitted = 12,     ///< the client, its certificate being known
  Internal = 13,        ///< a bug
};
constexpr size_t kRefusalReasons = 13;

/// In lower case with underscores, as logs and metrics call it.
auto reason_name(RefusalReason reason) -> std::string_view;

struct Refusal {
  RefusalReason reason = RefusalReason::Malformed;
  uint32_t retry_milliseconds = 0;  ///< when another attempt may succeed; 0: it will not
  std::string text{};               ///< for people

  friend auto operator==(const Refusal&, const Refusal&) -> bool = default;
};
/// The text is cut at `kMostRefusalText` bytes.
constexpr size_t kMostRefusalText = 1000;
auto encode_refusal(const Refusal& refusal) -> Bytes;
/// The text is made safe to print.
auto decode_refusal(std::span<const std::byte> payload) -> Result<Refusal>;

/// What of the payload of `Keys` or `Request` is read before the rest is accepted: the digest or
/// nonce, and the header of the exchange file.
constexpr size_t kKeysPreamble = sizeof(cli::FileDigest) + cli::kExchangeHeaderSize;
constexpr size_t kRequestPreamble = sizeof(Nonce) + cli::kExchangeHeaderSize;

/// Hexadecimal, the first bytes of a digest: enough for people to compare.
auto short_digest(const cli::FileDigest& digest) -> std::string;

}  // namespace tacet::service
