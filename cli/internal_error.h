#pragma once

#include <functional>

#include "cli/exit_code.h"

namespace tacet::cli {

/// Runs `body`. If an invariant of ours fails in it, or an exception or a fatal signal (a
/// stack overflow too) gets out of it, a report is written to a file, its path is printed, and
/// the answer (or, after a signal, the exit code of the process) is `ExitCode::Internal`.
///
/// The report may be sent to strangers: of the command line it has names of commands, options and
/// source files alone, and of an exception that is not ours its type.
auto with_crash_reports(int argc, const char* const* argv, const std::function<ExitCode()>& body)
    -> ExitCode;

/// Gives the calling thread what it needs for its crashes to be reported: a failed check throws,
/// to be caught by the waiter for the thread, and signals have a stack to be handled on.
class CrashReportingThread {
 public:
  CrashReportingThread();
  CrashReportingThread(const CrashReportingThread&) = delete;
  auto operator=(const CrashReportingThread&) -> CrashReportingThread& = delete;
  ~CrashReportingThread();

 private:
  void (*previous_)(const char*, int, const char*, const char*);
  void* signal_stack_ = nullptr;
};

}  // namespace tacet::cli
