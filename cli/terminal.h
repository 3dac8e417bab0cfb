#pragma once

#include <cstdint>

#include "compiler/core/diagnostics/render.h"

namespace tacet::cli {

/// What `--color` says.
enum class ColourChoice : uint8_t { Auto, Always, Never };

/// One output stream as far as it matters to what is printed on it.
struct Terminal {
  bool is_terminal = false;
  Colour colour = Colour::Never;
  uint32_t width = 100;  ///< columns; 100 where the stream is not a terminal
};

/// Looks at the descriptor and at `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR` and `TERM`, in this
/// order, after `choice`.
auto look_at_terminal(int descriptor, ColourChoice choice) -> Terminal;

}  // namespace tacet::cli
