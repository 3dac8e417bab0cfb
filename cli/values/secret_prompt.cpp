#include "cli/values/secret_prompt.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "cli/interruption.h"

namespace tacet::cli {

auto can_ask() -> bool {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

static void show(std::string_view text) {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

auto ask_for_secret(std::string_view question) -> std::optional<SecureVector<char>> {
  SecureVector<char> line;
  line.reserve(4096);  // a terminal gives no longer lines
  const HideTyping hidden;
  show(question);
  char byte = 0;
  const ScopedWipe wiped(byte);
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0 || byte == '\n') {
      show("\n");  // that of the user is not shown
      return n <= 0 && line.empty() ? std::nullopt : std::optional(std::move(line));
    }
    line.push_back(byte);
  }
}

}  // namespace tacet::cli
