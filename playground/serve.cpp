#include "playground/serve.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <utility>

#include "lsp/server/scheduling.h"
#include "playground/http_connection.h"
#include "playground/random_word.h"

namespace tacet::playground {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// How long nothing is accepted after the system ran out of resources for a connection.
constexpr std::chrono::milliseconds kPause(100);

class Listener {
 public:
  explicit Listener(Services& services)
      : services_(services), acceptor_(services.loop.context()), pause_(services.loop.context()) {}

  auto open(const std::string& address, uint16_t port) -> Result<uint16_t> {
    boost::system::error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address, error), port);
    if (!error) {
      acceptor_.open(endpoint.protocol(), error);
    }
    if (!error) {
      acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
      acceptor_.bind(endpoint, error);
    }
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      return Error{fmt::format("cannot listen on {} port {}: {}", address, port, error.message())};
    }
    accept();
    return acceptor_.local_endpoint().port();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](auto error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) {
        return;
      }
      if (error) {
        pause_.expires_after(kPause);
        pause_.async_wait([this](auto) { accept(); });
        return;
      }
      boost::system::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      serve_connection(socket.release(), services_);
      accept();
    });
  }

  Services& services_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
};

}  // namespace

auto is_loopback_address(const std::string& address) -> Result<bool> {
  boost::system::error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error) {
    return Error{
        fmt::format("`{}` is not an address; use 127.0.0.1 for this machine only, or 0.0.0.0 for "
                    "all interfaces",
                    address)};
  }
  return parsed.is_loopback();
}

auto serve(const Options& options) -> Status {
  // Who closes a connection is met as an error of `write`.
  std::signal(SIGPIPE, SIG_IGN);
  lsp::prefer_short_slices();
  lsp::EventLoop loop;
  asio::signal_set signals(loop.context(), SIGINT, SIGTERM);
  signals.async_wait([&](auto, int) { loop.stop(); });
  LanguageSessions sessions(loop, options.limits, options.make_host);
  ProgramRuns runs(loop, options.limits, options.program);
  const std::string token = random_word();
  Services services{loop, options.names, token, options.limits, sessions, runs};
  Listener listener(services);
  Result<uint16_t> port = listener.open(options.address, options.port);
  if (!port) {
    return port.error();
  }
  options.listening(*port, token);
  loop.run();
  return std::monostate{};
}

}  // namespace tacet::playground
