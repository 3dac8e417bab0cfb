#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lsp/protocol/json.h"

/// Messages of the Debug Adapter Protocol.
namespace tacet::debugger {

using lsp::Json;

/// A request of the client.
struct DapRequest {
  int64_t seq = 0;
  std::string command;
  std::shared_ptr<const Json> arguments;  ///< an object
};

/// Reads one body. An error says what is wrong with it; a message that is no request is none, too.
auto parse_request(std::string_view body) -> Result<DapRequest>;

/// Reads members of the arguments of a request, as `fallback` where they are missing. The first
/// one of a wrong type or out of its range is remembered.
class ArgumentReader {
 public:
  explicit ArgumentReader(const Json& object) : object_(object) {}

  [[nodiscard]] auto has(const char* member) const -> bool;
  auto text(const char* member, std::string fallback = "") -> std::string;
  auto flag(const char* member, bool fallback) -> bool;
  auto number(const char* member, int64_t fallback, int64_t least = 0,
              int64_t most = int64_t{1} << 53) -> int64_t;
  /// An array; empty if it is missing.
  auto list(const char* member) -> const Json&;
  auto object(const char* member) -> const Json&;
  /// The member as it is; null if it is missing.
  auto any(const char* member) -> const Json&;
  void fail(std::string message);

  /// What is wrong, or an empty text.
  [[nodiscard]] auto error() const -> const std::string& { return error_; }

 private:
  const Json& object_;
  std::string error_;
};

}  // namespace tacet::debugger
