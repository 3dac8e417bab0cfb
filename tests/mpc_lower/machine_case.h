#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/clear.h"

/// Random device functions as programs of the machine, what they give, and runs of many at once.
namespace tacet::mpc_lower {

struct MachineCase {
  std::string text;            ///< of the function
  engine::MpcProgram program;  ///< its inputs belong to the parties `a`, `b` and `c` in rotation
  std::vector<engine::MpcCells> inputs;
  engine::MpcClearRun in_the_clear;
  /// What the function gives on the reference device; nothing if it fails there.
  std::optional<std::vector<engine::MpcCells>> on_reference;
};

/// Nothing if the function has no program, or one with fixed point, whose products and functions
/// are rounded elsewhere. The same for equal seeds.
auto machine_case(uint64_t seed) -> std::optional<MachineCase>;

/// Secret inputs from the parties `a`, `b` and `c` in rotation.
void give_owners(engine::MpcProgram& program);

/// All cases side by side, in one run of all parties: what each party got, by rank and case.
auto run_side_by_side(const std::vector<MachineCase>& cases, const mpc::TestRun& run)
    -> std::vector<std::vector<mpc::MachineResult>>;

/// What a party got that it should not have; empty if it is what the case says.
auto complaint_about(const mpc::MachineResult& found, const MachineCase& expected) -> std::string;

}  // namespace tacet::mpc_lower
