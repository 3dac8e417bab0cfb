#include "cli/service/ask_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/cancellation.h"

namespace tacet::service {

auto check_served(const Welcome& welcome, const cli::FileDigest& program, const std::string& name)
    -> Status {
  std::string others;
  for (const cli::FileDigest& served : welcome.programs) {
    if (served == program) {
      return std::monostate{};
    }
    others += others.empty() ? short_digest(served) : ", " + short_digest(served);
  }
  return Error{fmt::format(
      "the service does not evaluate `{}` ({}), but {}; client and service need the same file",
      name, short_digest(program), others.empty() ? "no program" : others)};
}

static void pause_until(Clock::time_point end) {
  constexpr milliseconds kSlice{50};
  while (Clock::now() < end) {
    stop_if_cancelled();
    std::this_thread::sleep_until(std::min(end, Clock::now() + kSlice));
  }
}

auto ask_until_answered(RequestClient& service, std::span<const std::byte> inputs,
                        const SendKeys& send_keys, milliseconds most) -> Result<he::Bytes> {
  const Clock::time_point deadline = Clock::now() + most;
  while (true) {
    Result<std::variant<he::Bytes, Refusal>> answer = service.request(inputs);
    if (!answer) {
      return answer.error();
    }
    if (auto* results = std::get_if<he::Bytes>(&*answer)) {
      return std::move(*results);
    }
    std::optional<Refusal> refusal = std::get<Refusal>(std::move(*answer));
    if (refusal->reason == RefusalReason::UnknownKeys) {
      Result<std::optional<Refusal>> stored = send_keys(service);
      if (!stored) {
        return stored.error();
      }
      refusal = std::move(*stored);
    }
    if (!refusal) {
      continue;
    }
    const Clock::time_point next = Clock::now() + milliseconds(refusal->retry_milliseconds);
    if (refusal->retry_milliseconds == 0 || next > deadline) {
      return Error{fmt::format("the service refused the request: {}", refusal->text)};
    }
    pause_until(next);
  }
}

}  // namespace tacet::service
