#include "cli/command.h"

#include <fmt/format.h>

namespace tacet::cli {

static void complain(Invocation& invocation, std::string_view kind, std::string_view colour,
                     std::string_view message) {
  invocation.out.flush();
  if (invocation.err_terminal.colour == Colour::Always) {
    invocation.err.write(fmt::format("tacet: \x1b[1;{}m{}\x1b[0m: {}\n", colour, kind, message));
  } else {
    invocation.err.write(fmt::format("tacet: {}: {}\n", kind, message));
  }
}

void Invocation::error(std::string_view message) {
  complain(*this, "error", "31", message);
}

void Invocation::warning(std::string_view message) {
  complain(*this, "warning", "33", message);
}

}  // namespace tacet::cli
