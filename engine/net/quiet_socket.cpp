#include "engine/net/quiet_socket.h"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <vector>

namespace tacet::net {

namespace {

struct QuietSocket {
  int socket = -1;
  std::vector<char> written{};
  size_t n_sent = 0;  ///< of `written`
  bool is_held = false;
};

}  // namespace

static auto socket_of(BIO* bio) -> QuietSocket& {
  return *static_cast<QuietSocket*>(BIO_get_data(bio));
}

/// OpenSSL tries again later if the flags say so.
static auto finish(BIO* bio, ssize_t returned, int retry_flag) -> int {
  BIO_clear_retry_flags(bio);
  if (returned < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
  }
  return static_cast<int>(returned);
}

static auto write_socket(BIO* bio, const char* data, int size) -> int {
  std::vector<char>& written = socket_of(bio).written;
  written.insert(written.end(), data, data + size);
  return finish(bio, size, BIO_FLAGS_WRITE);
}

auto flush_quiet_socket(bio_st* bio) -> bool {
  auto& [socket, written, n_sent, is_held] = socket_of(bio);
  while (n_sent < written.size()) {
    ssize_t n = ::send(socket, written.data() + n_sent, written.size() - n_sent, MSG_NOSIGNAL);
    if (n < 0) {
      return false;
    }
    n_sent += static_cast<size_t>(n);
  }
  written.clear();
  n_sent = 0;
  return true;
}

void hold_quiet_socket(bio_st* bio, bool is_held) {
  socket_of(bio).is_held = is_held;
}

static auto read_socket(BIO* bio, char* data, int size) -> int {
  if (socket_of(bio).is_held) {
    errno = EAGAIN;
    return finish(bio, -1, BIO_FLAGS_READ);
  }
  ssize_t n = ::recv(socket_of(bio).socket, data, static_cast<size_t>(size), 0);
  if (n == 0) {
    BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  }
  return finish(bio, n, BIO_FLAGS_READ);
}

static auto control(BIO* bio, int command, long /*number*/, void* /*pointer*/) -> long {
  switch (command) {
    case BIO_CTRL_FLUSH:
      return finish(bio, flush_quiet_socket(bio) ? 1 : -1, BIO_FLAGS_WRITE);
    case BIO_CTRL_WPENDING:
      return static_cast<long>(socket_of(bio).written.size() - socket_of(bio).n_sent);
    case BIO_CTRL_DUP:
      return 1;
    case BIO_CTRL_EOF:
      return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default:
      return 0;
  }
}

static auto destroy(BIO* bio) -> int {
  delete static_cast<QuietSocket*>(BIO_get_data(bio));
  BIO_set_data(bio, nullptr);
  return 1;
}

auto new_quiet_socket(int socket) -> bio_st* {
  struct FreeMethod {
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
  };
  static const std::unique_ptr<BIO_METHOD, FreeMethod> method = [] {
    std::unique_ptr<BIO_METHOD, FreeMethod> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket"));
    if (made) {
      BIO_meth_set_write(made.get(), write_socket);
      BIO_meth_set_read(made.get(), read_socket);
      BIO_meth_set_ctrl(made.get(), control);
      BIO_meth_set_destroy(made.get(), destroy);
    }
    return made;
  }();
  BIO* bio = method ? BIO_new(method.get()) : nullptr;
  if (bio != nullptr) {
    BIO_set_data(bio, new QuietSocket{socket});
    BIO_set_init(bio, 1);
  }
  return bio;
}

}  // namespace tacet::net
