#pragma once

#include "compiler/views/backends/target.h"
#include "engine/program/mpc/program.h"

namespace tacet::backends {

/// A program for parties as source for MP-SPDZ. An error if it has something that has no exact
/// counterpart there: fixed point, secrets that choose places, control by revealed values.
auto emit_mp_spdz(const engine::MpcProgram& program, const std::string& name, const Origin& origin)
    -> Result<Emission>;

}  // namespace tacet::backends
