#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tacet::cli {

static auto environment(const char* name) -> std::string_view {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

static auto colour_for(bool is_terminal, ColourChoice choice) -> Colour {
  if (choice != ColourChoice::Auto) {
    return choice == ColourChoice::Always ? Colour::Always : Colour::Never;
  }
  if (!environment("NO_COLOR").empty()) {
    return Colour::Never;
  }
  std::string_view force = environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") {
    return Colour::Always;
  }
  bool is_plain = environment("CLICOLOR") == "0" || environment("TERM") == "dumb";
  return is_terminal && !is_plain ? Colour::Always : Colour::Never;
}

auto look_at_terminal(int descriptor, ColourChoice choice) -> Terminal {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) == 1;
  terminal.colour = colour_for(terminal.is_terminal, choice);
  winsize size = {};
  if (terminal.is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = std::max<uint32_t>(size.ws_col, 40);
  }
  return terminal;
}

}  // namespace tacet::cli
