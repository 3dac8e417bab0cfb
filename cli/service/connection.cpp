#include "cli/service/connection.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "engine/net/channel.h"
#include "engine/net/credentials.h"

namespace tacet::service {

namespace asio = boost::asio;
using boost::system::error_code;
using State = net::IoResult::State;

namespace {

/// So much is read or written for one connection before others have their chance.
constexpr size_t kBytesAtOnce = size_t{512} << 10;
/// A client that does not read its answers is not read from, beyond so many.
constexpr size_t kMostUnsent = 64;
/// When a client may try again that found the service busy.
constexpr uint32_t kRetryBusy = 1000;

/// What is to be written.
struct Outgoing {
  Bytes head;
  he::Bytes results{};         ///< behind it
  std::shared_ptr<Job> job{};  ///< holds its memory until it is written
  size_t n_written = 0;        ///< of both

  [[nodiscard]] auto size() const -> size_t { return head.size() + results.size(); }
};

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
  void send(MessageKind kind, uint64_t id, std::span<const std::byte> payload,
            std::shared_ptr<Job> job = nullptr);
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
  asio::posix::stream_descriptor descriptor_;  ///< of the channel's socket
  asio::steady_timer pause_;
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

/// After every event.
void ServedConnection::step() {
  if (phase_ == Phase::Handshake) {
    shake_hands();
  }
  if (phase_ != Phase::Handshake && !is_closed_) {
    write_some();  // and reads
  }
}

void ServedConnection::shake_hands() {
  const net::IoResult result = channel_.handshake();
  switch (result.state) {
    case State::Moved:
      meet_client();
      break;
    case State::WouldBlock:
      wait_to_read();
      break;
    case State::Closed:
    case State::Failed:
      ++hub_.metrics.n_handshakes_failed;
      close(result.state == State::Closed ? "closed before it authenticated" : result.reason);
      break;
  }
}

void ServedConnection::meet_client() {
  const size_t place = admission_->tls.peer_of(channel_.tls());
  if (place >= admission_->clients.size()) {
    ++hub_.metrics.n_handshakes_failed;
    close("presented a certificate that is not among the clients'");
    return;
  }
  const AdmittedClient& shown = admission_->clients[place];
  std::shared_ptr<ClientAccount>& account = hub_.accounts[shown.fingerprint];
  if (!account) {
    account = std::make_shared<ClientAccount>(shown.name, shown.fingerprint, hub_.limits);
  }
  client_ = account;
  ++client_->n_connections;
  phase_ = Phase::Greeting;
  hub_.log.write(LogLevel::Debug, "connected",
                 {{"connection", number_}, {"client", client_->name}, {"address", address_}});
  header_ = {};
  if (const std::string problem = net::validity_problem(shown.certificate); !problem.empty()) {
    refuse({.reason = RefusalReason::NotAdmitted, .text = "this client " + problem}, AfterIt::End);
  } else if (client_->n_connections > hub_.limits.client_connections) {
    refuse(
        {.reason = RefusalReason::Busy,
         .retry_milliseconds = kRetryBusy,
         .text = fmt::format("a client may have {} connections", hub_.limits.client_connections)},
        AfterIt::End);
  }
}

auto ServedConnection::wants_to_read() const -> bool {
  return !is_closed_ && !is_paused_ &&
         (phase_ == Phase::Ending ||
          (!is_draining_ && reading_ != Reading::Waiting && unsent_.size() < kMostUnsent));
}

/// Where the next bytes go; `Skipping` and the end have no place for them.
auto ServedConnection::read_target() -> std::span<std::byte> {
  switch (reading_) {
    case Reading::Header:
      return std::span(header_bytes_).subspan(n_read_);
    case Reading::Short:
      return std::span(preamble_).first(header_.size).subspan(n_read_);
    case Reading::Preamble:
      return std::span(preamble_)
          .first(header_.kind == MessageKind::Keys ? kKeysPreamble : kRequestPreamble)
          .subspan(n_read_);
    case Reading::Payload:
      return std::span(incoming_->payload.get(), header_.size).subspan(n_read_);
    case Reading::Waiting:
    case Reading::Skipping:
      break;
  }
  return {};
}

/// How many of these bytes the client may send now; 0 pauses reading.
auto ServedConnection::bandwidth_left(size_t wanted) -> size_t {
  if (!client_ || hub_.limits.client_bandwidth == 0 || phase_ == Phase::Ending) {
    return wanted;
  }
  const double available = client_->bytes.available(Clock::now());
  if (available >= 1) {
    return std::min(wanted, static_cast<size_t>(std::min(available, 1e15)));
  }
  // An eighth of a second's worth, so that pauses are few.
  const milliseconds time =
      client_->bytes.time_until(static_cast<double>(hub_.limits.client_bandwidth) / 8);
  is_paused_ = true;
  read_deadline_ += time;
  pause_.expires_after(time);
  pause_.async_wait([weak = weak_from_this()](error_code) {
    if (const auto self = weak.lock(); self && !self->is_closed_) {
      self->is_paused_ = false;
      self->step();
    }
  });
  return 0;
}

void ServedConnection::read_some() {
  const auto self = shared_from_this();
  size_t left = kBytesAtOnce;
  while (wants_to_read() && left > 0) {
    std::array<std::byte, size_t{16} << 10> ignored;
    const bool is_ignored = phase_ == Phase::Ending || reading_ == Reading::Skipping;
    const uint64_t n_ignored = phase_ == Phase::Ending
                                   ? ignored.size()
                                   : std::min<uint64_t>(header_.size - n_read_, ignored.size());
    std::span<std::byte> target =
        is_ignored ? std::span(ignored).first(static_cast<size_t>(n_ignored)) : read_target();
    target = target.first(bandwidth_left(std::min(target.size(), left)));
    if (target.empty()) {
      return;
    }
    const net::IoResult result = channel_.read(target);
    switch (result.state) {
      case State::Moved:
        left -= result.n;
        hub_.metrics.n_bytes_received += result.n;
        last_activity_ = Clock::now();
        if (client_) {
          client_->bytes.take(static_cast<double>(result.n));
        }
        if (phase_ != Phase::Ending) {
          take(result.n);
        }
        break;
      case State::WouldBlock:
        wait_to_read();
        return;
      case State::Closed:
      case State::Failed:
        lose(result);
        return;
    }
  }
  if (wants_to_read()) {
    asio::post(hub_.context, [weak = weak_from_this()] {
      if (const auto again = weak.lock(); again && !again->is_closed_) {
        again->read_some();
      }
    });
  }
}

/// More of what was expected is there.
void ServedConnection::take(size_t n) {
  if (reading_ == Reading::Header && n_read_ == 0) {
    read_deadline_ = Clock::now() + transfer_time(0);
  }
  n_read_ += n;
  switch (reading_) {
    case Reading::Header:
      if (n_read_ == header_bytes_.size()) {
        begin_message();
      }
      break;
    case Reading::Short:
      if (n_read_ == header_.size) {
        greet();
      }
      break;
    case Reading::Preamble:
      if (read_target().empty()) {
        check_preamble();
      }
      break;
    case Reading::Payload:
      if (n_read_ == header_.size) {
        end_payload();
      }
      break;
    case Reading::Skipping:
      if (n_read_ == header_.size) {
        expect_header();
      }
      break;
    case Reading::Waiting:
      break;
  }
}

void ServedConnection::expect_header() {
  reading_ = Reading::Header;
  n_read_ = 0;
}

void ServedConnection::begin_message() {
  Result<MessageHeader> header = decode_header(header_bytes_);
  n_read_ = 0;
  if (!header) {
    header_ = {};
    refuse({.reason = RefusalReason::Malformed, .text = "this is not a message of the protocol"},
           AfterIt::End);
    return;
  }
  header_ = *header;
  const bool is_greeting = header_.kind == MessageKind::Hello;
  const bool is_long = header_.kind == MessageKind::Keys || header_.kind == MessageKind::Request;
  if (is_greeting != (phase_ == Phase::Greeting) || (!is_greeting && !is_long)) {
    refuse({.reason = RefusalReason::Malformed,
            .text = fmt::format("a message `{}` is not expected here", kind_name(header_.kind))},
           AfterIt::End);
    return;
  }
  if (is_greeting) {
    if (header_.size == 0 || header_.size > preamble_.size()) {
      refuse({.reason = RefusalReason::Malformed, .text = "a malformed greeting"}, AfterIt::End);
      return;
    }
    reading_ = Reading::Short;
    return;
  }
  begin_preamble();
}

/// Of keys or a request: what comes first says whether the rest is wanted.
void ServedConnection::begin_preamble() {
  const bool is_keys = header_.kind == MessageKind::Keys;
  const uint64_t most = is_keys ? hub_.limits.most_keys : hub_.limits.most_request;
  if (header_.size > most) {
    refuse({.reason = RefusalReason::TooLarge,
            .text = fmt::format("{} of {} bytes are too large; the limit of this service is {}",
                                is_keys ? "keys" : "inputs", header_.size, most)},
           AfterIt::End);
    return;
  }
  if (header_.size < (is_keys ? kKeysPreamble : kRequestPreamble)) {
    refuse({.reason = RefusalReason::Malformed, .text = "the message is too short"}, AfterIt::End);
    return;
  }
  reading_ = Reading::Preamble;
}

void ServedConnection::greet() {
  Result<uint32_t> version = decode_hello(std::span(preamble_).first(header_.size));
  if (!version) {
    refuse({.reason = RefusalReason::Malformed, .text = "a malformed greeting"}, AfterIt::End);
    return;
  }
  if (*version != kWireVersion) {
    refuse({.reason = RefusalReason::Version,
            .text = fmt::format("this service uses version {} of the protocol; the client uses {}",
                                kWireVersion, *version)},
           AfterIt::End);
    return;
  }
  Welcome welcome{.most_keys = hub_.limits.most_keys, .most_request = hub_.limits.most_request};
  for (const auto& program : hub_.programs) {
    welcome.programs.push_back(program->digest());
  }
  phase_ = Phase::Open;
  send(MessageKind::Welcome, header_.id, encode_welcome(welcome));
  expect_header();
}

void ServedConnection::check_preamble() {
  const bool is_keys = header_.kind == MessageKind::Keys;
  const auto exchanged = std::span(preamble_).subspan(
      is_keys ? sizeof(cli::FileDigest) : sizeof(Nonce), cli::kExchangeHeaderSize);
  Result<cli::Belonging> belonging =
      cli::read_header({is_keys ? "keys" : "request", exchanged},
                       is_keys ? cli::ExchangeFile::Keys : cli::ExchangeFile::Inputs);
  if (!belonging) {
    refuse({.reason = RefusalReason::Malformed, .text = belonging.error().message});
    return;
  }
  const std::optional<size_t> program = find_program(hub_, belonging->program);
  if (!program) {
    refuse({.reason = RefusalReason::UnknownProgram,
            .text = fmt::format("this service does not evaluate the program {}",
                                short_digest(belonging->program))});
    return;
  }
  auto job = std::make_shared<Job>();
  job->connection = weak_from_this();
  job->client = client_;
  job->header = header_;
  job->program = *program;
  incoming_ = std::move(job);
  if (is_keys) {
    check_keys();
  } else {
    check_request(*belonging);
  }
}

void ServedConnection::check_keys() {
  std::copy_n(preamble_.begin(), sizeof(cli::FileDigest), incoming_->digest.begin());
  if (hub_.keys.find(client_->fingerprint, incoming_->digest)) {
    incoming_.reset();
    send(MessageKind::Stored, header_.id, {});
    skip_rest();
    return;
  }
  wait_for_acceptance();
}

void ServedConnection::check_request(const cli::Belonging& belonging) {
  incoming_->digest = belonging.keys;
  std::copy_n(preamble_.begin(), sizeof(Nonce), incoming_->nonce.begin());
  TokenBucket& rate = client_->requests;
  if (rate.available(Clock::now()) < 1) {
    refuse(
        {.reason = RefusalReason::Rate,
         .retry_milliseconds = static_cast<uint32_t>(rate.time_until(1).count()),
         .text = fmt::format("a client may send {} requests a second", hub_.limits.client_rate)});
    return;
  }
  if (!hub_.keys.find(client_->fingerprint, incoming_->digest)) {
    refuse({.reason = RefusalReason::UnknownKeys,
            .text = "the service does not hold the keys of this request; send them first"});
    return;
  }
  if (!client_->nonces.take(incoming_->nonce)) {
    refuse({.reason = RefusalReason::ReplayedRequest,
            .text = "the nonce of this request is that of an earlier one"});
    return;
  }
  rate.take(1);
  wait_for_acceptance();
}

void ServedConnection::wait_for_acceptance() {
  reading_ = Reading::Waiting;
  accept_deadline_ = Clock::now() + hub_.limits.admission;
  // Behind all that waits already.
  if (hub_.waiting.empty() && accept_message() == Accepts::Yes) {
    return;
  }
  hub_.waiting.push_back(number_);
}

auto ServedConnection::accept_message() -> Accepts {
  if (is_closed_ || reading_ != Reading::Waiting || !incoming_) {
    return Accepts::Yes;
  }
  if (client_->n_requests >= hub_.limits.client_requests) {
    return Accepts::Later;
  }
  if (hub_.n_requests >= hub_.limits.most_requests ||
      hub_.message_bytes + header_.size > hub_.limits.message_bytes) {
    return Accepts::Full;
  }
  const auto self = shared_from_this();
  if (header_.kind == MessageKind::Keys) {
    const uint64_t size = estimated_key_memory(header_.size);
    if (size > hub_.limits.key_bytes) {
      refuse({.reason = RefusalReason::TooLarge,
              .text = "the keys need more memory than the service has for keys"});
      return Accepts::Yes;
    }
    if (!hub_.keys.reserve(size)) {
      return Accepts::Later;
    }
    incoming_->key_space = KeySpace(hub_.keys, size);
  } else {
    incoming_->keys = hub_.keys.use(client_->fingerprint, incoming_->digest);
    if (!incoming_->keys) {
      refuse({.reason = RefusalReason::UnknownKeys,
              .text = "the keys of this request were evicted; send them again"});
      return Accepts::Yes;
    }
  }
  incoming_->bytes = Held<uint64_t>(hub_.message_bytes, header_.size);
  incoming_->slot = Held<uint32_t>(hub_.n_requests, 1);
  incoming_->client_slot = Held<uint32_t>(client_->n_requests, 1);
  begin_payload();
  return Accepts::Yes;
}

/// The memory is counted; from here on the client has to be quick.
void ServedConnection::begin_payload() {
  incoming_->payload = std::make_unique_for_overwrite<std::byte[]>(header_.size);
  std::copy_n(preamble_.begin(), n_read_, incoming_->payload.get());
  reading_ = Reading::Payload;
  read_deadline_ = Clock::now() + transfer_time(header_.size);
  if (n_read_ == header_.size) {  // keys of a program that needs none
    end_payload();
  }
  asio::post(hub_.context, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->is_closed_) {
      self->step();
    }
  });
}

