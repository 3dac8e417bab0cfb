#include "cli/service/listener.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>

namespace tacet::service {

using boost::asio::ip::tcp;

/// How long nothing is accepted when there may be no more connections.
static constexpr std::chrono::milliseconds kAcceptPause(20);

auto Listener::open(const ServiceAddress& address) -> Result<ServiceAddress> {
  boost::system::error_code error;
  tcp::resolver resolver(acceptor_.get_executor());
  const auto found = resolver.resolve(address.host, std::to_string(address.port), error);
  if (!error && !found.empty()) {
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) {
      acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
      acceptor_.bind(endpoint, error);
    }
    if (!error) {
      acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    }
  }
  if (error) {
    return Error{fmt::format("cannot listen on {}: {}", address_text(address), error.message())};
  }
  return ServiceAddress{address.host, acceptor_.local_endpoint().port()};
}

void Listener::start(std::function<bool()> may_accept, std::function<void(tcp::socket)> accepted) {
  may_accept_ = std::move(may_accept);
  accepted_ = std::move(accepted);
  accept();
}

void Listener::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void Listener::accept_later() {
  pause_.expires_after(kAcceptPause);
  pause_.async_wait([this](boost::system::error_code error) {
    if (!error) {
      accept();
    }
  });
}

void Listener::accept() {
  if (!acceptor_.is_open()) {
    return;
  }
  if (!may_accept_()) {
    accept_later();
    return;
  }
  acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted) {
      return;
    }
    if (error) {  // out of descriptors, or the client has left already
      accept_later();
      return;
    }
    accepted_(std::move(socket));
    accept();
  });
}

}  // namespace tacet::service
