#include "cli/service/event_log.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

namespace tacet::service {

static auto level_name(LogLevel level) -> std::string_view {
  switch (level) {
    case LogLevel::Error:
      return "error";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Info:
      return "info";
    case LogLevel::Debug:
      return "debug";
  }
  return "";
}

/// `2026-11-28T21:30:05.123Z`
static auto time_text() -> std::string {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     since.count() % 1000);
}

void EventLog::write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (level > level_) {
    return;
  }
  nlohmann::ordered_json line = {
      {"time", time_text()}, {"level", level_name(level)}, {"event", event}};
  for (const auto& [name, value] : fields) {
    std::visit([&, key = std::string(name)](const auto& of) { line[key] = of; }, value);
  }
  write_(line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace tacet::service