void ServedConnection::end_payload() {
  incoming_->arrival = Clock::now();
  jobs_.insert(incoming_);
  submit_job(hub_, std::exchange(incoming_, nullptr));
  expect_header();
}

/// What follows of the message is not wanted.
void ServedConnection::skip_rest() {
  incoming_.reset();
  if (n_read_ >= header_.size) {
    expect_header();
    return;
  }
  reading_ = Reading::Skipping;
  read_deadline_ = Clock::now() + transfer_time(header_.size);
  asio::post(hub_.context, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->is_closed_) {
      self->step();
    }
  });
}

/// That a service does not hold keys is how clients find out.
void ServedConnection::report_refusal(uint64_t id, const Refusal& refusal) {
  ++hub_.metrics.n_refusals[static_cast<size_t>(refusal.reason) - 1];
  const bool is_usual = refusal.reason == RefusalReason::UnknownKeys;
  hub_.log.write(is_usual ? LogLevel::Info : LogLevel::Warning, "refused",
                 {{"connection", number_},
                  {"client", client_ ? client_->name : ""},
                  {"message", id},
                  {"refusal", std::string(reason_name(refusal.reason))},
                  {"reason", refusal.text}});
}

/// Answers the message that is being read with a refusal.
void ServedConnection::refuse(const Refusal& refusal, AfterIt after) {
  report_refusal(header_.id, refusal);
  if (after == AfterIt::End) {
    phase_ = Phase::Ending;
    incoming_.reset();
    end_deadline_ = Clock::now() + hub_.limits.handshake;
  }
  send(MessageKind::Refusal, header_.id, encode_refusal(refusal));
  if (after == AfterIt::Continue) {
    skip_rest();
  }
}

