#include "lsp/server/run.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "lsp/server/connection.h"
#include "lsp/server/endpoint.h"
#include "lsp/server/scheduling.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

/// How long an ending session waits for its last words to be read and its work to stop.
static constexpr std::chrono::milliseconds kPatience(1000);

auto serve(int in_fd, int out_fd, const ServerOptions& options, ide::AnalysisHost& host) -> int {
  // A client that closes its end is met as an error of `write`, not as a signal.
  signal(SIGPIPE, SIG_IGN);
  prefer_short_slices();
  EventLoop loop;
  Connection connection(loop, in_fd, out_fd);
  Timer last_words(loop);
  FrameReader reader;
  WorkerPool pool(options.n_workers != 0 ? options.n_workers : std::thread::hardware_concurrency());
  Server server(
      loop, pool, host, [&](std::string_view body) { connection.send(frame(body)); },
      [&] {
        last_words.start(kPatience, [&] { loop.stop(); });
        connection.finish([&] { loop.stop(); });
      },
      {.program = options.program,
       .bounds = {},
       .typing_pause = options.typing_pause,
       .more_handlers = options.more_handlers});
  auto received = [&](std::string_view bytes) {
    reader.feed(bytes);
    while (auto next = reader.next()) {
      server.receive(*next);
    }
  };
  connection.start({received, [&] { server.input_drained(); }, [&] { server.input_closed(); }});
  loop.run();
  int code = server.exit_code().value_or(1);
  if (!pool.stop(kPatience)) {
    // A worker does not listen to its cancellation, and what it uses cannot be freed.
    std::_Exit(code);
  }
  return code;
}

auto run_language_server(const ServerOptions& options, ide::AnalysisHost& host) -> int {
  if (!options.socket_port && !options.pipe_name) {
    return serve(STDIN_FILENO, STDOUT_FILENO, options, host);
  }
  auto socket =
      options.socket_port ? open_port(*options.socket_port) : open_pipe(*options.pipe_name);
  if (!socket) {
    std::fprintf(stderr, "tacet lsp: %s\n", socket.error().message.c_str());
    return 2;
  }
  int code = serve(*socket, *socket, options, host);
  close(*socket);
  return code;
}

}  // namespace tacet::lsp
