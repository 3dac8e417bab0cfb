// Reaching the server over sockets: either side may listen, and what cannot work is said.

#include "lsp/server/endpoint.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <future>

#include "lsp/ide/analysis_host.h"
#include "lsp/server/run.h"
#include "tests/lsp/real_session.h"

namespace tacet::lsp {
namespace {

auto loopback(uint16_t port) -> sockaddr_in {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

auto unix_address(const std::string& path) -> sockaddr_un {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  return address;
}

template <class Address>
auto as_any(const Address& address) -> const sockaddr* {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// A socket on a free port, and the port.
auto bound_socket() -> std::pair<int, uint16_t> {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  EXPECT_EQ(bind(fd, as_any(address), sizeof address), 0);
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return {fd, ntohs(address.sin_port)};
}

/// Connects as soon as somebody listens.
template <class Address>
auto connect_soon(int domain, const Address& address) -> int {
  for (int i = 0; i < 2000; ++i) {
    const int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, as_any(address), sizeof address) == 0) {
      return fd;
    }
    close(fd);
    usleep(5000);
  }
  ADD_FAILURE() << "nobody listens";
  return -1;
}

/// A session over `fd`, from its beginning to its end.
void talk(int fd) {
  auto send_all = [&](std::string_view body) {
    const std::string bytes = frame(body);
    EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  send_all(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
  send_all(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})");
  send_all(R"({"jsonrpc":"2.0","method":"exit"})");
  std::string received;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(fd, buffer, sizeof buffer)) > 0;) {
    received.append(buffer, static_cast<size_t>(n));
  }
  EXPECT_NE(received.find("completionProvider"), std::string::npos) << received;
  EXPECT_NE(received.find(R"("id":2,"result":null)"), std::string::npos) << received;
  close(fd);
}

auto served(const ServerOptions& options) -> std::future<int> {
  return std::async(std::launch::async, [options] {
    auto host = std::make_unique<ide::AnalysisHost>();
    return run_language_server(options, *host);
  });
}

TEST(Endpoint, TheEditorListensOnAPort) {
  auto [listener, port] = bound_socket();
  ASSERT_EQ(listen(listener, 1), 0);
  ServerOptions options;
  options.socket_port = port;
  auto code = served(options);
  talk(accept(listener, nullptr, nullptr));
  EXPECT_EQ(code.get(), 0);
  close(listener);
}

TEST(Endpoint, TheServerListensOnAPort) {
  auto [fd, port] = bound_socket();
  close(fd);
  ServerOptions options;
  options.socket_port = port;
  auto code = served(options);
  talk(connect_soon(AF_INET, loopback(port)));
  EXPECT_EQ(code.get(), 0);
}

TEST(Endpoint, APortThatIsTaken) {
  auto [fd, port] = bound_socket();
  auto opened = open_port(port);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "cannot listen on port " + std::to_string(port) + ": Address already in use");
  ServerOptions options;
  options.socket_port = port;
  EXPECT_EQ(served(options).get(), 2);
  close(fd);
}

TEST(Endpoint, EitherSideListensOnAPipe) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "pipe").string();
  ServerOptions options;
  options.pipe_name = path;
  {
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = unix_address(path);
    ASSERT_EQ(bind(listener, as_any(address), sizeof address), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    auto code = served(options);
    talk(accept(listener, nullptr, nullptr));
    EXPECT_EQ(code.get(), 0);
    close(listener);
  }
  // The socket of the ended server still exists and blocks nobody.
  for (int i = 0; i < 2; ++i) {
    auto code = served(options);
    talk(connect_soon(AF_UNIX, unix_address(path)));
    EXPECT_EQ(code.get(), 0);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(Endpoint, PipesThatCannotBe) {
  TemporaryFolder folder;
  folder.write("file", "not a socket");
  auto message = [&](const std::string& name) {
    auto opened = open_pipe((folder.path() / name).string());
    EXPECT_FALSE(opened);
    const std::string text = opened ? "" : opened.error().message;
    return text.substr(std::min(text.size(), text.find(": ")));
  };
  EXPECT_EQ(message("no/such/folder"), ": No such file or directory");
  EXPECT_EQ(message("file"), ": it exists but is not a socket");
  EXPECT_EQ(open_pipe(std::string(200, 'x')).error().message,
            "the name of the pipe exceeds 107 bytes");
}

}  // namespace
}  // namespace tacet::lsp
