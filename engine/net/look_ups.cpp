#include "engine/net/look_ups.h"

#include <boost/asio/post.hpp>
#include <future>
#include <thread>

namespace tacet::net::gathering {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// As long as the system takes.
static auto look_up(const std::string& host, uint16_t port, error_code& error) -> LookUps::Found {
  boost::asio::io_context context;
  tcp::resolver resolver(context);
  LookUps::Found found;
  for (const auto& entry : resolver.resolve(host, std::to_string(port), error)) {
    found.push_back(entry.endpoint());
  }
  if (!error && found.empty()) {
    error = boost::asio::error::host_not_found;
  }
  return found;
}

LookUps::LookUps(boost::asio::io_context& context) : owner_(std::make_shared<Owner>()) {
  owner_->context = &context;
}

LookUps::~LookUps() {
  const std::lock_guard lock(owner_->mutex);
  owner_->context = nullptr;
}

void LookUps::find(const std::string& host, uint16_t port, Handler handler) {
  std::thread([owner = owner_, host, port, handler = std::move(handler)] {
    error_code error;
    Found found = look_up(host, port, error);
    const std::lock_guard lock(owner->mutex);
    if (owner->context != nullptr) {
      boost::asio::post(*owner->context,
                        [handler, error, found = std::move(found)] { handler(error, found); });
    }
  }).detach();
}

auto LookUps::find_within(const std::string& host, uint16_t port, std::chrono::milliseconds time,
                          error_code& error) -> Found {
  auto answer = std::make_shared<std::promise<std::pair<error_code, Found>>>();
  std::future<std::pair<error_code, Found>> future = answer->get_future();
  std::thread([answer, host, port] {
    error_code failed;
    Found found = look_up(host, port, failed);
    answer->set_value({failed, std::move(found)});
  }).detach();
  if (future.wait_for(time) != std::future_status::ready) {
    error = boost::asio::error::timed_out;
    return {};
  }
  auto [failed, found] = future.get();
  error = failed;
  return found;
}

}  // namespace tacet::net::gathering
