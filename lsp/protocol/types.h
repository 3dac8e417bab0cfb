#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_index.h"

namespace tacet::lsp {

/// The structures of LSP 3.17 and 3.18 that Tacet reads and writes. Positions count
/// in the encoding that was negotiated; `lsp/server/documents` converts.

using Position = LineColumn;

struct Range {
  Position start;
  Position end;

  friend constexpr auto operator==(const Range&, const Range&) -> bool = default;
};

struct Location {
  std::string uri;
  Range range;
};

struct LocationLink {
  Range origin;
  std::string uri;
  Range target;
  Range target_selection;
};

struct ProtocolTextEdit {
  Range range;
  std::string new_text;
  /// Is it what LSP calls a snippet, with `${0:places}` to fill in?
  bool is_snippet = false;
};

}  // namespace tacet::lsp
