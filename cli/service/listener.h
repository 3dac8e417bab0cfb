#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "cli/service/admitted_clients.h"

/// Private to this folder: one of the headers that bring Boost.Asio along.
namespace tacet::service {

/// Accepts connections on one address.
class Listener {
 public:
  explicit Listener(boost::asio::io_context& context) : acceptor_(context), pause_(context) {}

  /// A host name is resolved; of several addresses the first is taken. Gives the address with its
  /// port.
  auto open(const ServiceAddress& address) -> Result<ServiceAddress>;
  /// Gives each connection to `accepted`, if `may_accept` says that there may be one more now; if
  /// not, others wait for it in the kernel.
  void start(std::function<bool()> may_accept,
             std::function<void(boost::asio::ip::tcp::socket)> accepted);
  /// Accepts no more.
  void close();

 private:
  void accept();
  void accept_later();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::function<bool()> may_accept_;
  std::function<void(boost::asio::ip::tcp::socket)> accepted_;
};

}  // namespace tacet::service
