#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tacet::net {

/// The number of a party of a run, from 0.
using Rank = uint32_t;

/// A run is over: whose fault it is, and why. The reason is shown to every party, so it never holds
/// a secret.
struct LinkError {
  Rank party = 0;
  std::string reason;
};

/// Nothing, or why the links work no more.
using LinkStatus = std::optional<LinkError>;

/// The reason of a party whose run was cancelled.
inline constexpr std::string_view kCancelled = "was cancelled";

/// When a thread that waits must see whether it was cancelled: soon if it can be.
auto next_look() -> std::chrono::steady_clock::time_point;

/// What went over the link to one party. Bytes are those given to `send` and got from `receive`;
/// messages are the frames that carried them, each with `kFrameHeaderSize` bytes more. Greetings,
/// signs of life and encryption are not counted.
struct LinkCounters {
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
  uint64_t messages_sent = 0;
  uint64_t messages_received = 0;
};

/// How long is waited for what.
struct TimeLimits {
  /// Until all parties are there.
  std::chrono::milliseconds connect{30'000};
  /// For any sign of life of a party. Parties give one every third of this time, however long they
  /// compute, so that this need not be raised for long programs.
  std::chrono::milliseconds silence{20'000};
  /// For what `receive` asks for: a party that lives, but sends nothing, ends the run after this.
  /// One that says that it waits for others itself has the time of `silence` more, so that the one
  /// that all wait for is named. Parties that compute for longer between two messages need more.
  std::chrono::milliseconds patience{30'000};
};

/// The byte streams between one party and all others: one in each direction, reliable and in order.
///
/// The first failure of any party ends the links of all: every call from then on gives that error,
/// the same on every side, and what was received is not to be trusted to be complete. A party that
/// goes without `finish` has failed too.
///
/// Used from one thread at a time. Ranks given are below `n_parties` and not the own one.
class Links {
 public:
  Links() = default;
  Links(const Links&) = delete;
  auto operator=(const Links&) -> Links& = delete;
  /// Without a `finish` or `abort` before, the others are informed that this party left.
  virtual ~Links() = default;

  [[nodiscard]] virtual auto rank() const -> Rank = 0;
  [[nodiscard]] virtual auto n_parties() const -> Rank = 0;
  /// How messages name a party.
  [[nodiscard]] virtual auto name(Rank party) const -> std::string = 0;

  /// Appends to what goes to `to`, by copy. Large amounts begin to leave at once; the rest leaves
  /// with `flush`. Waits only while more than the links' buffer for `to` is unsent. A failure is
  /// reported by the next call that gives a status.
  virtual void send(Rank to, std::span<const std::byte> bytes) = 0;

  /// Everything appended so far goes out, without being waited for.
  [[nodiscard]] virtual auto flush() -> LinkStatus = 0;

  /// Waits for exactly as many bytes from `from` as fit into `into`. What this party appended and
  /// did not flush is not sent by this.
  [[nodiscard]] virtual auto receive(Rank from, std::span<std::byte> into) -> LinkStatus = 0;

  /// Flushes, informs the others that this party is done, and waits until all of them are. Only
  /// after this are results known to be everybody's. Only counters may be read afterwards.
  [[nodiscard]] virtual auto finish() -> LinkStatus = 0;

  /// This party cannot continue: the others end with an error that names it and the reason.
  virtual void abort(std::string reason) = 0;

  [[nodiscard]] virtual auto counters(Rank peer) const -> LinkCounters = 0;
};

/// `alice: the connection was closed`, for people.
[[nodiscard]] auto describe(const Links& links, const LinkError& error) -> std::string;

/// `20 s`, or `50 ms` if it is not whole seconds.
[[nodiscard]] auto describe(std::chrono::milliseconds time) -> std::string;

}  // namespace tacet::net
