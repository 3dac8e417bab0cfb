#include "tests/he_compile/scalars.h"

#include "base/value.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/lower/approximate_functions.h"
#include "compiler/he/schedule/make_circuit.h"

namespace tacet::he_lower {

using engine::HeProgram;

auto lowered(const std::string& text, double tolerance, circuit::Relinearisation relinearisation)
    -> HeProgram {
  const array::Program program = value(array::parse_program(text));
  const ApproximatedProgram approximated = approximate_functions(program, tolerance);
  EXPECT_TRUE(approximated.program.has_value()) << text;
  schedule::Schedule exploded{4096, {{}}};
  circuit::LowerOptions options;
  options.relinearisation = relinearisation;
  return value(
      circuit::lower(value(schedule::make_circuit(*approximated.program, exploded)), options));
}

}  // namespace tacet::he_lower