void ServedConnection::send(MessageKind kind, uint64_t id, std::span<const std::byte> payload,
                            std::shared_ptr<Job> job) {
  const size_t n_results = job ? job->results.size() : 0;
  const auto header = encode_header({.kind = kind, .id = id, .size = payload.size() + n_results});
  Outgoing& message = unsent_.emplace_back();
  message.head.assign(header.begin(), header.end());
  message.head.insert(message.head.end(), payload.begin(), payload.end());
  if (n_results > 0) {
    message.results = std::move(job->results);
    message.job = std::move(job);
  }
  if (unsent_.size() == 1) {
    write_deadline_ = Clock::now() + transfer_time(message.size());
  }
  asio::post(hub_.context, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->is_closed_) {
      self->write_some();
    }
  });
}

void ServedConnection::deliver(const std::shared_ptr<Job>& job) {
  jobs_.erase(job);
  if (is_closed_) {
    return;
  }
  last_activity_ = Clock::now();
  if (job->refusal) {
    report_refusal(job->header.id, *job->refusal);
    send(MessageKind::Refusal, job->header.id, encode_refusal(*job->refusal));
  } else if (job->header.kind == MessageKind::Keys) {
    send(MessageKind::Stored, job->header.id, {});
  } else {
    send(MessageKind::Results, job->header.id, job->nonce, job);
  }
  end_if_drained();
}

