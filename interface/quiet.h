#pragma once

#include <mutex>
#include <string>

#include "base/cancellation.h"
#include "cli/command.h"
#include "include/tacet.h"

namespace tacet::interface {

/// Who hears of progress in a program that calls the library, and how it stops the call.
struct Listener {
  tacet_progress progress = nullptr;
  void* user = nullptr;
  CancellationToken cancellation{};  ///< of the call
};

/// An invocation that prints to memory.
class QuietInvocation {
 public:
  explicit QuietInvocation(const Listener& listener = {});

  [[nodiscard]] auto get() -> cli::Invocation& { return invocation_; }
  [[nodiscard]] auto out() const -> const std::string& { return out_text_; }
  [[nodiscard]] auto err() const -> const std::string& { return err_text_; }
  /// Reports that a phase starts of which nobody knows how long it is.
  void begin(const std::string& phase);
  /// What was printed on stderr without the program's name in front of each line.
  [[nodiscard]] auto notes() const -> std::string;
  /// The same as an error's message: without `error: ` and the last line end.
  [[nodiscard]] auto message() const -> std::string;

 private:
  Listener listener_;
  std::mutex mutex_;
  bool is_stopped_ = false;  ///< by the listener, who is not called again
  std::string out_text_, err_text_;
  cli::Output out_{out_text_}, err_{err_text_};
  cli::ProgramModel model_;
  cli::Invocation invocation_;
};

}  // namespace tacet::interface
