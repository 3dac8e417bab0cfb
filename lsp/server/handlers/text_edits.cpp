#include "lsp/server/handlers/text_edits.h"

#include <utility>

namespace tacet::lsp {

auto protocol_edits(std::vector<TextEdit> edits, PositionMapper& positions)
    -> std::vector<ProtocolTextEdit> {
  std::vector<ProtocolTextEdit> out;
  for (TextEdit& edit : edits) {
    out.push_back({positions.range(edit.range), std::move(edit.new_text)});
  }
  return out;
}

}  // namespace tacet::lsp
