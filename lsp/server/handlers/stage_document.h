#pragma once

#include <string>

#include "lsp/ide/stage_text.h"
#include "lsp/server/handlers/answer.h"

namespace tacet::lsp {

/// A stage as the virtual document `uri`, or the reason why there is none.
auto stage_document(const std::string& uri, ide::StageText stage) -> Answer;

}  // namespace tacet::lsp
