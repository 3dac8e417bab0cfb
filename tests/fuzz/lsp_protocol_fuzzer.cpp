// Any bytes from a client: framing, messages, lifecycle and handlers survive them, and a
// stream that is cut elsewhere gives the same frames.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "lsp/protocol/frame.h"
#include "lsp/server/event_loop.h"
#include "lsp/server/server.h"

using namespace tacet;
using namespace tacet::lsp;

static auto frames_of(std::string_view bytes, size_t step) -> std::vector<Frame> {
  FrameReader reader(1 << 20);
  std::vector<Frame> frames;
  for (size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    while (auto next = reader.next()) {
      frames.push_back(*std::move(next));
    }
  }
  return frames;
}

static void serve_frames(const std::vector<Frame>& frames) {
  EventLoop loop;
  ide::AnalysisHost host;
  WorkerPool pool(2);
  size_t n_answers = 0;
  Server server(
      loop, pool, host, [&](std::string_view) { ++n_answers; }, [] {});
  for (const Frame& frame : frames) {
    server.receive(frame);
  }
  server.input_drained();
  server.input_closed();
  TACET_CHECK(server.exit_code().has_value(), "a closed session goes on");
  pool.stop(std::chrono::seconds(10));
}

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<Frame> frames = frames_of(bytes, size + 1);
  std::vector<Frame> pieces = frames_of(bytes, 1 + size % 7);
  TACET_CHECK(frames.size() == pieces.size(), "frames depend on how the input is cut");
  serve_frames(frames);
  return 0;
}
