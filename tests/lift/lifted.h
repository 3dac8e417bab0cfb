#pragma once

#include <filesystem>
#include <random>
#include <string>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/kernel/evaluate.h"
#include "compiler/he/lift/lift.h"
#include "compiler/he/lower/compile.h"
#include "compiler/spec/program/frontend.h"

/// The last function of a text, as a kernel and lifted.
namespace tacet::lift {

struct LiftedFunction {
  kernel::Kernel kernel;
  Lifting lifting;
};

/// If it is not an array program as written, its oblivious form is lifted. Mistakes in the text
/// fail the test.
auto lifted_function(const std::string& text) -> LiftedFunction;

/// The fixtures of `tests/lift/programs`, in order.
auto program_paths() -> std::vector<std::filesystem::path>;

/// Elements of each parameter, in the ranges of those.
auto random_inputs(const array::Program& program, std::mt19937_64& random)
    -> std::vector<array::Elements>;

/// What the kernel gives for these inputs; nothing after a fault.
auto reference_output(const kernel::Kernel& kernel, const std::vector<array::Elements>& inputs)
    -> std::optional<array::Elements>;

/// The results of the compiled program for them in plaintext, with random values in slots that do
/// not matter.
auto clear_output(const he_lower::Compiled& compiled, const array::Program& program,
                  const std::vector<array::Elements>& inputs) -> array::Elements;

/// The same really encrypted.
auto encrypted_output(const he_lower::Compiled& compiled, const array::Program& program,
                      const std::vector<array::Elements>& inputs) -> array::Elements;

}  // namespace tacet::lift