void ServedConnection::write_some() {
  const auto self = shared_from_this();
  size_t left = kBytesAtOnce;
  while (!is_closed_ && !waits_to_write_ && !unsent_.empty() && left > 0) {
    Outgoing& message = unsent_.front();
    const std::span<const std::byte> rest =
        message.n_written < message.head.size()
            ? std::span<const std::byte>(message.head).subspan(message.n_written)
            : std::span<const std::byte>(message.results)
                  .subspan(message.n_written - message.head.size());
    const net::IoResult result = channel_.write(rest);
    switch (result.state) {
      case State::Moved:
        left -= std::min(left, result.n);
        message.n_written += result.n;
        hub_.metrics.n_bytes_sent += result.n;
        last_activity_ = Clock::now();
        if (message.n_written == message.size()) {
          unsent_.pop_front();
          admit_waiting(hub_);
          if (!unsent_.empty()) {
            write_deadline_ = Clock::now() + transfer_time(unsent_.front().size());
          }
        }
        break;
      case State::WouldBlock:
        wait_to_write();
        break;
      case State::Closed:
      case State::Failed:
        lose(result);
        return;
    }
  }
  if (is_closed_) {
    return;
  }
  if (!unsent_.empty() && !waits_to_write_) {
    asio::post(hub_.context, [weak = weak_from_this()] {
      if (const auto again = weak.lock(); again && !again->is_closed_) {
        again->write_some();
      }
    });
  }
  end_if_written();
  if (!waits_to_read_) {
    read_some();  // which may have waited for answers to be read
  }
}

