#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// Private to this folder.
namespace tacet::net::gathering {

/// The addresses of hosts, found on threads that nobody waits for: the system's look-up has no time
/// limit of its own, and a meeting has. What is found after the end of this object is forgotten.
class LookUps {
 public:
  using Endpoint = boost::asio::ip::tcp::endpoint;
  using Found = std::vector<Endpoint>;
  using Handler = std::function<void(boost::system::error_code, const Found&)>;

  explicit LookUps(boost::asio::io_context& context);
  LookUps(const LookUps&) = delete;
  auto operator=(const LookUps&) -> LookUps& = delete;
  ~LookUps();

  /// Calls `handler` on the context's thread.
  void find(const std::string& host, uint16_t port, Handler handler);

  /// Waits for it, but not for longer than `time`; then the error is `timed_out`.
  static auto find_within(const std::string& host, uint16_t port, std::chrono::milliseconds time,
                          boost::system::error_code& error) -> Found;

 private:
  struct Owner {
    std::mutex mutex;
    boost::asio::io_context* context;  ///< null once the object has ended
  };
  std::shared_ptr<Owner> owner_;
};

}  // namespace tacet::net::gathering
