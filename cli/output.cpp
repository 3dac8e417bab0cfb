#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace tacet::cli {

static constexpr size_t kBufferSize = size_t{64} << 10;

void Output::write(std::string_view text) {
  if (text_ != nullptr) {
    *text_ += text;
    return;
  }
  buffer_ += text;
  bool is_due = buffering_ == Buffering::None ||
                (buffering_ == Buffering::Lines && text.find('\n') != std::string_view::npos);
  if (is_due || buffer_.size() >= kBufferSize) {
    flush();
  }
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_ == 0) {
    ssize_t n_written = ::write(descriptor_, rest.data(), rest.size());
    if (n_written >= 0) {
      rest.remove_prefix(static_cast<size_t>(n_written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // The parent process may have made the pipe non-blocking.
      pollfd wait = {descriptor_, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

}  // namespace tacet::cli