/// Who is still sending would not get the last answer if the socket were closed at once.
void ServedConnection::end_if_written() {
  if (phase_ == Phase::Ending && unsent_.empty() && jobs_.empty() && !has_ended_writing_) {
    has_ended_writing_ = true;
    channel_.end_writing();
  }
}

void ServedConnection::wait_to_read() {
  if (waits_to_read_) {
    return;
  }
  waits_to_read_ = true;
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [weak = weak_from_this()](error_code error) {
                           if (const auto self = weak.lock(); self && !error) {
                             self->waits_to_read_ = false;
                             if (!self->is_closed_) {
                               self->step();
                             }
                           }
                         });
}

void ServedConnection::wait_to_write() {
  if (waits_to_write_) {
    return;
  }
  waits_to_write_ = true;
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_write,
                         [weak = weak_from_this()](error_code error) {
                           if (const auto self = weak.lock(); self && !error) {
                             self->waits_to_write_ = false;
                             if (!self->is_closed_) {
                               self->step();
                             }
                           }
                         });
}

void ServedConnection::lose(const net::IoResult& result) {
  close(result.state == State::Failed ? result.reason : std::string("closed by the client"));
}

void ServedConnection::close(std::string_view reason) {
  if (is_closed_) {
    return;
  }
  is_closed_ = true;
  const bool is_client = client_ != nullptr;
  hub_.log.write(is_client ? LogLevel::Debug : LogLevel::Info,
                 is_client ? "disconnected" : "connection_failed",
                 {{"connection", number_},
                  {"client", is_client ? client_->name : ""},
                  {"address", address_},
                  {"reason", std::string(reason)}});
  for (const std::shared_ptr<Job>& job : jobs_) {
    job->token.cancel();
  }
  jobs_.clear();
  incoming_.reset();
  unsent_.clear();
  error_code ignored;
  descriptor_.cancel(ignored);
  pause_.cancel();
  admit_waiting(hub_);
  hub_.connections.erase(number_);
}

