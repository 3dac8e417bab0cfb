#include "debugger/server/serve_debugger.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "debugger/server/dap_session.h"
#include "lsp/protocol/frame.h"
#include "lsp/server/connection.h"
#include "lsp/server/endpoint.h"
#include "lsp/server/event_loop.h"

namespace tacet::debugger {

/// Larger messages are rejected; no request has a reason to be.
static constexpr size_t kMostBody = size_t{16} << 20;
/// How long an ending session waits for its last words to be read.
static constexpr std::chrono::milliseconds kPatience(1000);

auto serve_debugger(int in_fd, int out_fd, Launcher launcher) -> int {
  // A client that closes its end is met as an error of `write`, not as a signal.
  signal(SIGPIPE, SIG_IGN);
  lsp::EventLoop loop;
  lsp::Connection connection(loop, in_fd, out_fd);
  lsp::Timer last_words(loop);
  lsp::FrameReader frames(kMostBody);
  bool is_ending = false;
  DapSession session(std::move(launcher),
                     [&](const std::string& body) { connection.send(lsp::frame(body)); });
  const auto end = [&] {
    if (!is_ending) {
      is_ending = true;
      last_words.start(kPatience, [&] { loop.stop(); });
      connection.finish([&] { loop.stop(); });
    }
  };
  bool is_posted = false;
  // A slice of the run at a time, so that messages come in between.
  std::function<void()> move = [&] {
    is_posted = false;
    if (is_ending || !session.is_moving()) {
      return;
    }
    session.advance();
    is_posted = true;
    loop.post(move);
  };
  const auto received = [&](std::string_view bytes) {
    frames.feed(bytes);
    while (!session.is_over()) {
      const std::optional<lsp::Frame> next = frames.next();
      if (!next) {
        break;
      }
      if (const auto* error = std::get_if<lsp::FrameError>(&*next)) {
        session.report_malformed(error->message);
      } else {
        session.receive(std::get<std::string>(*next));
      }
    }
    if (session.is_over()) {
      end();
    } else if (session.is_moving() && !is_posted) {
      is_posted = true;
      loop.post(move);
    }
  };
  connection.start({received, [] {}, [&] { is_ending ? void() : loop.stop(); }});
  loop.run();
  return session.is_over() ? 0 : 1;
}

auto serve_debugger_at(uint16_t port, Launcher launcher) -> int {
  Result<int> socket = lsp::open_port(port);
  if (!socket) {
    std::fprintf(stderr, "tacet debug: %s\n", socket.error().message.c_str());
    return 2;
  }
  const int code = serve_debugger(*socket, *socket, std::move(launcher));
  close(*socket);
  return code;
}

}  // namespace tacet::debugger
