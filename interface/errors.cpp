#include "interface/errors.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "base/check.h"
#include "cli/report.h"

namespace tacet::interface {

namespace {

class FailedCheck : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void throw_failed_check(const char* file, int line, const char* condition,
                                     const char* message) {
  throw FailedCheck(fmt::format("{}:{}: {} ({})", file, line, message, condition));
}

/// While it lives, checks that fail on this thread throw.
class ThrowingChecks {
 public:
  ThrowingChecks() : previous_(set_check_handler(throw_failed_check)) {}
  ThrowingChecks(const ThrowingChecks&) = delete;
  auto operator=(const ThrowingChecks&) -> ThrowingChecks& = delete;
  ~ThrowingChecks() { set_check_handler(previous_); }

 private:
  CheckHandler previous_;
};

auto severity_number(Severity severity) -> uint32_t {
  switch (severity) {
    case Severity::Error:
      return TACET_ERROR;
    case Severity::Warning:
      return TACET_WARNING;
    case Severity::Information:
      return TACET_INFO;
    case Severity::Hint:
      return TACET_HINT;
  }
  return TACET_ERROR;
}

auto rendered(std::span<const Diagnostic> diagnostics, cli::SourceSet& sources, cli::Format format)
    -> std::string {
  std::string text;
  cli::Output out(text);
  print_diagnostics(diagnostics, sources, format, out, {});
  return text;
}

auto entry_of(const Diagnostic& diagnostic, cli::SourceSet& sources) -> tacet_diagnostics::Entry {
  const SourceView view = sources.view(diagnostic.place.file);
  tacet_diagnostics::Entry entry{.code = std::string(code_name(diagnostic.code)),
                                 .message = diagnostic.message,
                                 .path = std::string(view.path),
                                 .severity = severity_number(diagnostic.severity)};
  if (view.is_known()) {
    const TextRange range = clamped(view, diagnostic.place.range);
    const HumanPosition begin = human_position(view, range.begin);
    const HumanPosition end = human_position(view, range.end);
    entry.line = begin.line;
    entry.column = begin.column;
    entry.end_line = end.line;
    entry.end_column = end.column;
  }
  return entry;
}

}  // namespace

auto error_of(tacet_status status, std::string message) -> tacet_error* {
  auto error = std::make_unique<tacet_error>();
  error->status = status;
  error->message = std::move(message);
  return error.release();
}

auto error_of(tacet_status status, const Error& error) -> tacet_error* {
  return error_of(status, error.message);
}

auto error_of(std::span<const Diagnostic> diagnostics, cli::SourceSet& sources) -> tacet_error* {
  std::unique_ptr<tacet_diagnostics> found = diagnostics_of(diagnostics, sources);
  std::string message = found->text;
  while (message.ends_with('\n')) {
    message.pop_back();
  }
  auto error = std::make_unique<tacet_error>();
  error->status = TACET_REJECTED;
  error->message = std::move(message);
  error->diagnostics = std::move(found);
  return error.release();
}

auto diagnostics_of(std::span<const Diagnostic> diagnostics, cli::SourceSet& sources)
    -> std::unique_ptr<tacet_diagnostics> {
  auto found = std::make_unique<tacet_diagnostics>();
  for (const Diagnostic& diagnostic : diagnostics) {
    found->entries.push_back(entry_of(diagnostic, sources));
  }
  found->text = rendered(diagnostics, sources, cli::Format::Human);
  found->json = rendered(diagnostics, sources, cli::Format::Json);
  return found;
}

auto guarded(const std::function<tacet_error*()>& body) noexcept -> tacet_error* {
  try {
    const ThrowingChecks checks;
    return body();
  } catch (const Cancelled&) {
    return error_of(TACET_CANCELLED, "the call was cancelled");
  } catch (const FailedCheck& failed) {
    return error_of(TACET_INTERNAL, fmt::format("internal error: {}; this is a bug in Tacet, not "
                                                "in your program",
                                                failed.what()));
  } catch (const std::bad_alloc&) {
    return error_of(TACET_FAILED, "out of memory");
  } catch (const std::exception& error) {
    return error_of(TACET_INTERNAL, fmt::format("internal error: {}", error.what()));
  } catch (...) {
    return error_of(TACET_INTERNAL, "internal error");
  }
}

auto guarded(const tacet_control* control,
             const std::function<tacet_error*(const Listener&)>& body) noexcept -> tacet_error* {
  return guarded([&]() -> tacet_error* {
    const tacet_control given = control == nullptr ? tacet_control{} : known_part(*control);
    // A call within another, or of a program of ours, ends with what is around it.
    const CancellationToken around =
        given.cancellation == nullptr ? cancellation_of_thread() : given.cancellation->token;
    const Listener listener{given.progress, given.user, around.child()};
    const CancellationScope scope(&listener.cancellation);
    stop_if_cancelled();
    tacet_error* const error = body(listener);
    if (error != nullptr && is_cancelled()) {
      delete error;  // what was stopped failed for that reason
      throw Cancelled{};
    }
    return error;
  });
}

auto locked(Sources& sources) -> std::unique_lock<std::recursive_timed_mutex> {
  static constexpr std::chrono::milliseconds kBetweenLooks{20};
  std::unique_lock lock(sources.mutex, std::defer_lock);
  while (!lock.try_lock_for(kBetweenLooks)) {
    stop_if_cancelled();
  }
  return lock;
}

auto bytes_of(std::string text) -> tacet_bytes* {
  return new tacet_bytes{std::move(text)};
}

auto bytes_of(std::vector<std::byte> bytes) -> tacet_bytes* {
  return new tacet_bytes{std::move(bytes)};
}

auto bytes_of(SecureBytes bytes) -> tacet_bytes* {
  return new tacet_bytes{std::move(bytes)};
}

}  // namespace tacet::interface
