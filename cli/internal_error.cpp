#include "cli/internal_error.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

#include "base/check.h"
#include "cli/values/sanitized.h"
#include "cli/version_info.h"

namespace tacet::cli {

namespace {

class FailedCheck : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a report says besides what happened, laid out before anything goes wrong: the handler
/// of a fatal signal may not allocate.
struct ReportForm {
  char path[512] = {};
  char heading[4096] = {};
};

constexpr size_t kSignalStackSize = size_t{64} << 10;
constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

}  // namespace

static ReportForm report_form;

static void put(int descriptor, const char* text) {
  (void)!::write(descriptor, text, std::strlen(text));
}

/// Writes the report and says where it is. Safe inside a signal handler. The report is sent along,
/// so `written` must not hold values of anybody's inputs; what the terminal shows may.
static void report(const char* written, const char* shown) {
  int file = ::open(report_form.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    put(file, report_form.heading);
    put(file, written);
    put(file, "\n\nstack:\n");
    void* frames[64];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), file);
    ::close(file);
  }
  put(STDERR_FILENO, "tacet: internal error: ");
  put(STDERR_FILENO, shown);
  put(STDERR_FILENO, "\nThis is a bug in Tacet, not in your program. ");
  if (file >= 0) {
    put(STDERR_FILENO, "Please send this report: ");
    put(STDERR_FILENO, report_form.path);
    put(STDERR_FILENO, "\n");
  } else {
    put(STDERR_FILENO, "No report could be written.\n");
  }
}

static auto signal_text(int signal) -> const char* {
  switch (signal) {
    case SIGSEGV:
      return "invalid memory access or stack overflow (SIGSEGV)";
    case SIGBUS:
      return "invalid memory access (SIGBUS)";
    case SIGFPE:
      return "arithmetic trap (SIGFPE)";
    case SIGILL:
      return "instruction not supported by this machine (SIGILL)";
    default:
      return "aborted (SIGABRT)";
  }
}

/// The thread that writes the report, or 0.
static std::atomic<pid_t> reporting_thread = 0;

/// Several threads may crash at once: one reports, and ends the process while the others wait.
static void crashed(int signal) {
  const pid_t self = ::gettid();
  pid_t other = 0;
  if (!reporting_thread.compare_exchange_strong(other, self)) {
    while (other != self) {
      ::pause();
    }
    ::_exit(static_cast<int>(ExitCode::Internal));  // crashed while reporting
  }
  report(signal_text(signal), signal_text(signal));
  ::_exit(static_cast<int>(ExitCode::Internal));
}

static void throw_failed_check(const char* file, int line, const char* condition,
                               const char* message) {
  throw FailedCheck(fmt::format("{}:{}: {} ({})", file, line, message, condition));
}

/// The type of an exception. What it says may quote what was read, as the parser of JSON does.
static auto type_of_exception(const std::exception& error) -> std::string {
  const char* mangled = typeid(error).name();
  int status = 0;
  char* name = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string text = name == nullptr ? mangled : name;
  std::free(name);
  return text;
}

/// Of the exception that is being handled.
static void report_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    report("out of memory", "out of memory");
  } catch (const FailedCheck& error) {
    report(error.what(), error.what());  // a text of ours
  } catch (const std::exception& error) {
    report(("an exception of type " + type_of_exception(error)).c_str(), error.what());
  } catch (...) {
    report("an exception of unknown type", "an exception of unknown type");
  }
}

/// An exception that nobody could catch, as one thrown through a `noexcept` function.
[[noreturn]] static void terminated() {
  if (std::current_exception()) {
    report_exception();
  } else {
    report("terminated without an exception", "terminated without an exception");
  }
  ::_exit(static_cast<int>(ExitCode::Internal));
}

static auto is_made_of(std::string_view text, std::string_view characters) -> bool {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

static constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz-";

/// The name of a file of source text, without its folders: no value ends like this. Empty if the
/// word is none.
static auto source_name(std::string_view word) -> std::string_view {
  const bool is_source = word.ends_with(".tacet") || word.ends_with(".tlhe");
  return is_source && word.find_first_of("=\"'{}[],") == std::string_view::npos
             ? word.substr(word.rfind('/') + 1)
             : std::string_view();
}

/// A word of the command line without what may be a value: names of commands and options, and of
/// files of source text, are kept.
static auto redacted(int place, std::string_view word, std::string_view before) -> std::string {
  constexpr std::string_view kHidden = "<redacted>";
  const bool is_action = place == 2 && before == "party";
  if ((place == 1 || is_action) && is_made_of(word, kNameCharacters)) {
    return std::string(word);
  }
  if (word.starts_with("--")) {
    const std::string_view name = word.substr(0, word.find('='));
    if (is_made_of(name, kNameCharacters)) {
      return fmt::format("{}{}{}", name, name.size() < word.size() ? "=" : "",
                         name.size() < word.size() ? kHidden : "");
    }
  }
  const std::string_view file = source_name(word);
  return std::string(file.empty() ? kHidden : file);
}

static void fill_form(int argc, const char* const* argv) {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      fmt::format("{}/tacet-report-{}.txt", folder && *folder ? folder : "/tmp", ::getpid());
  std::string heading = fmt::format("tacet {} ({})\ncommand line:", kVersion, kCommit);
  heading += " tacet";
  for (int i = 1; i < argc; ++i) {
    heading += " " + redacted(i, argv[i], argv[i - 1]);
  }
  heading += "\n\n";
  path.copy(report_form.path, sizeof report_form.path - 1);
  heading.copy(report_form.heading, sizeof report_form.heading - 1);
}

static void catch_signals() {
  if (kSanitized) {
    return;
  }
  void* warm_up[1];
  ::backtrace(warm_up, 1);  // the first call loads a library, which a handler may not
  for (int signal : kFatalSignals) {
    struct sigaction action = {};
    action.sa_handler = crashed;
    action.sa_flags = SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

CrashReportingThread::CrashReportingThread() : previous_(set_check_handler(throw_failed_check)) {
  if (kSanitized) {
    return;
  }
  void* memory =
      ::mmap(nullptr, kSignalStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    signal_stack_ = memory;
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackSize;
    ::sigaltstack(&stack, nullptr);
  }
}

CrashReportingThread::~CrashReportingThread() {
  set_check_handler(previous_);
  if (signal_stack_ != nullptr) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(signal_stack_, kSignalStackSize);
  }
}

auto with_crash_reports(int argc, const char* const* argv, const std::function<ExitCode()>& body)
    -> ExitCode {
  fill_form(argc, argv);
  catch_signals();
  std::set_terminate(terminated);
  CrashReportingThread thread;
  try {
    return body();
  } catch (...) {
    report_exception();
  }
  return ExitCode::Internal;
}

}  // namespace tacet::cli