void ServedConnection::check_times(Clock::time_point now) {
  if (is_closed_) {
    return;
  }
  const auto times_out = [&](std::string text) {
    refuse({.reason = RefusalReason::TimedOut, .text = std::move(text)}, AfterIt::End);
  };
  if (phase_ == Phase::Ending) {
    if (now > end_deadline_ && jobs_.empty() && unsent_.empty()) {
      close("ended");
      return;
    }
  } else if (phase_ != Phase::Open && now > opened_ + hub_.limits.handshake) {
    if (phase_ == Phase::Handshake) {
      ++hub_.metrics.n_handshakes_failed;
      close("did not authenticate in time");
    } else {
      times_out("the greeting took too long");
    }
    return;
  }
  if (!unsent_.empty() && now > write_deadline_) {
    close("did not read its answers in time");
    return;
  }
  if (phase_ != Phase::Open || is_draining_) {
    return;
  }
  if (reading_ == Reading::Waiting) {
    if (now > accept_deadline_) {
      refuse({.reason = RefusalReason::Busy,
              .retry_milliseconds = kRetryBusy,
              .text = "the service is busy"});
    }
    return;
  }
  if (reading_ != Reading::Header || n_read_ > 0) {
    if (now > read_deadline_ && wants_to_read()) {
      times_out("the message took too long to arrive");
    }
    return;
  }
  if (jobs_.empty() && unsent_.empty() && now > last_activity_ + hub_.limits.idle) {
    times_out("the connection was idle for too long");
  }
}

void ServedConnection::drain() {
  is_draining_ = true;
  if (phase_ == Phase::Handshake) {
    close("the service ends");
    return;
  }
  end_if_drained();
}

/// What was accepted whole is answered; what is still arriving is not.
void ServedConnection::end_if_drained() {
  if (is_draining_ && phase_ != Phase::Ending && jobs_.empty()) {
    const bool is_reading = reading_ != Reading::Header;
    header_.id = is_reading ? header_.id : 0;
    refuse({.reason = RefusalReason::Draining, .text = "the service is shutting down"},
           AfterIt::End);
  }
}

void ServedConnection::check_admission() {
  const auto& clients = hub_.admission->clients;
  const bool is_admitted =
      client_ == nullptr ||
      std::any_of(clients.begin(), clients.end(), [&](const AdmittedClient& client) {
        return client.fingerprint == client_->fingerprint;
      });
  if (!is_admitted && phase_ != Phase::Ending) {
    for (const std::shared_ptr<Job>& job : jobs_) {
      job->token.cancel();
    }
    refuse({.reason = RefusalReason::NotAdmitted, .text = "this client is not admitted any more"},
           AfterIt::End);
  }
}

}  // namespace

void start_connection(int fd, std::string address, Hub& hub) {
  const uint64_t number = ++hub.n_connections;
  ++hub.metrics.n_connections;
  const auto connection = std::make_shared<ServedConnection>(fd, std::move(address), number, hub);
  hub.connections.emplace(number, connection);
  connection->start();
}

}  // namespace tacet::service
