#include "tests/lsp/test_handlers.h"

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/check.h"

namespace tacet::lsp {

static auto wait(const RequestContext& context, const Json& /*params*/) -> Answer {
  for (;;) {
    // Throws when somebody wants it no more.
    context.analysis->snapshot().query().run(
        [](query::Context& query) { query.check_cancelled(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

static auto crash(const RequestContext& /*context*/, const Json& /*params*/) -> Answer {
  TACET_CHECK(false, "asked to");
  return kNoResult;
}

static auto fail(const RequestContext& /*context*/, const Json& /*params*/) -> Answer {
  throw std::runtime_error("thrown on demand");
}

auto test_handlers() -> std::span<const RequestHandler> {
  static constexpr std::array kHandlers = {
      RequestHandler{"test/wait", Priority::Interactive, wait},
      RequestHandler{"test/waitForDiagnostics", Priority::Diagnostics, wait, OnEdit::Retries},
      RequestHandler{"test/crash", Priority::Interactive, crash},
      RequestHandler{"test/throw", Priority::Interactive, fail},
  };
  return kHandlers;
}

}  // namespace tacet::lsp
