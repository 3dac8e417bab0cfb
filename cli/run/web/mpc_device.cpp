#include "cli/run/mpc_device.h"

#include "base/check.h"

namespace tacet::cli {

namespace {

// Each party is a process or a thread of its own, and a page may start neither.
constexpr const char* kNoParties =
    "parties cannot run in a page; use `tacet playground` or `tacet run` on a machine of yours";

}  // namespace

auto run_on_mpc(const engine::MpcProgram& /*program*/,
                const std::vector<engine::MpcCells>& /*inputs*/, const RunOptions& /*options*/,
                const engine::PublicRandomKey& /*key*/, PhaseLine& /*line*/)
    -> Result<MpcDeviceRun> {
  return Error{kNoParties};
}

auto find_seat(const engine::MpcProgram& /*program*/, const RunOptions& /*options*/,
               SeatKey /*key*/) -> Result<MpcSeat> {
  return Error{kNoParties};
}

void report_failure_to_others(const RunOptions& /*options*/) {}

auto is_given_by(const MpcSeat& /*seat*/, const engine::MpcProgram& /*program*/, size_t /*input*/)
    -> bool {
  return false;
}

auto run_as_party(const engine::MpcProgram& /*program*/, MpcSeat /*seat*/,
                  std::vector<std::optional<engine::MpcCells>> /*inputs*/,
                  const RunOptions& /*options*/,
                  const std::optional<engine::PublicRandomKey>& /*key*/, PhaseLine& /*line*/)
    -> Result<MpcPartyRun> {
  return Error{kNoParties};
}

auto make_parties_device(const engine::CoordinatorProgram& /*coordinator*/,
                         std::vector<std::optional<engine::MpcProgram>> /*programs*/,
                         const RunOptions& /*options*/, const engine::PublicRandomKey& /*key*/)
    -> Result<std::unique_ptr<engine::Device>> {
  return Error{kNoParties};
}

auto end_parties(engine::Device& /*device*/, const RunOptions& /*options*/)
    -> Result<std::optional<MpcCosts>> {
  TACET_CHECK(false, "no device of parties was made");
  return Error{kNoParties};
}

auto protocol_names() -> std::vector<std::string> {
  return {};
}

}  // namespace tacet::cli
