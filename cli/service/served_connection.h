#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "cli/service/connection.h"
#include "engine/net/channel.h"

/// One connection as a state machine. Private to this folder: one of the headers that bring
/// Boost.Asio along.
namespace tacet::service {

/// So much is read or written for one connection before others have their chance.
constexpr size_t kBytesAtOnce = size_t{512} << 10;
/// A client that does not read its answers is not read from, beyond so many.
constexpr size_t kMostUnsent = 64;
/// When a client may try again that found the service busy.
constexpr uint32_t kRetryBusy = 1000;

/// What is to be written.
struct Outgoing {
  he::Bytes bytes;
  std::shared_ptr<Job> job{};  ///< of results: holds their memory until they are written
  size_t n_written = 0;
};

/// Not in the header of connections, whose users need not know of sockets.
class ServedConnection final : public Connection,
                               public std::enable_shared_from_this<ServedConnection> {
 public:
  ServedConnection(int fd, std::string address, uint64_t number, Hub& hub)
      : hub_(hub),
        number_(number),
        address_(std::move(address)),
        admission_(hub.admission),
        channel_(fd),
        descriptor_(hub.context, fd),
        pause_(hub.context) {}
  ~ServedConnection() override {
    descriptor_.release();
    if (client_) {
      --client_->n_connections;
    }
  }

  void start() {
    ssl_st* tls = admission_->tls.new_connection(net::TlsContext::Role::Accepts);
    if (tls == nullptr) {
      close("the service is out of memory");
      return;
    }
    channel_.start_tls(tls);
    step();
  }

  void check_times(Clock::time_point now) override;
  [[nodiscard]] auto accept_message() -> Accepts override;
  void deliver(const std::shared_ptr<Job>& job) override;
  void drain() override;
  void check_admission() override;
  [[nodiscard]] auto unproven_since() const -> std::optional<Clock::time_point> override {
    return phase_ == Phase::Handshake ? std::optional(opened_) : std::nullopt;
  }
  void close(std::string_view reason) override;

 private:
  enum class Phase : uint8_t {
    Handshake,
    Greeting,  ///< it is a client
    Open,
    Ending,  ///< nothing is read any more but to its end
  };
  /// What comes next from the client.
  enum class Reading : uint8_t { Header, Short, Preamble, Waiting, Payload, Skipping };
  enum class AfterIt : uint8_t { Continue, End };

  void step();
  void shake_hands();
  void meet_client();
  void read_some();
  [[nodiscard]] auto wants_to_read() const -> bool;
  [[nodiscard]] auto read_target() -> std::span<std::byte>;
  [[nodiscard]] auto bandwidth_left(size_t wanted) -> size_t;
  void take(size_t n);
  void begin_message();
  void begin_preamble();
  void greet();
  void check_preamble();
  void check_keys();
  void check_request(const cli::Belonging& belonging);
  void wait_for_acceptance();
  void begin_payload();
  void end_payload();
  void skip_rest();
  void expect_header();
  void report_refusal(uint64_t id, const Refusal& refusal);
  void refuse(const Refusal& refusal, AfterIt after = AfterIt::Continue);
  void send(MessageKind kind, uint64_t id, std::span<const std::byte> payload);
  void send(Outgoing message);
  void end_if_written();
  void write_some();
  void wait_to_read();
  void wait_to_write();
  void lose(const net::IoResult& result);
  void end_if_drained();

  [[nodiscard]] auto transfer_time(uint64_t size) const -> milliseconds {
    return hub_.limits.transfer + milliseconds(1000 * size / hub_.limits.slowest);
  }

  Hub& hub_;
  const uint64_t number_;
  const std::string address_;
  const std::shared_ptr<const Admission> admission_;
  net::Channel channel_;
  boost::asio::posix::stream_descriptor descriptor_;  ///< of the channel's socket
  boost::asio::steady_timer pause_;
  std::shared_ptr<ClientAccount> client_;
  Phase phase_ = Phase::Handshake;
  bool is_closed_ = false;
  bool is_draining_ = false;
  bool has_ended_writing_ = false;
  bool waits_to_read_ = false;
  bool waits_to_write_ = false;
  bool is_paused_ = false;  ///< for the client's bandwidth

  Reading reading_ = Reading::Header;
  std::array<std::byte, kMessageHeaderSize> header_bytes_{};
  MessageHeader header_{};
  std::array<std::byte, std::max(kKeysPreamble, kRequestPreamble)> preamble_{};
  size_t n_read_ = 0;  ///< of the header, or of the payload
  std::shared_ptr<Job> incoming_;
  std::set<std::shared_ptr<Job>> jobs_;
  std::deque<Outgoing> unsent_;

  Clock::time_point opened_ = Clock::now();
  Clock::time_point last_activity_ = opened_;
  Clock::time_point read_deadline_{};   ///< of the message that is being read
  Clock::time_point write_deadline_{};  ///< of what is unsent
  Clock::time_point accept_deadline_{};
  Clock::time_point end_deadline_{};
};

}  // namespace tacet::service
