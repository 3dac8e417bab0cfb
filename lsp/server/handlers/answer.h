#pragma once

#include <string>
#include <variant>

#include "lsp/protocol/message.h"

namespace tacet::lsp {

/// The outcome of a request: the JSON text of its result, or why there is none.
using Answer = std::variant<std::string, ResponseError>;

/// The result of a request that found nothing.
inline const char* const kNoResult = "null";

auto invalid_params(std::string message) -> ResponseError;

}  // namespace tacet::lsp
