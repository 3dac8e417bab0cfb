#include "interface/quiet.h"

namespace tacet::interface {

QuietInvocation::QuietInvocation(const Listener& listener)
    : listener_(listener), invocation_{out_, err_, {}, {}, model_, {}} {
  if (listener_.progress != nullptr) {
    invocation_.on_phase = [this](const std::string& phase, size_t n_done, size_t n_total) {
      const std::string name = phase.substr(0, phase.find_last_not_of(": ") + 1);
      const std::lock_guard lock(mutex_);
      if (!is_stopped_ && listener_.progress(listener_.user, name.c_str(), n_done, n_total) == 0) {
        is_stopped_ = true;
        listener_.cancellation.cancel();
      }
    };
  }
}

void QuietInvocation::begin(const std::string& phase) {
  if (invocation_.on_phase) {
    invocation_.on_phase(phase, 0, 0);
  }
  stop_if_cancelled();
}

auto QuietInvocation::notes() const -> std::string {
  static constexpr std::string_view kProgram = "tacet: ";
  std::string notes;
  for (size_t at = 0; at < err_text_.size();) {
    const size_t end = std::min(err_text_.find('\n', at), err_text_.size() - 1) + 1;
    std::string_view line = std::string_view(err_text_).substr(at, end - at);
    if (line.starts_with(kProgram)) {
      line.remove_prefix(kProgram.size());
    }
    notes += line;
    at = end;
  }
  return notes;
}

auto QuietInvocation::message() const -> std::string {
  static constexpr std::string_view kError = "error: ";
  std::string text = notes();
  if (text.starts_with(kError)) {
    text.erase(0, kError.size());
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace tacet::interface
