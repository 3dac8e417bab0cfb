#include <fmt/format.h>

#include <boost/asio/post.hpp>

#include "cli/service/served_connection.h"

namespace tacet::service {

namespace asio = boost::asio;
using boost::system::error_code;
using State = net::IoResult::State;

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

}  // namespace tacet::service
