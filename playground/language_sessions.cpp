#include "playground/language_sessions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <thread>
#include <utility>

#include "lsp/server/server.h"

namespace tacet::playground {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

/// Threads of a session: one for each priority of its work.
constexpr size_t kWorkers = lsp::kPriorities;
/// How often it is looked whether what a session was at has stopped.
constexpr std::chrono::milliseconds kPatience(1000);

}  // namespace

/// One session. Lives until its client has disconnected and its workers have stopped.
class LanguageSession : public std::enable_shared_from_this<LanguageSession> {
 public:
  LanguageSession(LanguageSessions& sessions, int fd)
      : sessions_(sessions),
        socket_(asio::ip::tcp::socket(sessions.loop_.context(), asio::ip::tcp::v4(), fd)),
        host_(sessions.make_host_()),
        pool_(kWorkers),
        server_(
            sessions.loop_, pool_, *host_, [this](std::string_view body) { send(body); },
            [this] { close(websocket::close_code::normal, ""); },
            {.program = {},
             .bounds = {.files = lsp::FileAccess::None,
                        .most_documents = sessions.limits_.most_documents,
                        .most_text = sessions.limits_.most_text,
                        .style = sessions.limits_.style},
             .more_handlers = {}}) {}

  ~LanguageSession() {
    if (retiring_.joinable()) {
      retiring_.join();
    }
  }
  LanguageSession(const LanguageSession&) = delete;
  auto operator=(const LanguageSession&) -> LanguageSession& = delete;

  /// `refused` says why it ends right after the start, if it does.
  void start(std::string received, std::string refused) {
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(sessions_.limits_.most_message);
    auto bytes = std::make_shared<std::string>(std::move(received));
    socket_.async_accept(asio::buffer(*bytes), [self = shared_from_this(), bytes,
                                                refused = std::move(refused)](auto error) {
      self->is_open_ = !error;
      if (error) {
        self->retire();
      } else if (!refused.empty()) {
        self->close(websocket::close_code::try_again_later, refused);
      } else {
        self->read();
      }
    });
  }

  /// The program ends: nobody is notified, and running work is only asked to stop.
  void abandon() {
    is_open_ = false;
    beast::get_lowest_layer(socket_).close();
    server_.input_closed();
    if (is_retiring_) {
      retiring_.join();
    } else {
      pool_.stop(kPatience);
    }
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](auto error, size_t) {
      if (error) {
        // A message over the limit was answered with a close frame that says so.
        self->lose();
        return;
      }
      self->server_.receive(lsp::Frame(beast::buffers_to_string(self->buffer_.data())));
      self->buffer_.consume(self->buffer_.size());
      self->server_.input_drained();
      if (!self->is_closing_) {
        self->read();
      }
    });
  }

  void send(std::string_view body) {
    n_unread_ += body.size();
    if (!is_open_ || is_closing_) {
      return;
    }
    if (n_unread_ > sessions_.limits_.most_unread) {
      close(websocket::close_code::policy_error, "client does not read answers");
      return;
    }
    unsent_.emplace_back(body);
    if (unsent_.size() == 1) {
      write();
    }
  }

  void write() {
    socket_.text(true);
    socket_.async_write(asio::buffer(unsent_.front()),
                        [self = shared_from_this()](auto error, size_t n) {
                          self->n_unread_ -= n;
                          if (error) {
                            self->lose();
                            return;
                          }
                          self->unsent_.pop_front();
                          if (!self->unsent_.empty()) {
                            self->write();
                          } else if (self->is_closing_) {
                            self->say_goodbye();
                          }
                        });
  }

  void close(websocket::close_code code, std::string_view why) {
    if (!is_open_ || std::exchange(is_closing_, true)) {
      return;
    }
    goodbye_ = websocket::close_reason(code, beast::string_view(why.data(), why.size()));
    if (unsent_.empty()) {
      say_goodbye();
    }
  }

  void say_goodbye() {
    socket_.async_close(goodbye_, [self = shared_from_this()](auto) { self->lose(); });
  }

  /// The client disconnected.
  void lose() {
    is_open_ = false;
    server_.input_closed();
    retire();
  }

  /// Waits, on a thread, for the workers. What they have posted to the loop comes before the end.
  void retire() {
    if (!std::exchange(is_retiring_, true)) {
      retiring_ = std::thread([self = shared_from_this()]() mutable {
        while (!self->pool_.stop(kPatience)) {
        }
        LanguageSession& session = *self;
        session.sessions_.loop_.post([self = std::move(self)] {
          self->retiring_.join();
          self->sessions_.sessions_.erase(self);
        });
      });
    }
  }

  LanguageSessions& sessions_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  std::unique_ptr<ide::AnalysisHost> host_;
  lsp::WorkerPool pool_;
  lsp::Server server_;
  std::deque<std::string> unsent_;
  size_t n_unread_ = 0;
  bool is_open_ = false;
  bool is_closing_ = false;
  websocket::close_reason goodbye_;
  bool is_retiring_ = false;
  std::thread retiring_;
};

LanguageSessions::LanguageSessions(lsp::EventLoop& loop, const Limits& limits,
                                   std::function<std::unique_ptr<ide::AnalysisHost>()> make_host)
    : loop_(loop), limits_(limits), make_host_(std::move(make_host)) {}

LanguageSessions::~LanguageSessions() {
  for (const auto& session : sessions_) {
    session->abandon();
  }
}

void LanguageSessions::start(int fd, std::string received) {
  const bool is_full = sessions_.size() >= limits_.most_sessions;
  if (sessions_.size() >= 2 * limits_.most_sessions) {
    ::close(fd);  // too many even for rejected ones
    return;
  }
  auto session = std::make_shared<LanguageSession>(*this, fd);
  sessions_.insert(session);
  session->start(
      std::move(received),
      is_full ? fmt::format("limit of {} sessions reached", limits_.most_sessions) : std::string());
}

}  // namespace tacet::playground
