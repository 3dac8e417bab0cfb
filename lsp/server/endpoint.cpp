#include "lsp/server/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

namespace tacet::lsp {

static auto failure(const std::string& what) -> Error {
  return Error{fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

/// Listens for one connection and takes it.
static auto accept_one(int listener, const sockaddr* address, socklen_t size,
                       const std::string& name) -> Result<int> {
  if (bind(listener, address, size) != 0 || listen(listener, 1) != 0) {
    return failure("listen on " + name);
  }
  int client = -1;
  do {
    client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  } while (client < 0 && errno == EINTR);
  if (client < 0) {
    return failure("accept a connection on " + name);
  }
  return client;
}

/// Connects, or listens where nobody does. `remove` deletes the name of a socket on which nobody
/// listens any more: that of an ended server, and ours, once the client is connected.
static auto connect_or_accept(int domain, const sockaddr* address, socklen_t size,
                              const std::string& name, const std::function<void()>& remove)
    -> Result<int> {
  int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return failure("create a socket");
  }
  if (connect(fd, address, size) == 0) {
    return fd;
  }
  bool nobody_listens = errno == ECONNREFUSED || errno == ENOENT;
  Error error = failure("connect to " + name);
  close(fd);
  if (!nobody_listens) {
    return error;
  }
  remove();
  int listener = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto client = accept_one(listener, address, size, name);
  close(listener);
  if (client) {
    remove();
  }
  return client;
}

auto open_port(uint16_t port) -> Result<int> {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto fd = connect_or_accept(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                              fmt::format("port {}", port), [] {});
  if (fd) {
    int yes = 1;
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  return fd;
}

auto open_pipe(const std::string& path) -> Result<int> {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error{fmt::format("the name of the pipe exceeds {} bytes", sizeof address.sun_path - 1)};
  }
  path.copy(address.sun_path, path.size());
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode)) {
    return Error{fmt::format("cannot connect to {}: it exists but is not a socket", path)};
  }
  const mode_t mask = umask(0077);
  auto fd = connect_or_accept(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                              path, [&] { unlink(path.c_str()); });
  umask(mask);
  return fd;
}

}  // namespace tacet::lsp
