#include "engine/net/quiet_socket.h"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <memory>

namespace tacet::net {

static auto socket_of(BIO* bio) -> int {
  return static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio)));
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
  ssize_t n = ::send(socket_of(bio), data, static_cast<size_t>(size), MSG_NOSIGNAL);
  return finish(bio, n, BIO_FLAGS_WRITE);
}

static auto read_socket(BIO* bio, char* data, int size) -> int {
  ssize_t n = ::recv(socket_of(bio), data, static_cast<size_t>(size), 0);
  if (n == 0) {
    BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  }
  return finish(bio, n, BIO_FLAGS_READ);
}

static auto control(BIO* bio, int command, long /*number*/, void* /*pointer*/) -> long {
  switch (command) {
    case BIO_CTRL_FLUSH:
    case BIO_CTRL_DUP:
      return 1;
    case BIO_CTRL_EOF:
      return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default:
      return 0;
  }
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
    }
    return made;
  }();
  BIO* bio = method ? BIO_new(method.get()) : nullptr;
  if (bio != nullptr) {
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));
    BIO_set_init(bio, 1);
  }
  return bio;
}

}  // namespace tacet::net
