#include "project/today.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace tacet::project {

auto today() -> int32_t {
  using namespace std::chrono;
  sys_seconds now = floor<seconds>(system_clock::now());
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text(given);
    int64_t epoch = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), epoch);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) {
      now = sys_seconds(seconds(epoch));
    }
  }
  const year_month_day day(floor<days>(now));
  return static_cast<int>(day.year()) * 10000 +
         static_cast<int32_t>(static_cast<unsigned>(day.month()) * 100 +
                              static_cast<unsigned>(day.day()));
}

}  // namespace tacet::project
