#include "playground/http_connection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "playground/random_word.h"

namespace tacet::playground {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Message = http::request<http::string_body>;

namespace {

/// How long a client may take for a request, and stay silent between two.
constexpr std::chrono::seconds kPatience(30);
constexpr uint32_t kMostHeader = 16U << 10;

auto text_of(beast::string_view text) -> std::string {
  return {text.data(), text.size()};
}

auto read_request(const Message& message) -> Request {
  return {.method = text_of(message.method_string()),
          .target = text_of(message.target()),
          .host = text_of(message[http::field::host]),
          .origin = text_of(message[http::field::origin]),
          .content_type = text_of(message[http::field::content_type]),
          .is_upgrade = beast::websocket::is_upgrade(message)};
}

}  // namespace

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(int fd, Services& services)
      : services_(services),
        n_connections_(services.n_connections),
        stream_(asio::ip::tcp::socket(services.loop.context(), asio::ip::tcp::v4(), fd)) {
    ++*n_connections_;
  }
  ~HttpConnection() { --*n_connections_; }
  HttpConnection(const HttpConnection&) = delete;
  auto operator=(const HttpConnection&) -> HttpConnection& = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(services_.limits.most_message);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](auto error, size_t) {
      if (!error) {
        self->take(self->parser_->release());
      } else if (error == http::error::body_limit || error == http::error::header_limit) {
        self->write(refusal(413, fmt::format("a request is limited to {} bytes",
                                             self->services_.limits.most_message)),
                    AfterIt::Close);
      } else if (error.category() == make_error_code(http::error::bad_method).category() &&
                 error != http::error::end_of_stream && error != http::error::partial_message) {
        self->write(refusal(400, "not an HTTP request"), AfterIt::Close);
      }
    });
  }

 private:
  enum class AfterIt : uint8_t { Read, Close };

  void take(Message message) {
    Reply reply = reply_to(read_request(message), services_.names, services_.token, random_word());
    is_head_ = message.method() == http::verb::head;
    keeps_alive_ = message.keep_alive();
    switch (reply.route) {
      case Route::Answer:
        // A rejected request says nothing about the rest of the connection.
        write(std::move(reply), keeps_alive_ ? AfterIt::Read : AfterIt::Close);
        break;
      case Route::Language:
        become_session(message);
        break;
      case Route::Run:
        run(message.body(), std::move(reply));
        break;
    }
  }

  /// The WebSocket reads the handshake again, and what has come behind it.
  void become_session(const Message& message) {
    std::ostringstream handshake;
    handshake << message.base() << beast::buffers_to_string(buffer_.data());
    const int fd = stream_.release_socket().release();
    services_.sessions.start(fd, handshake.str());
  }

  void run(const std::string& body, Reply reply) {
    Result<RunRequest> request = decode_run_request(body);
    if (!request) {
      refuse(std::move(reply), 400, request.error().message);
      return;
    }
    if (request->text.size() > services_.limits.most_text) {
      refuse(std::move(reply), 413,
             fmt::format("a program is limited to {} KiB here", services_.limits.most_text >> 10));
      return;
    }
    if (!services_.runs.has_room()) {
      refuse(std::move(reply), 429,
             fmt::format("limit of {} concurrent runs reached; try again later",
                         services_.limits.most_runs));
      return;
    }
    stream_.expires_never();
    is_running_ = true;
    watch_for_end();
    reply.content_type = "application/json";
    services_.runs.start(std::move(*request), token_,
                         [self = shared_from_this(), reply](std::string report) mutable {
                           self->is_running_ = false;
                           beast::error_code ignored;
                           self->stream_.socket().cancel(ignored);
                           reply.body = std::move(report);
                           self->write(std::move(reply), AfterIt::Close);
                         });
  }

  /// Who goes away while a program runs wants it no more.
  void watch_for_end() {
    stream_.socket().async_wait(
        asio::ip::tcp::socket::wait_read, [self = shared_from_this()](auto error) {
          beast::error_code failed;
          if (!error && self->is_running_ && self->stream_.socket().available(failed) == 0) {
            self->token_.cancel();
          }
        });
  }

  /// With the headers that every answer has.
  void refuse(Reply reply, int status, std::string_view why) {
    Reply refused = refusal(status, why);
    refused.headers = std::move(reply.headers);
    write(std::move(refused), keeps_alive_ ? AfterIt::Read : AfterIt::Close);
  }

  void write(Reply reply, AfterIt after) {
    auto answer = std::make_shared<http::response<http::string_body>>(
        static_cast<http::status>(reply.status), 11);
    answer->set(http::field::content_type, reply.content_type);
    for (const auto& [name, value] : reply.headers) {
      answer->set(name, value);
    }
    answer->keep_alive(after == AfterIt::Read);
    const size_t size = reply.body.size();
    if (!is_head_) {
      answer->body() = std::move(reply.body);
    }
    answer->content_length(size);
    stream_.expires_after(kPatience);
    http::async_write(
        stream_, *answer, [self = shared_from_this(), answer, after](auto error, size_t) {
          if (!error && after == AfterIt::Read) {
            self->read();
          } else {
            beast::error_code ignored;
            self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
          }
        });
  }

  Services& services_;
  std::shared_ptr<size_t> n_connections_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  bool is_head_ = false;
  bool keeps_alive_ = false;
  bool is_running_ = false;
  CancellationToken token_;
};

void serve_connection(int fd, Services& services) {
  if (*services.n_connections >= services.limits.most_connections) {
    ::close(fd);
    return;
  }
  std::make_shared<HttpConnection>(fd, services)->read();
}

}  // namespace tacet::playground
