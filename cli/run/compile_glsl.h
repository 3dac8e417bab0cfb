#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// What became of a kernel in GLSL.
struct GlslCompilation {
  std::vector<uint32_t> code;         ///< SPIR-V; empty if it is not accepted
  std::vector<std::string> messages;  ///< why not: `half.comp:3: …`, the first few
};

/// Compiles a compute shader with glslangValidator, which is looked for in the folders of PATH. An
/// error if there is none, or if it cannot be run.
auto compile_glsl(const std::string& path) -> Result<GlslCompilation>;

/// Is the compiler there?
auto can_compile_glsl() -> bool;

}  // namespace tacet::cli
