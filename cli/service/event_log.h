#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tacet::service {

enum class LogLevel : uint8_t { Error, Warning, Info, Debug };

/// What happens in a service, a JSON object a line: `time` (UTC), `level`, `event` and the fields
/// of the event. Fields are names, counts, times, digests and reasons: no inputs, keys or
/// ciphertexts.
class EventLog {
 public:
  using Value = std::variant<std::string, uint64_t, double>;
  using Field = std::pair<std::string_view, Value>;

  /// Lines less urgent than `level` are left out. `write` gets each line with its end.
  EventLog(LogLevel level, std::function<void(std::string_view)> write)
      : level_(level), write_(std::move(write)) {}

  void write(LogLevel level, std::string_view event, std::initializer_list<Field> fields = {});

 private:
  LogLevel level_;
  std::function<void(std::string_view)> write_;
};

}  // namespace tacet::service
