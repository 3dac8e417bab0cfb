#include "cli/service/status_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "cli/service/listener.h"

namespace tacet::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr uint32_t kMostStatusHeader = 8U << 10;
constexpr size_t kMostStatusConnections = 32;

struct StatusSource {
  std::chrono::milliseconds patience;
  std::function<Metrics()> metrics;
  size_t n_connections = 0;
};

/// One request; the connection is then closed.
class StatusConnection : public std::enable_shared_from_this<StatusConnection> {
 public:
  StatusConnection(asio::ip::tcp::socket socket, std::shared_ptr<StatusSource> source)
      : stream_(std::move(socket)), source_(std::move(source)) {
    ++source_->n_connections;
  }
  ~StatusConnection() { --source_->n_connections; }
  StatusConnection(const StatusConnection&) = delete;
  auto operator=(const StatusConnection&) -> StatusConnection& = delete;

  void read() {
    parser_.header_limit(kMostStatusHeader);
    parser_.body_limit(0);
    stream_.expires_after(source_->patience);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](auto error, size_t) {
      if (!error) {
        self->answer();
      }
    });
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    const std::string_view target(request.target().data(), request.target().size());
    const bool is_read =
        request.method() == http::verb::get || request.method() == http::verb::head;
    const Metrics metrics = source_->metrics();
    answer_.version(11);
    answer_.set(http::field::content_type, "text/plain; charset=utf-8");
    answer_.set(http::field::cache_control, "no-store");
    if (!is_read) {
      answer_.result(http::status::method_not_allowed);
      answer_.body() = "only GET\n";
    } else if (target == "/metrics") {
      answer_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
      answer_.body() = metrics_text(metrics);
    } else if (target == "/health") {
      answer_.body() = "ok\n";
    } else if (target == "/ready") {
      answer_.result(metrics.is_draining ? http::status::service_unavailable : http::status::ok);
      answer_.body() = metrics.is_draining ? "draining\n" : "ready\n";
    } else {
      answer_.result(http::status::not_found);
      answer_.body() = "there are /metrics, /health and /ready\n";
    }
    answer_.keep_alive(false);
    answer_.content_length(answer_.body().size());
    if (request.method() == http::verb::head) {
      answer_.body().clear();
    }
    stream_.expires_after(source_->patience);
    http::async_write(stream_, answer_, [self = shared_from_this()](auto, size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  std::shared_ptr<StatusSource> source_;
  beast::flat_buffer buffer_{kMostStatusHeader};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> answer_;
};

class ListeningStatusServer final : public StatusServer {
 public:
  ListeningStatusServer(asio::io_context& context, StatusSource source)
      : listener_(context), source_(std::make_shared<StatusSource>(std::move(source))) {}

  auto listen(const ServiceAddress& address) -> Status {
    Result<ServiceAddress> opened = listener_.open(address);
    if (!opened) {
      return opened.error();
    }
    address_ = *opened;
    listener_.start([this] { return source_->n_connections < kMostStatusConnections; },
                    [this](asio::ip::tcp::socket socket) {
                      std::make_shared<StatusConnection>(std::move(socket), source_)->read();
                    });
    return std::monostate{};
  }

  [[nodiscard]] auto address() const -> const ServiceAddress& override { return address_; }

 private:
  Listener listener_;
  std::shared_ptr<StatusSource> source_;
  ServiceAddress address_;
};

}  // namespace

auto StatusServer::open(asio::io_context& context, const ServiceAddress& address,
                        std::chrono::milliseconds patience, std::function<Metrics()> metrics)
    -> Result<std::unique_ptr<StatusServer>> {
  auto made = std::make_unique<ListeningStatusServer>(
      context, StatusSource{.patience = patience, .metrics = std::move(metrics)});
  if (Status status = made->listen(address); !status) {
    return status.error();
  }
  return std::unique_ptr<StatusServer>(std::move(made));
}

}  // namespace tacet::service
