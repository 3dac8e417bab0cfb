#include "lsp/protocol/json.h"

#include <nlohmann/json.hpp>

namespace tacet::lsp {

auto to_text(const Json& value) -> std::string {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tacet::lsp
