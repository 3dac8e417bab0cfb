#include "engine/net/channel.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/net/quiet_socket.h"

namespace tacet::net {

using State = IoResult::State;

/// One key encrypts so many bytes; AES-GCM is good for about six times as many (RFC 8446, 5.5).
static constexpr uint64_t kBytesPerKey = uint64_t{1} << 36;
/// So much is encrypted before it is sent in one call: in the cache, and several records of 16 KB.
static constexpr size_t kEncryptedAtOnce = size_t{128} << 10;

Channel::Channel(int socket) : socket_(socket) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
  int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Channel::~Channel() {
  SSL_free(tls_);
  ::close(socket_);
}

void Channel::start_tls(ssl_st* tls) {
  tls_ = tls;
  quiet_socket_ = new_quiet_socket(socket_);
  SSL_set_bio(tls_, quiet_socket_, quiet_socket_);
  SSL_set_mode(tls_, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

void Channel::hold_reading(bool is_held) {
  if (quiet_socket_ != nullptr) {
    hold_quiet_socket(quiet_socket_, is_held);
  }
}

static auto socket_result(ssize_t returned) -> IoResult {
  if (returned > 0) {
    return {State::Moved, static_cast<size_t>(returned)};
  }
  if (returned == 0 || errno == ECONNRESET || errno == EPIPE) {
    return {State::Closed};
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
    return {State::WouldBlock};
  }
  return {State::Failed, 0, std::strerror(errno)};
}

/// What the peer's TLS, or ours, found wrong.
static auto tls_failure(unsigned long code, long verified) -> IoResult {
  if (code == 0) {
    return {State::Closed};
  }
  if (ERR_SYSTEM_ERROR(code)) {
    return socket_result(-1);
  }
  switch (ERR_GET_REASON(code)) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      return {State::Closed};
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return {State::Failed, 0,
              verified == X509_V_ERR_CERT_HAS_EXPIRED || verified == X509_V_ERR_CERT_NOT_YET_VALID
                  ? fmt::format("the certificate is not currently valid: {}",
                                X509_verify_cert_error_string(verified))
                  : "presented a certificate that is not in the configuration"};
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return {State::Failed, 0, "rejected this party's certificate"};
    case SSL_R_WRONG_VERSION_NUMBER:
      return {State::Failed, 0, "does not speak TLS 1.3", true};
    default: {
      const char* reason = ERR_reason_error_string(code);
      return {State::Failed, 0,
              fmt::format("TLS failed: {}", reason == nullptr ? "unknown reason" : reason), true};
    }
  }
}

auto Channel::tls_result(int returned) -> IoResult {
  if (returned > 0) {
    return {State::Moved, static_cast<size_t>(returned)};
  }
  int system_error = errno;
  IoResult result;
  switch (SSL_get_error(tls_, returned)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      break;
    case SSL_ERROR_ZERO_RETURN:
      result.state = State::Closed;
      break;
    case SSL_ERROR_SYSCALL:
      errno = system_error;
      result = ERR_peek_error() == 0 && system_error != 0
                   ? socket_result(-1)
                   : tls_failure(ERR_peek_error(), SSL_get_verify_result(tls_));
      break;
    default:
      result = tls_failure(ERR_peek_error(), SSL_get_verify_result(tls_));
  }
  ERR_clear_error();
  return result;
}

auto Channel::handshake() -> IoResult {
  if (tls_ == nullptr || SSL_is_init_finished(tls_)) {
    return {State::Moved};
  }
  return tls_result(SSL_do_handshake(tls_));
}

static auto clamped(size_t n) -> int {
  return static_cast<int>(std::min<size_t>(n, 1 << 30));
}

/// One record at a time, as long as there are any.
auto Channel::read_tls(std::span<std::byte> into) -> IoResult {
  if (end_) {
    return *end_;
  }
  IoResult result = tls_result(SSL_read(tls_, into.data(), clamped(into.size())));
  while (result.state == State::Moved && result.n < into.size() && SSL_has_pending(tls_) == 1) {
    std::span<std::byte> rest = into.subspan(result.n);
    IoResult more = tls_result(SSL_read(tls_, rest.data(), clamped(rest.size())));
    if (more.state != State::Moved) {
      end_ = more.state == State::WouldBlock ? end_ : std::optional(std::move(more));
      break;
    }
    result.n += more.n;
  }
  return result;
}

auto Channel::read(std::span<std::byte> first, std::span<std::byte> second) -> IoResult {
  if (tls_ != nullptr) {
    return read_tls(first.empty() ? second : first);
  }
  std::array<iovec, 2> parts = {iovec{first.data(), first.size()},
                                iovec{second.data(), second.size()}};
  return socket_result(::readv(socket_, parts.data(), parts.size()));
}

auto Channel::write(std::span<const std::byte> bytes) -> IoResult {
  return tls_ != nullptr ? write_tls(bytes)
                         : socket_result(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

/// Encrypts some, which never waits, and sends it, which may take several calls.
auto Channel::write_tls(std::span<const std::byte> bytes) -> IoResult {
  if (n_encrypted_ == 0) {
    bytes = bytes.first(std::min(bytes.size(), kEncryptedAtOnce));
    IoResult result = tls_result(SSL_write(tls_, bytes.data(), clamped(bytes.size())));
    if (result.state != State::Moved) {
      return result;
    }
    n_encrypted_ = result.n;
    change_key_in_time(result.n);
  }
  if (!flush_quiet_socket(quiet_socket_)) {
    return socket_result(-1);
  }
  return {State::Moved, std::exchange(n_encrypted_, 0)};
}

void Channel::change_key_in_time(size_t n_written) {
  n_since_new_key_ += n_written;
  if (n_since_new_key_ >= kBytesPerKey) {
    SSL_key_update(tls_, SSL_KEY_UPDATE_NOT_REQUESTED);
    n_since_new_key_ = 0;
  }
}

void Channel::end_writing() {
  if (tls_ != nullptr && SSL_is_init_finished(tls_)) {
    SSL_shutdown(tls_);
    (void)flush_quiet_socket(quiet_socket_);  // who does not hear of the end sees it
    ERR_clear_error();
  }
  ::shutdown(socket_, SHUT_WR);
}

}  // namespace tacet::net
