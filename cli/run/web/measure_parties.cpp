#include "cli/run/measure_parties.h"

namespace tacet::cli {

auto measure_parties(Invocation& /*invocation*/) -> Result<mpc_model::ProtocolTimes> {
  return Error{"a page cannot start parties to measure"};
}

}  // namespace tacet::cli
