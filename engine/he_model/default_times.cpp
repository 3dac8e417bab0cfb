#include "base/check.h"
#include "engine/he_model/operation_times.h"

namespace tacet::he {

static constexpr std::string_view kDefaultTimes =
#include "engine/he_model/default_times.inc"
    ;

auto default_operation_times() -> const OperationTimes& {
  static const OperationTimes times = [] {
    Result<OperationTimes> parsed = parse_operation_times(kDefaultTimes);
    TACET_CHECK(parsed.has_value(), "the default operation times have a line that is none");
    return std::move(*parsed);
  }();
  return times;
}

}  // namespace tacet::he
