#include "lsp/server/barrier.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/check.h"
#include "compiler/core/query/revision.h"

namespace tacet::lsp {

/// A failed check that unwinds to the barrier.
struct FailedCheck {
  std::string report;
};

[[noreturn]] static void throw_failed_check(const char* file, int line, const char* condition,
                                            const char* message) {
  throw FailedCheck{fmt::format("{}:{}: {} ({})", file, line, message, condition)};
}

/// Makes failed checks of this thread throw, for its lifetime.
class ThrowingChecks {
 public:
  ThrowingChecks() : previous_(set_check_handler(throw_failed_check)) {}
  ~ThrowingChecks() { set_check_handler(previous_); }
  ThrowingChecks(const ThrowingChecks&) = delete;
  auto operator=(const ThrowingChecks&) -> ThrowingChecks& = delete;

 private:
  CheckHandler previous_;
};

auto behind_barrier(const std::function<void()>& work) -> std::string {
  const ThrowingChecks throwing_checks;
  try {
    work();
    return {};
  } catch (const query::Cancelled&) {
    throw;
  } catch (const FailedCheck& failed) {
    return failed.report;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

auto answer_behind_barrier(const std::function<Answer()>& work) -> Answer {
  Answer answer;
  std::string report = behind_barrier([&] { answer = work(); });
  if (!report.empty()) {
    return ResponseError{ErrorCode::InternalError, "internal error: " + report, {}};
  }
  return answer;
}

}  // namespace tacet::lsp
