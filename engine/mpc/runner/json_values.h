#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/program/mpc/clear.h"

/// What all that goes between host and parties is made of.
namespace tacet::mpc {

inline auto values_of(const std::vector<std::optional<engine::MpcCells>>& values)
    -> nlohmann::json {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& value : values) {
    list.push_back(value ? nlohmann::json(*value) : nlohmann::json());
  }
  return list;
}

inline auto values_of(const nlohmann::json& list) -> std::vector<std::optional<engine::MpcCells>> {
  std::vector<std::optional<engine::MpcCells>> values;
  for (const nlohmann::json& value : list) {
    values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<engine::MpcCells>()));
  }
  return values;
}

inline auto bytes_of(const nlohmann::json& value) -> std::string {
  const std::vector<uint8_t> bytes = nlohmann::json::to_cbor(value);
  return {bytes.begin(), bytes.end()};
}

/// What `read` makes of the bytes; an error if they are something else.
template <class Read>
auto decoded(std::string_view bytes, std::string_view what, const Read& read)
    -> Result<decltype(read(nlohmann::json()))> {
  try {
    return read(nlohmann::json::from_cbor(bytes.begin(), bytes.end()));
  } catch (const nlohmann::json::exception& exception) {
    return Error{std::string(what) + ": " + exception.what()};
  }
}

}  // namespace tacet::mpc
