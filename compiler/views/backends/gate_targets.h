#pragma once

#include "compiler/views/backends/target.h"
#include "engine/cggi_format/program.h"

namespace tacet::backends {

/// A circuit of bits as code for the boolean interface of TFHE-rs. An error if it has numbers that
/// are not bits of integers.
auto emit_tfhe_rs(const engine::CggiProgram& program, const Origin& origin) -> Result<Emission>;

}  // namespace tacet::backends
