#include "cli/service/request_client.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/cancellation.h"
#include "engine/net/channel.h"
#include "engine/net/credentials.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::service {

using State = net::IoResult::State;

namespace {

/// So much is read at a time.
constexpr size_t kReadAtOnce = size_t{256} << 10;

/// One that has arrived.
struct Message {
  MessageHeader header;
  he::Bytes payload;
};

auto milliseconds_until(Clock::time_point deadline) -> int {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

/// Closes a socket that nobody took.
class OpenSocket {
 public:
  explicit OpenSocket(int fd) : fd_(fd) {}
  OpenSocket(const OpenSocket&) = delete;
  auto operator=(const OpenSocket&) -> OpenSocket& = delete;
  ~OpenSocket() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  auto release() -> int { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Waits for a socket: what `poll` returns. A safe point.
auto poll_until(pollfd& waits, Clock::time_point deadline) -> int {
  constexpr int kSlice = 50;  // milliseconds
  while (true) {
    stop_if_cancelled();
    const int left = milliseconds_until(deadline);
    const int n = ::poll(&waits, 1, std::min(left, kSlice));
    if (n != 0 || left <= kSlice) {
      return n;
    }
  }
}

/// A connected socket that does not block.
auto connect_socket(const ServiceAddress& address, Clock::time_point deadline) -> Result<int> {
  const auto fails = [](std::string_view why) {
    return Error{fmt::format("cannot connect: {}", why)};
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed =
          ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
      failed != 0) {
    return fails(::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> freed(found, ::freeaddrinfo);
  int why = ETIMEDOUT;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    const int fd = ::socket(entry->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      why = errno;
      continue;
    }
    OpenSocket socket(fd);
    if (::connect(fd, entry->ai_addr, entry->ai_addrlen) == 0) {
      return socket.release();
    }
    pollfd waits{.fd = fd, .events = POLLOUT, .revents = 0};
    why = errno;
    if (why == EINPROGRESS) {
      socklen_t size = sizeof(why);
      if (poll_until(waits, deadline) == 1 &&
          ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why == 0) {
        return socket.release();
      }
      why = why == EINPROGRESS ? ETIMEDOUT : why;
    }
  }
  return fails(std::strerror(why));
}

class ConnectedClient final : public RequestClient {
 public:
  ConnectedClient(int fd, const ServicePlace& place)
      : channel_(fd), answer_(place.answer), most_results_(place.most_results) {}

  auto open(const ServicePlace& place, Clock::time_point deadline) -> Status;

  [[nodiscard]] auto welcome() const -> const Welcome& override { return welcome_; }
  auto store_keys(const cli::FileDigest& digest, std::span<const std::byte> keys)
      -> Result<std::optional<Refusal>> override;
  auto request(std::span<const std::byte> inputs)
      -> Result<std::variant<he::Bytes, Refusal>> override;

 private:
  auto exchange(MessageKind kind, std::span<const std::byte> front, std::span<const std::byte> back,
                Clock::time_point deadline) -> Result<Message>;
  auto advance_reading() -> Result<bool>;
  auto wait(short events, Clock::time_point deadline, std::string_view what) -> Status;
  [[nodiscard]] auto most_payload(MessageKind kind) const -> uint64_t {
    return kind == MessageKind::Results ? most_results_ : kMostShortPayload;
  }

  net::Channel channel_;
  milliseconds answer_;
  uint64_t most_results_;
  Welcome welcome_;
  uint64_t last_id_ = 0;

  // What is being read.
  std::array<std::byte, kMessageHeaderSize> header_bytes_{};
  size_t n_header_ = 0;
  Message incoming_{};
};

auto service_error(std::string_view what) -> Error {
  return Error{fmt::format("the service {}", what)};
}

auto ConnectedClient::wait(short events, Clock::time_point deadline, std::string_view what)
    -> Status {
  pollfd waits{.fd = channel_.socket(), .events = events, .revents = 0};
  while (true) {
    const int n = poll_until(waits, deadline);
    if (n > 0) {
      return std::monostate{};
    }
    if (n == 0 && Clock::now() >= deadline) {
      return service_error(fmt::format("did not {} in time", what));
    }
    if (n < 0 && errno != EINTR) {
      return Error{fmt::format("cannot wait for the service: {}", std::strerror(errno))};
    }
  }
}

auto ConnectedClient::open(const ServicePlace& place, Clock::time_point deadline) -> Status {
  Result<net::TlsContext> tls = net::TlsContext::make(place.own, {place.certificate});
  if (!tls) {
    return tls.error();
  }
  ssl_st* connection = tls->new_connection(net::TlsContext::Role::Connects);
  if (connection == nullptr) {
    return Error{"out of memory"};
  }
  channel_.start_tls(connection);
  while (true) {
    const net::IoResult result = channel_.handshake();
    if (result.state == State::Moved) {
      break;
    }
    if (result.state != State::WouldBlock) {
      const bool is_other = result.reason.find("certificate that is not") != std::string::npos;
      return service_error(is_other ? "presented another certificate than the given one"
                           : result.state == State::Closed ? "closed the connection"
                                                           : result.reason);
    }
    if (Status status = wait(POLLIN, deadline, "authenticate"); !status) {
      return status;
    }
  }
  if (tls->peer_of(channel_.tls()) != 0) {
    return service_error("presented another certificate than the given one");
  }
  if (const std::string problem = net::validity_problem(place.certificate); !problem.empty()) {
    return service_error(problem);
  }
  Result<Message> answer = exchange(MessageKind::Hello, encode_hello(kWireVersion), {}, deadline);
  if (!answer) {
    return answer.error();
  }
  if (answer->header.kind == MessageKind::Refusal) {
    Result<Refusal> refusal = decode_refusal(answer->payload);
    return refusal ? service_error("refused the connection: " + refusal->text)
                   : service_error(refusal.error().message);
  }
  Result<Welcome> welcome = answer->header.kind == MessageKind::Welcome
                                ? decode_welcome(answer->payload)
                                : Result<Welcome>(Error{"sent an unexpected message"});
  if (!welcome) {
    return service_error(welcome.error().message);
  }
  welcome_ = std::move(*welcome);
  return std::monostate{};
}

/// Reads what is there; whether a message is whole.
auto ConnectedClient::advance_reading() -> Result<bool> {
  while (true) {
    const bool in_header = n_header_ < header_bytes_.size();
    he::Bytes& payload = incoming_.payload;
    const size_t n_before = payload.size();
    std::span<std::byte> target;
    if (in_header) {
      target = std::span(header_bytes_).subspan(n_header_);
    } else {
      const uint64_t left = incoming_.header.size - n_before;
      if (left == 0) {
        return true;
      }
      payload.resize(n_before + static_cast<size_t>(std::min<uint64_t>(left, kReadAtOnce)));
      target = std::span(payload).subspan(n_before);
    }
    const net::IoResult result = channel_.read(target);
    if (!in_header) {
      payload.resize(n_before + (result.state == State::Moved ? result.n : 0));
    }
    switch (result.state) {
      case State::WouldBlock:
        return false;
      case State::Closed:
        return service_error("closed the connection");
      case State::Failed:
        return service_error(result.reason == "rejected this party's certificate"
                                 ? "does not admit this client's certificate"
                                 : result.reason);
      case State::Moved:
        break;
    }
    if (in_header) {
      n_header_ += result.n;
      if (n_header_ == header_bytes_.size()) {
        Result<MessageHeader> header = decode_header(header_bytes_);
        if (!header) {
          return service_error(header.error().message);
        }
        if (header->size > most_payload(header->kind)) {
          return service_error(fmt::format("sent a message of {} bytes; the limit is {}",
                                           header->size, most_payload(header->kind)));
        }
        incoming_.header = *header;
      }
    }
  }
}

/// Sends a message, and gives what it is answered with, which may come before all of it is sent.
auto ConnectedClient::exchange(MessageKind kind, std::span<const std::byte> front,
                               std::span<const std::byte> back, Clock::time_point deadline)
    -> Result<Message> {
  const MessageHeader sent{.kind = kind, .id = ++last_id_, .size = front.size() + back.size()};
  const auto header = encode_header(sent);
  he::Bytes head(header.begin(), header.end());
  head.insert(head.end(), front.begin(), front.end());
  size_t n_sent = 0;
  const size_t n_all = head.size() + back.size();
  bool is_lost = false;  // the service reads no more; it may have said why
  n_header_ = 0;
  incoming_ = {};
  while (true) {
    bool is_blocked = false;
    while (n_sent < n_all && !is_lost && !is_blocked) {
      const auto rest = n_sent < head.size() ? std::span<const std::byte>(head).subspan(n_sent)
                                             : back.subspan(n_sent - head.size());
      const net::IoResult result = channel_.write(rest);
      is_blocked = result.state == State::WouldBlock;
      is_lost = result.state == State::Closed || result.state == State::Failed;
      n_sent += result.state == State::Moved ? result.n : 0;
    }
    Result<bool> is_whole = advance_reading();
    if (!is_whole) {
      return is_whole.error();
    }
    if (*is_whole) {
      break;
    }
    const auto events = static_cast<short>(is_blocked ? POLLIN | POLLOUT : POLLIN);
    if (Status status = wait(events, deadline, "answer"); !status) {
      return status.error();
    }
  }
  const MessageKind answered = incoming_.header.kind;
  // A service that ends or gives up says so with the number of no message.
  if (incoming_.header.id != sent.id && answered != MessageKind::Refusal) {
    return service_error("answered another message than the one that was sent");
  }
  if (n_sent < n_all && answered != MessageKind::Refusal && answered != MessageKind::Stored) {
    return service_error("answered before it had the whole message");
  }
  // What is left of a message that was answered early is still expected.
  while (n_sent < n_all && !is_lost) {
    const auto rest = n_sent < head.size() ? std::span<const std::byte>(head).subspan(n_sent)
                                           : back.subspan(n_sent - head.size());
    const net::IoResult result = channel_.write(rest);
    if (result.state == State::Moved) {
      n_sent += result.n;
    } else if (result.state != State::WouldBlock) {
      is_lost = true;
    } else if (Status status = wait(POLLOUT, deadline, "read a message"); !status) {
      return status.error();
    }
  }
  return std::move(incoming_);
}

auto ConnectedClient::store_keys(const cli::FileDigest& digest, std::span<const std::byte> keys)
    -> Result<std::optional<Refusal>> {
  if (keys.size() + digest.size() > welcome_.most_keys) {
    return Error{fmt::format("the keys have {} bytes; the limit of the service is {}", keys.size(),
                             welcome_.most_keys)};
  }
  Result<Message> answer = exchange(MessageKind::Keys, digest, keys, Clock::now() + answer_);
  if (!answer) {
    return answer.error();
  }
  if (answer->header.kind == MessageKind::Stored && answer->payload.empty()) {
    return std::optional<Refusal>();
  }
  if (answer->header.kind != MessageKind::Refusal) {
    return service_error("sent an unexpected message");
  }
  Result<Refusal> refusal = decode_refusal(answer->payload);
  return refusal ? Result<std::optional<Refusal>>(std::move(*refusal))
                 : Result<std::optional<Refusal>>(service_error(refusal.error().message));
}

auto ConnectedClient::request(std::span<const std::byte> inputs)
    -> Result<std::variant<he::Bytes, Refusal>> {
  using Answer = Result<std::variant<he::Bytes, Refusal>>;
  if (inputs.size() + sizeof(Nonce) > welcome_.most_request) {
    return Error{fmt::format("the inputs have {} bytes; the limit of the service is {}",
                             inputs.size(), welcome_.most_request)};
  }
  Nonce nonce{};
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  random->fill(nonce);
  Result<Message> answer = exchange(MessageKind::Request, nonce, inputs, Clock::now() + answer_);
  if (!answer) {
    return answer.error();
  }
  he::Bytes& payload = answer->payload;
  if (answer->header.kind == MessageKind::Refusal) {
    Result<Refusal> refusal = decode_refusal(payload);
    return refusal ? Answer(std::move(*refusal)) : service_error(refusal.error().message);
  }
  if (answer->header.kind != MessageKind::Results || payload.size() < nonce.size() ||
      !std::equal(nonce.begin(), nonce.end(), payload.begin())) {
    return service_error("sent results of another request");
  }
  payload.erase(payload.begin(), payload.begin() + nonce.size());
  // Of these inputs, and not of others under the same keys.
  Result<cli::Belonging> belonging =
      cli::read_header({"results", payload}, cli::ExchangeFile::Results);
  if (!belonging) {
    return belonging.error();
  }
  if (belonging->inputs != cli::digest_of_file(inputs)) {
    return service_error("sent results of other inputs");
  }
  return Answer(std::move(payload));
}

}  // namespace

auto RequestClient::connect(const ServicePlace& place) -> Result<std::unique_ptr<RequestClient>> {
  const Clock::time_point deadline = Clock::now() + place.connect;
  Result<int> fd = connect_socket(place.address, deadline);
  if (!fd) {
    return fd.error();
  }
  auto client = std::make_unique<ConnectedClient>(*fd, place);
  if (Status status = client->open(place, deadline); !status) {
    return status.error();
  }
  return std::unique_ptr<RequestClient>(std::move(client));
}

}  // namespace tacet::service
